// Worksharing loops of OpenMP, as clang makes them: marks at the heads of their bodies, and before what tells a thread
// who it is.
//
// Clang asks the runtime for the bounds of a loop, `__kmpc_for_static_init_4(..., &lb, &ub, ...)`, copies lb to
// the variable of the loop, and the loop's header compares that:
//
//   store (load lb), iv;   cond:  br (load iv) <= (load ub), body, end
//   body:  __taskrace_unit(iv, is_run);  ...
//
// The mark may read and write all memory, as far as LLVM knows, so no value stays in a register from one iteration to
// the next. Where a thread runs its iterations in a row, as with schedule(static) and without a schedule, the second
// argument is 1: such a loop is a parallel loop for the pass, and its checks may leave it (parallel_loops.h).
//
// Thread rule: as for the module that is changed. Cost: linear in the uses of the functions named.
// Tested by:  test/lit/openmp/
#ifndef TASKRACE_COMPILER_OPENMP_LOOPS_H_
#define TASKRACE_COMPILER_OPENMP_LOOPS_H_

#include <llvm/IR/Module.h>

namespace taskrace {

// Requires: the module is as clang has made it. Does nothing if it does not use OpenMP.
void MarkOpenMpLoops(llvm::Module& module);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_OPENMP_LOOPS_H_
