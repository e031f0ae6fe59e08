// The program's own operator new and delete: global ones that replace the library's, and those of a class.
//
// Behind each may be a pool that hands out again what was given back. So the function says what it returns,
// __taskrace_allocated, and what it takes back, __taskrace_deallocating and __taskrace_deallocated around its
// body; the runtime knows whether that goes to another allocator. Placement forms are left alone.
//
// Thread rule: as for the module that is changed. Cost: linear in such functions.
#ifndef TASKRACE_COMPILER_ALLOCATION_FUNCTIONS_H_
#define TASKRACE_COMPILER_ALLOCATION_FUNCTIONS_H_

#include <llvm/IR/Function.h>

namespace taskrace {

// Requires: nothing has been inlined into `function` yet.
void MarkAllocationFunction(llvm::Function& function);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_ALLOCATION_FUNCTIONS_H_
