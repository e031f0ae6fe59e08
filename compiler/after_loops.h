// Moves checks after a loop, because the accessed range is known only at its end: merges, searches,
// and other loops that exit early.
//
//   while (a != a_end && b != b_end) *out++ = *a <= *b ? *a++ : *b++;
//
// A check can wait for the end of a loop that is sure to end and has no barrier (barriers.h). Let
// its address depend on a variable of the loop, and be checked whenever the variable takes a value.
// If each value is the one before plus
//   at least 0 and at most the size of the access   one range, from the first to the last value
//   or the same down                                the same
//   or a constant                                   rows, that far apart
// then the first value, which is known on entry, and the last, which is known after the loop, give
// exactly the accessed bytes. This holds for an outer loop too, if the variable continues from its
// last value: the pointers of a partition (quicksort) run through two loops. Where a loop is left before
// the check of its last iteration, the steps must be constant: then the last value but one is known.
//
// Thread rule: as for the module that is changed. Cost: a bounded walk a check and loop.
// Tested by:  test/lit/compiler/loop_checked_after_*, test/compiler/
#ifndef TASKRACE_COMPILER_AFTER_LOOPS_H_
#define TASKRACE_COMPILER_AFTER_LOOPS_H_

#include <llvm/Analysis/LoopInfo.h>

#include "compiler/checks.h"
#include "compiler/loop_facts.h"

namespace taskrace {

struct DeferredChecks {
  Checks checks;               // one an exit of the loop
  llvm::Loop* loop = nullptr;  // null: the check must stay
};

// What can stand for `check` after the outermost loop that it can wait for.
// Requires: it stands in a loop.
DeferredChecks DeferUntilAfterLoops(const Check& check, LoopFacts& facts);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_AFTER_LOOPS_H_
