// Keeps LICM from reading a variable before a loop that may not read it at all.
//
//   for (i...) if (c[i]) hits++;     LICM reads `hits` once before the loop, though no c[i] may hold
//
// That read is harmless for the program, but a race detector would report it: a false alarm. LLVM does not invent
// reads in functions with the attribute sanitize_thread, with this one exception. So loads that are not made in
// every iteration, of a variable that is also stored to and that no iteration always accesses, are volatile as long
// as LICM works on the loop. They stay where they are then, and so does the variable.
//
// Thread rule: as for the module that is changed. Cost: linear in the instructions of a loop for each run of LICM;
//             where there are such loads, also a tree of dominators of the function.
// Tested by:  test/lit/compiler/conditional_loads.ll, test/lit/norace/condition_never_holds.cpp
#ifndef TASKRACE_COMPILER_CONDITIONAL_LOADS_H_
#define TASKRACE_COMPILER_CONDITIONAL_LOADS_H_

#include <llvm/IR/PassInstrumentation.h>

namespace taskrace {

void KeepConditionalLoads(llvm::PassInstrumentationCallbacks& callbacks);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_CONDITIONAL_LOADS_H_
