// What is known of checks at each place of a function.
//
// A fact is «these bytes are checked for this kind of access»: one for each different check, and for
// a write through a pointer that is another one on each way (a phi) also one for each of those.
// *Available* facts have come true on every way to a place, *anticipated* ones are writes and will on
// every way from it; no barrier (barriers.h) lies between.
//
// Both are the usual dataflow over the blocks. An address is the same on two visits of a loop only
// if its expression is invariant in it; so at a loop's header, what varies in the loop is forgotten.
//
// Thread rule: none, immutable. Cost: blocks times facts, in bits, times the depth of loops.
// Tested by:  test/lit/compiler/redundant_*.ll, read_before_write_*.ll, test/compiler/
#ifndef TASKRACE_COMPILER_CHECK_FLOW_H_
#define TASKRACE_COMPILER_CHECK_FLOW_H_

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>

#include <deque>
#include <vector>

#include "compiler/barriers.h"
#include "compiler/checks.h"

namespace taskrace {

class CheckFlow {
 public:
  using Facts = llvm::BitVector;
  using FactsOfBlocks = llvm::DenseMap<const llvm::BasicBlock*, Facts>;

  // The checks stay as they are meanwhile.
  CheckFlow(const Checks& checks, llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
            const Barriers& barriers);

  // The blocks that can be reached, predecessors first.
  llvm::ArrayRef<const llvm::BasicBlock*> blocks() const { return order_; }
  // Is anything known of anticipated writes beyond the block that they are in?
  bool LooksAhead() const { return across_blocks_ && progresses_; }

  Facts AvailableAtBegin(const llvm::BasicBlock* block) const;
  // From what is available at the block's beginning; calls at_check(check, after_barrier) before each.
  template <class AtCheck>
  void Forward(const llvm::BasicBlock* block, Facts& known, AtCheck at_check) const;
  // Of a pointer that is merged in the block: is it covered whichever way the program came?
  // Requires: no barrier stands before the check in its block.
  bool IsCoveredWhicheverWay(const Check& check, const Facts& known) const;

  Facts AnticipatedAtEnd(const llvm::BasicBlock* block) const {
    return AnticipatedAtEnd(block, anticipated_);
  }
  // The same, from what is anticipated at the beginning of blocks; if there is a loop, whatever
  // comes after it is taken for certain.
  Facts AnticipatedAtEnd(const llvm::BasicBlock* block, const FactsOfBlocks& at_begin,
                         const llvm::Loop* loop = nullptr) const;
  // From what is anticipated at the block's end; calls at_read(check) for each read, after which that
  // is what is anticipated.
  template <class AtRead>
  void Backward(const llvm::BasicBlock* block, Facts& known, AtRead at_read) const;
  // Is the read covered by the writes that are anticipated after it?
  bool WillBeCovered(const Check& read, const Facts& known) const {
    return IsCovered(read, known) || WillBeCoveredWhicheverWay(read, known);
  }

  // Do the facts together say that all of the check's bytes are checked?
  bool IsCovered(const Check& check, const Facts& known) const;

  // Sets what is known of a block; says whether it is something else than before.
  static bool Update(Facts& known, Facts now);

 private:
  struct Fact {
    const Check* check;
    bool write;
  };
  // What happens in a block: the index of a check, or one of these.
  static constexpr unsigned kBarrier = ~0u, kObservable = ~0u - 1;

  void CollectFacts();
  void AddFact(const Check& check);
  void CollectEvents(const Barriers& barriers);
  void FindAvailable();
  void FindAnticipated();

  llvm::SmallPtrSet<const llvm::Loop*, 4> LoopsThatChange(const Check& check) const;
  void ForgetVarying(const llvm::BasicBlock* block, Facts& known) const;
  void Set(unsigned check, Facts& known) const {
    for (unsigned fact : implied_[check]) known.set(fact);
  }
  Facts OnTheWay(const llvm::BasicBlock* before, const llvm::BasicBlock* after,
                 const Facts& known) const;
  bool WillBeCoveredWhicheverWay(const Check& check, const Facts& known) const;
  Footprint Translated(const Footprint& bytes, llvm::Value& pointer) const;

  const Checks& checks_;
  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  llvm::SmallVector<const llvm::BasicBlock*, 32> order_;
  bool across_blocks_ = false;
  bool progresses_ = false;

  std::vector<Fact> facts_;
  std::deque<Check> derived_;  // of facts that do not come from a check
  llvm::DenseMap<const llvm::SCEV*, llvm::SmallVector<unsigned, 2>> facts_of_;
  // By block: the writes through pointers that are merged there.
  llvm::DenseMap<const llvm::BasicBlock*,
                 llvm::SmallVector<std::pair<unsigned, const llvm::PHINode*>, 2>>
      facts_of_merges_;
  std::vector<llvm::SmallVector<unsigned, 2>> implied_;  // by check: the facts that it makes true
  llvm::DenseMap<const llvm::Loop*, Facts> varying_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<unsigned, 4>> events_;
  FactsOfBlocks available_;    // at the end of blocks
  FactsOfBlocks anticipated_;  // at their beginning
};

template <class AtCheck>
void CheckFlow::Forward(const llvm::BasicBlock* block, Facts& known, AtCheck at_check) const {
  bool after_barrier = false;
  for (unsigned event : events_.find(block)->second) {
    if (event == kBarrier) {
      known.reset();
      after_barrier = true;
    } else if (event != kObservable) {
      at_check(event, after_barrier);
      Set(event, known);
    }
  }
}

template <class AtRead>
void CheckFlow::Backward(const llvm::BasicBlock* block, Facts& known, AtRead at_read) const {
  for (unsigned event : llvm::reverse(events_.find(block)->second)) {
    if (event == kBarrier || event == kObservable) {
      known.reset();
    } else if (checks_[event].IsWrite()) {
      Set(event, known);
    } else {
      at_read(event);
    }
  }
}

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_CHECK_FLOW_H_
