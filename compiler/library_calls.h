// Calls of libc and libstdc++ functions, which are not instrumented, and what they read and write.
//
// The table is library_calls.def. Only calls of functions that this module does not define are
// looked up, by their (mangled) name.
//
// Thread rule: as for the module that is changed. Cost: a binary search a call.
#ifndef TASKRACE_COMPILER_LIBRARY_CALLS_H_
#define TASKRACE_COMPILER_LIBRARY_CALLS_H_

#include <llvm/IR/InstrTypes.h>

#include "compiler/local_memory.h"

namespace taskrace {

// Inserts the checks before and after `call`; says whether there are any.
bool CheckLibraryCall(llvm::CallBase* call, const LocalMemory& local);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LIBRARY_CALLS_H_
