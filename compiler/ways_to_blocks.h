// In which iterations of a loop a block is reached: the conditions on the way to it.
//
// Thread rule: as for the module that is changed. Cost: the number of conditions on the way.
#ifndef TASKRACE_COMPILER_WAYS_TO_BLOCKS_H_
#define TASKRACE_COMPILER_WAYS_TO_BLOCKS_H_

#include <llvm/Analysis/PostDominators.h>

#include <optional>

#include "compiler/checks.h"
#include "compiler/loop_facts.h"

namespace taskrace {

// When an iteration comes to a block.
struct Reached {
  llvm::SmallVector<Guard, 1> guards;  // if these hold, which are the same in every iteration
  const llvm::SCEV* except = nullptr;  // but not in the iteration of this number, if any
};

// A condition as it is in the first iteration.
struct FirstGuard {
  llvm::Value* condition;
  bool wanted;
  // Instead, if it is another one in every iteration.
  llvm::ICmpInst::Predicate predicate = llvm::ICmpInst::BAD_ICMP_PREDICATE;
  const llvm::SCEV *left = nullptr, *right = nullptr;
};

class Ways {
 public:
  Ways(LoopFacts& facts, const llvm::PostDominatorTree& post_dominators)
      : facts_(facts),
        evolution_(facts.evolution()),
        dominators_(facts.dominators()),
        post_dominators_(post_dominators) {}

  // Nothing: it depends on something else.
  std::optional<Reached> WhenReached(const llvm::BasicBlock* block, llvm::Loop& loop);

  // Whether `block` is reached in the first iteration if it is in any: the conditions on the way are
  // the same in all iterations, or turn false and stay so, or fail in a later one only.
  bool WhenFirstReached(const llvm::BasicBlock* block, llvm::Loop& loop,
                        llvm::SmallVectorImpl<FirstGuard>& guards);
  // Computes the condition at `position`, which is before the loop.
  Guard InFirst(const FirstGuard& guard, llvm::Instruction* position);

 private:
  // The number of the one iteration in which the condition is not `wanted`, or null: there the
  // variable of the loop, which counts up or down by one, is equal to something that stays the same.
  const llvm::SCEV* IterationWithout(const llvm::Value* condition, bool wanted, llvm::Loop& loop);
  std::optional<FirstGuard> GuardThatStaysFalse(llvm::Value* condition, bool wanted,
                                                llvm::Loop& loop);

  LoopFacts& facts_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& post_dominators_;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_WAYS_TO_BLOCKS_H_
