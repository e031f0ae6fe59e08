// Addresses of thread_locals that leave a function.
//
// A direct access to a thread_local is never checked: each task has its own as far as the dag is
// concerned, though one thread runs them all. Once the address is passed on, stored, returned,
// merged or turned into a number, accesses through it look like any other, so the hook
// __taskrace_thread_local stands before each such use.
//
// Thread rule: as for the module that is changed. Cost: linear in the operands.
#ifndef TASKRACE_COMPILER_THREAD_LOCALS_H_
#define TASKRACE_COMPILER_THREAD_LOCALS_H_

#include <llvm/IR/Instructions.h>

namespace taskrace {

// Does an address of a thread_local leave in `instruction`?
bool LetsThreadLocalLeave(const llvm::Instruction& instruction);

// Inserts the hooks for the addresses that leave in `instruction`; says whether there are any.
bool AnnounceThreadLocals(llvm::Instruction* instruction);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_THREAD_LOCALS_H_
