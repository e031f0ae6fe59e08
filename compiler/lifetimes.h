// Lifetimes of the stack variables that other tasks or hooks may access: their address leaves the function,
// or is passed to a function that has checks for it (local_memory.h).
//
// Where LLVM has lifetime markers the hooks stand beside them; a variable without markers
// lives from the function's entry to its exits; one of variable size from its alloca (its end
// is the exit of the frame, which the runtime sees). The begin names the variable for reports,
// from debug information.
//
// Thread rule: as for the module that is changed. Cost: linear in markers, and exits times
// variables without markers.
#ifndef TASKRACE_COMPILER_LIFETIMES_H_
#define TASKRACE_COMPILER_LIFETIMES_H_

#include <llvm/IR/Function.h>

#include "compiler/local_memory.h"

namespace taskrace {

// Inserts the hooks; says whether there are any. `exits` are the instructions before
// which the function ends.
bool AnnounceLifetimes(llvm::Function& function, const LocalMemory& local,
                       llvm::ArrayRef<llvm::Instruction*> exits);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LIFETIMES_H_
