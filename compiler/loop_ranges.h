// Checks that stand before a loop for all its iterations, so that the loop stays free of hooks and
// the vectoriser can have it.
//
// A check leaves a loop if the loop has no barrier (barriers.h), and the bytes that it is about in
// all iterations together are
//   the same ones in every iteration          checked once, if the first iteration comes to it
//   or, if it is made in every iteration, the number of iterations is known on entry, and there
//   is one way out, at the end:
//     a walk without gaps                     one longer range
//     a walk in equal steps                   rows, `distance` apart
//     rows that grow without gaps             longer rows: a rectangle, by columns
//     rows that continue in the same steps    more rows
//     ranges that lose their beginning        the first one, if the first iteration comes to it
// and then the loop around, and so on. A condition that is the same in all iterations goes along as
// a guard; one that fails in a single iteration (`if (j == i) continue`) cuts the range in two. What is checked is exactly what the loop touches.
//
// Remarks (-Rpass=taskrace, -Rpass-missed=taskrace) say what became of each check; docs/remarks.md.
//
// Thread rule: as for the module that is changed. Cost: scalar evolution of the loops.
// Tested by:  test/lit/compiler/loop_*.ll, test/compiler/
#ifndef TASKRACE_COMPILER_LOOP_RANGES_H_
#define TASKRACE_COMPILER_LOOP_RANGES_H_

#include <llvm/IR/PassManager.h>

#include "compiler/barriers.h"
#include "compiler/checks.h"

namespace taskrace {

void MoveChecksOutOfLoops(Checks& checks, llvm::Function& function,
                          llvm::FunctionAnalysisManager& analyses, const Barriers& barriers);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LOOP_RANGES_H_
