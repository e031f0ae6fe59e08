// The marker that every object carries, and the constructor that hands a module's
// markers to the runtime.
//
// The marker is a `struct __taskrace_object` in the section "taskrace_objects", of which the linker
// makes one array a module. The constructor is one hidden comdat function, so a module has it once,
// and runs before the constructors of the program.
//
// Thread rule: as for the module that is changed. Cost: constant.
#ifndef TASKRACE_COMPILER_MARKER_H_
#define TASKRACE_COMPILER_MARKER_H_

#include <llvm/IR/Module.h>

namespace taskrace {

// Adds both; nothing if the module has them already. `checks_accesses`: is its code instrumented?
void AddMarker(llvm::Module& module, bool checks_accesses);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_MARKER_H_
