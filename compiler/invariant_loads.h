// Loads in parallel loops (parallel_loops.h) that give the same value in every iteration, moved before
// the loop: the fields of a closure, the pointers of a vector. Accesses through them then advance in
// equal steps, and the loop can be vectorised.
//
//   for (k = begin; k != end && mark(k); ++k) closure->b->data[k] = closure->a->data[k] + 1;
//
// The mark does not prevent this: only another iteration could change the value there, and that would be a
// data race, which the checks report. So a load leaves an open loop if its address is the same in all
// iterations, each of them makes it or none does (under a condition that is the same in all), and
//   nothing in the loop may write there,
//   or all that may comes after it in every iteration, and both are checked. A single iteration is
//     then still as it was. But what surely writes there (a sum) leaves the load alone: the program
//     computes in this run what it computes without detection.
// Units (parallel_loops.h) are not allowed the latter: they may change a variable of their thread without a race.
// Its check stays in the loop for the time being: every iteration makes the access.
//
// Thread rule: as for the module that is changed. Cost: loads times writes of a parallel loop.
// Tested by:  test/lit/compiler/parallel_loop_reloads_pointers.ll, test/compiler/
#ifndef TASKRACE_COMPILER_INVARIANT_LOADS_H_
#define TASKRACE_COMPILER_INVARIANT_LOADS_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace taskrace {

// The loads that stand before a parallel loop now, and the end of the block that they were in.
using MovedLoads = llvm::DenseMap<const llvm::Instruction*, llvm::Instruction*>;

// Moves the loads of all open parallel loops of the function, and lets their marks be true. What was
// known of the function is forgotten if it has changed.
MovedLoads MoveInvariantLoads(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_INVARIANT_LOADS_H_
