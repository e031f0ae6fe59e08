// Keeps optimisation from losing the source lines of accesses.
//
// For debuggers, LLVM takes the line from what moves: a step should not jump back. A report of a race
// must name it all the same. So the lines of accesses in a loop are noted before LICM and put back
// after it where they are gone: on what it moved out of the loop, and on the loads and stores that it
// makes before and behind the loop for a variable that it keeps in a register there, which get the
// line of an access of that variable. Argument promotion, which moves a read into the callers and
// calls their line its own, does not run at all.
//
// Lines are put back only in functions that are to be instrumented, and until they are.
//
// Thread rule: as for the module that is changed. Cost: linear in the instructions of a loop, for
// each run of LICM, which costs more.
// Tested by:  test/lit/compiler/lines_of_hoisted_accesses.ll, test/lit/race/loop_invariant_read.cpp,
//             test/lit/race/argument_by_address.cpp
#ifndef TASKRACE_COMPILER_SOURCE_LINES_H_
#define TASKRACE_COMPILER_SOURCE_LINES_H_

#include <llvm/IR/PassInstrumentation.h>

namespace taskrace {

void KeepSourceLines(llvm::PassInstrumentationCallbacks& callbacks);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_SOURCE_LINES_H_
