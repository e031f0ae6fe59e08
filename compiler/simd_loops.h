// Simd loops of OpenMP, as clang makes them: marks for the runtime, which compares their iterations (detect/simd_loop.h).
//
//   before:  __taskrace_simd_begin(safelen)
//   body:    __taskrace_lane(iv);  ...
//   end:     __taskrace_simd_end()
//
// Clang gives such a loop the metadata llvm.loop.vectorize.enable, and either llvm.loop.parallel_accesses or, with a
// safelen, llvm.loop.vectorize.width. (#pragma clang loop gives neither, or a width that says whether it is scalable.)
// The marks keep every access in its iteration until the pass runs, as those of worksharing loops do (openmp_loops.h).
//
// The variables of the function that clang makes after that of the loop are copies that each lane has for itself:
// private, linear and reduction variables, and those of the body. Earlier ones are shared by the lanes. An
// array among them, or a variable that the loop writes, is passed on to a hook, so that its accesses are checked although
// nobody else has its address.
//
// Worksharing loops whose iterations are units are left alone, though they may be simd loops as well.
//
// Thread rule: as for the module that is changed. Cost: linear in the function, for functions with such loops.
// Tested by:  test/lit/openmp/
#ifndef TASKRACE_COMPILER_SIMD_LOOPS_H_
#define TASKRACE_COMPILER_SIMD_LOOPS_H_

#include <llvm/IR/Function.h>

namespace taskrace {

// Requires: the function is as clang has made it, but for the marks of worksharing loops.
void MarkSimdLoops(llvm::Function& function);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_SIMD_LOOPS_H_
