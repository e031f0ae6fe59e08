#include "compiler/last_reads.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "compiler/check_flow.h"
#include "compiler/statistics.h"

namespace taskrace {

namespace {

// A read in a larger loop, or in one with more exits, stays.
constexpr size_t kMostBlocks = 64, kMostExits = 4;

class LastReads {
 public:
  LastReads(Checks& checks, llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
            const Barriers& barriers)
      : checks_(checks),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        flow_(checks, function, analyses, barriers) {}

  void Leave() {
    if (!flow_.LooksAhead()) return;
    llvm::BitVector leaves(checks_.size());
    Checks after_loops;
    for (auto [index, check] : llvm::enumerate(checks_)) {
      const llvm::Loop* loop = loops_.getLoopFor(check.position->getParent());
      if (loop == nullptr || !CanLeave(check, *loop) || !IsCoveredUnlessLast(index, *loop)) {
        continue;
      }
      leaves.set(index);
      llvm::append_range(after_loops, AtExits(check, *loop));
    }
    Counters::kRedundant += leaves.count();
    unsigned index = 0;
    llvm::erase_if(checks_, [&](const Check&) { return leaves.test(index++); });
    llvm::append_range(checks_, after_loops);
  }

 private:
  bool CanLeave(const Check& check, const llvm::Loop& loop) const {
    const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(check.bytes.base);
    return !check.IsWrite() && check.IsSimple() && base != nullptr &&
           !evolution_.isLoopInvariant(base, &loop) && loop.getNumBlocks() <= kMostBlocks &&
           loop.getLoopPreheader() != nullptr && loop.hasDedicatedExits() &&
           ExitsOf(loop).size() <= kMostExits;
  }

  static llvm::SmallVector<llvm::BasicBlock*, 4> ExitsOf(const llvm::Loop& loop) {
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop.getUniqueExitBlocks(exits);
    return exits;
  }

  bool IsCoveredUnlessLast(unsigned read, const llvm::Loop& loop) const {
    using Facts = CheckFlow::Facts;
    const llvm::BasicBlock* own = checks_[read].position->getParent();
    Facts wherever_it_leads;  // certain after the read, even if the loop is left
    Facts known = flow_.AnticipatedAtEnd(own);
    flow_.Backward(own, known, [&](unsigned other) {
      if (other == read) wherever_it_leads = known;
    });
    CheckFlow::FactsOfBlocks at_begin;
    bool is_covered = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::BasicBlock* block : llvm::reverse(flow_.blocks())) {
        if (!loop.contains(block)) continue;
        known = flow_.AnticipatedAtEnd(block, at_begin, &loop);
        flow_.Backward(block, known, [&](unsigned other) {
          if (other != read) return;
          is_covered = flow_.WillBeCovered(checks_[read], known);
          // What was read before it is forgotten now.
          known = wherever_it_leads;
        });
        changed |= CheckFlow::Update(at_begin[block], known);
      }
    }
    return is_covered;
  }

  // A check of what was read last, if anything was, at each exit of the loop.
  Checks AtExits(const Check& check, const llvm::Loop& loop) const {
    auto* type = llvm::cast<llvm::PointerType>(check.pointer->getType());
    llvm::SSAUpdater last_read;
    last_read.Initialize(type, "taskrace.last");
    last_read.AddAvailableValue(loop.getLoopPreheader(), llvm::ConstantPointerNull::get(type));
    last_read.AddAvailableValue(check.position->getParent(), check.pointer);
    Checks late;
    for (llvm::BasicBlock* exit : ExitsOf(loop)) {
      Check last = check;
      last.position = &*exit->getFirstInsertionPt();
      last.pointer = last_read.GetValueInMiddleOfBlock(exit);
      if (last.pointer != check.pointer) {
        last.bytes.SetFirst(evolution_.getSCEV(last.pointer), evolution_);
        last.pointer_offset = last.bytes.offset;
        BuilderBefore builder(last.position, check.access);
        last.guards = {{builder.CreateIsNotNull(last.pointer), true}};
      }
      late.push_back(last);
    }
    return late;
  }

  Checks& checks_;
  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  const CheckFlow flow_;
};

}  // namespace

void LeaveReadsToLastIterations(Checks& checks, llvm::Function& function,
                                llvm::FunctionAnalysisManager& analyses, const Barriers& barriers) {
  if (checks.size() < 2 || analyses.getResult<llvm::LoopAnalysis>(function).empty()) return;
  LastReads(checks, function, analyses, barriers).Leave();
}

}  // namespace taskrace
