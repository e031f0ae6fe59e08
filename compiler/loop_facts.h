// What is known of a function's loops, whatever check is asked about.
//
// Thread rule: as for the module that is changed. Cost: scalar evolution of the loops, once each.
#ifndef TASKRACE_COMPILER_LOOP_FACTS_H_
#define TASKRACE_COMPILER_LOOP_FACTS_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/barriers.h"
#include "compiler/remarks.h"

namespace taskrace {

class LoopFacts {
 public:
  // Is the mark of a parallel loop (parallel_loops.h) a barrier in that loop?
  enum class Marks { kBarriers, kSeenPast };

  LoopFacts(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
            const Barriers& barriers, Marks marks = Marks::kBarriers);

  struct Shape {
    Obstacle closed;                    // nothing can leave it
    Obstacle uncounted;                 // only what is invariant can leave it
    const llvm::SCEV* turns = nullptr;  // how often it goes back, as a size
  };
  const Shape& ShapeOf(llvm::Loop& loop);

  // Does the loop come to an end? One that does nothing observable must, in C++.
  bool Ends(llvm::Loop& loop);
  // Can it be computed before the loop? Values of loops that are over by then are not at hand.
  bool CanExpand(const llvm::SCEV* expression, const llvm::Loop& loop);
  // Does every iteration come to `block`, even one in which the loop is left?
  bool IsAlwaysReached(const llvm::BasicBlock* block, const llvm::Loop& loop) const;

  llvm::ScalarEvolution& evolution() const { return evolution_; }
  const llvm::DominatorTree& dominators() const { return dominators_; }
  const llvm::LoopInfo& loops() const { return loops_; }

 private:
  Shape ComputeShape(llvm::Loop& loop);

  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  const Barriers& barriers_;
  const Marks marks_;
  llvm::SCEVExpander expander_;
  bool progresses_;
  llvm::DenseMap<const llvm::Loop*, Shape> shapes_;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LOOP_FACTS_H_
