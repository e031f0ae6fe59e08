// Zones: checks that stay in a parallel loop (parallel_loops.h), but are made only where they can matter.
//
// Before the loop the runtime says in which bytes an access that stays can conflict with another iteration
// (__taskrace_loop_zone). Often there are none: a loop that gathers, and writes what no iteration reads. An access
// outside of the zone costs two comparisons. One inside calls the mark and the hook.
//
//   zone = loop_zone(reads stay);
//   for (k = begin; k != end; ++k) {
//     if (&a[x[k]] lies in the zone) { mark(k); read8(&a[x[k]]); }
//     b[k] = a[x[k]];                             // moved before the loop, as rows of iterations
//   }
//
// Thread rule: as for the module that is changed. Cost: one call a loop and kind of zone.
// Tested by:  test/lit/compiler/parallel_loop_zones.cpp, test/compiler/
#ifndef TASKRACE_COMPILER_LOOP_ZONES_H_
#define TASKRACE_COMPILER_LOOP_ZONES_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <utility>

#include "compiler/checks.h"

namespace taskrace {

class LoopZones {
 public:
  // The condition under which the hook is called, computed before it. Requires: the check has a zone, and all hooks
  // before its loop are inserted.
  llvm::Value* Condition(const Check& check, llvm::CallInst& hook);
  // Calls the mark before the hook.
  static void CallMark(const Check& check, llvm::CallInst& hook);

 private:
  struct Zone {
    llvm::Value* first;
    llvm::Value* end;
  };
  Zone Of(const Check& check);

  llvm::DenseMap<std::pair<const llvm::BasicBlock*, unsigned>, Zone> zones_;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LOOP_ZONES_H_
