// Checks that stand before a parallel loop (parallel_loops.h) for all its iterations.
//
// Each iteration is a strand of its own, so no two of them are joined into a range: the hook is told
// what one iteration touches, how far it moves from one to the next, and which iterations there are.
// A check leaves an open parallel loop if
//   the number of iterations is known on entry, and there is one way out, at the end;
//   its shape (rows, if it has left loops inside the iteration) is the same in all of them;
//   its address moves in equal steps, up, down or not at all;
//   it is made in all of them, or under a condition that is the same in all.
// One that a single iteration does not make (`if (i == m) return`) becomes two.
//
// A loop that needs no mark any more has no hook left, nor a call that leads to one.
//
// Thread rule: as for the module that is changed. Cost: scalar evolution of the loops.
// Tested by:  test/lit/compiler/parallel_loop_*, test/compiler/
#ifndef TASKRACE_COMPILER_ITERATION_CHECKS_H_
#define TASKRACE_COMPILER_ITERATION_CHECKS_H_

#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/barriers.h"
#include "compiler/checks.h"

namespace taskrace {

using UnneededMarks = llvm::SmallVector<llvm::CallInst*, 2>;

// Requires: no check is moved any more afterwards. `checked`: the accesses that the plan began with.
// Returns the marks that may go once all hooks are inserted.
UnneededMarks MoveChecksOutOfParallelLoops(Checks& checks, const InstructionSet& checked,
                                           llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses,
                                           const Barriers& barriers, const LocalMemory& local);

// Inserts the hook. Requires: the check has left a parallel loop.
void InsertBeforeParallelLoop(const Check& check, llvm::ScalarEvolution& evolution,
                              llvm::SCEVExpander& expander);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_ITERATION_CHECKS_H_
