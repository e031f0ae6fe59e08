// What became of the checks in loops, as optimisation remarks of the pass "taskrace".
//
// -Rpass=taskrace says which checks stand before a loop and as what, -Rpass-missed=taskrace which
// are made in every iteration, and why. docs/remarks.md explains each message.
//
// Thread rule: as for the module that is changed. Cost: nothing unless remarks are asked for.
#ifndef TASKRACE_COMPILER_REMARKS_H_
#define TASKRACE_COMPILER_REMARKS_H_

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include "compiler/checks.h"

namespace taskrace {

// Why a check cannot leave a loop.
struct Obstacle {
  enum class Kind {
    kNone,
    kUnusualLoop,   // entered at several places, or has no place for a check before it
    kBarrier,       // the loop does something that may end the strand: `culprit`
    kEndless,       // a loop in it may never end
    kEarlyExit,     // it may be left before its end
    kUnknownCount,  // the number of iterations is not known on entry
    kConditional,   // not every iteration does the access
    kNotAffine,     // the address is not start + iteration * step
    kChangingSize,  // the inner loop has another length in every iteration
    kNoRows,        // rows that make up neither longer nor more rows
    kOtherNumbers,  // a parallel loop whose iterations are not numbered one by one
  };
  Kind kind = Kind::kNone;
  const llvm::Instruction* culprit = nullptr;
};

class Remarks {
 public:
  explicit Remarks(llvm::OptimizationRemarkEmitter& emitter) : emitter_(emitter) {}

  // The check stands before `loop` now.
  void Left(const Check& check, const llvm::Loop& loop);
  // The check stands before the parallel loop now, and is about all its iterations.
  void LeftParallel(const Check& check, const llvm::Loop& loop);
  // No check is left in the parallel loop, and its mark goes.
  void IsFree(const llvm::Loop& loop, const llvm::CallInst& mark);
  // The check stands after `loop` now, at each of its exits.
  void Waits(const Check& check, const llvm::Loop& loop);
  // The check gathers in `loop`.
  void Gathers(const Check& check, const llvm::Loop& loop);
  // The check stays in `loop`; it stands before `left`, which is inside, if that is not null.
  void Stays(const Check& check, const llvm::Loop& loop, const llvm::Loop* left,
             const Obstacle& obstacle);

 private:
  llvm::OptimizationRemarkEmitter& emitter_;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_REMARKS_H_
