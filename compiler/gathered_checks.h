// Checks that stay in their loop, and gather there: accesses that most likely move in equal steps, though
// nothing proves it, because what the address is computed from is loaded again in every iteration.
//
//   for (i = 0; i < n; ++i) out[i] = in[i] * table->roots[i * table->step];    // out may be the table
//
// While the address advances in the same steps, the loop only counts; when it does not, and at the end of
// the loop, the rows so far are checked. An address that is expected to stay the same is checked
// whenever it changes. Exactly the accessed bytes are checked, whether or not the expectation holds.
//
// As for all checks that wait, the loop is sure to end, and has no barrier (barriers.h).
//
// Thread rule: as for the module that is changed. Cost: two or three instructions an access.
// Tested by:  test/lit/compiler/loop_with_reloaded_pointer.ll, test/compiler/
#ifndef TASKRACE_COMPILER_GATHERED_CHECKS_H_
#define TASKRACE_COMPILER_GATHERED_CHECKS_H_

#include "compiler/checks.h"
#include "compiler/loop_facts.h"

namespace taskrace {

// Can the check gather in `loop`, the innermost one around it? Then it is marked so.
bool Gather(Check& check, llvm::Loop& loop, LoopFacts& facts);

// Inserts the checks that gather. Changes the function's blocks, so it comes after all others.
void InsertGathered(llvm::ArrayRef<Check> checks);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_GATHERED_CHECKS_H_
