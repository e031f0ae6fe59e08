// Indices of matrices, computed in wide numbers.
//
//   for (int i ...) a[i * n + j] ...
//
// Computed in an int and then widened, the index does not move in equal steps as far as scalar
// evolution knows: it forgets that the product does not overflow. LLVM widens such products itself, but
// only if `n` is known to stay the same; in a parallel loop that is known after invariant_loads.h.
// So a signed number that is widened and cannot overflow is computed from widened operands instead.
//
// Thread rule: as for the module that is changed. Cost: linear in the loop.
// Tested by:  test/lit/compiler/parallel_loop_over_matrices.cpp, test/compiler/
#ifndef TASKRACE_COMPILER_WIDE_INDICES_H_
#define TASKRACE_COMPILER_WIDE_INDICES_H_

#include <llvm/Analysis/LoopInfo.h>

namespace taskrace {

void WidenIndices(llvm::Loop& loop);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_WIDE_INDICES_H_
