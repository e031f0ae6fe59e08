// Addresses of thread_locals that leave a function.
//
// A direct access to a thread_local is never checked: each task has its own as far as the dag is
// concerned, though one thread runs them all. Once the address is passed on, stored, returned,
// merged or turned into a number, accesses through it look like any other, so the hook
// __taskrace_thread_local stands before each such use.
//
// So do accesses to the heap blocks of a thread_local container, and once its functions are inlined
// its address need not leave any more. So a thread_local whose address leaves before optimisation is
// an *owner*, and the hook stands as well where a pointer is read out of an owner: once, until
// something may end the strand, for it forgets whole blocks. Any other may point to what others have
// as well, and that is checked.
//
// Mark: "taskrace-owner" on variables.
// Thread rule: as for the module that is changed. Cost: linear in the operands; and for owners in the
// calls.
// Tested by:  test/lit/compiler/thread_locals_are_announced_when_they_leave.ll,
//             thread_locals_that_own_memory.ll, test/lit/norace/thread_local_container.cpp,
//             test/lit/race/thread_local_pointer.cpp
#ifndef TASKRACE_COMPILER_THREAD_LOCALS_H_
#define TASKRACE_COMPILER_THREAD_LOCALS_H_

#include <llvm/IR/Instructions.h>

#include "compiler/barriers.h"

namespace taskrace {

// Marks the owners that the function shows. Before any optimisation.
void MarkOwners(llvm::Function& function);

// May the hook have to stand before `instruction`?
bool LetsThreadLocalLeave(const llvm::Instruction& instruction);

// Inserts the hooks for the addresses that leave in `instruction`; says whether there are any.
bool AnnounceThreadLocals(llvm::Instruction* instruction);

// Inserts the hooks for owners that are read in `instructions`, all of a function; says whether there
// are any.
bool AnnounceOwners(llvm::ArrayRef<llvm::Instruction*> instructions, const Barriers& barriers);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_THREAD_LOCALS_H_
