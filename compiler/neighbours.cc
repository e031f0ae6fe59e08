#include "compiler/neighbours.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PointerIntPair.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>

#include "compiler/statistics.h"

namespace taskrace {

namespace {

// A region with more blocks than this between its two ends is not looked at.
constexpr size_t kMostBlocksBetween = 16;

class Neighbours {
 public:
  Neighbours(Checks& checks, llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
             const Barriers& barriers)
      : checks_(checks),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        post_dominators_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        barriers_(barriers) {
    for (auto [index, check] : llvm::enumerate(checks)) check_of_[check.position] = index;
  }

  // Merges in `first` and the blocks that are executed whenever it is.
  void MergeFrom(llvm::BasicBlock& first) {
    for (llvm::BasicBlock* block = &first; block != nullptr; block = SequelOf(*block)) {
      if (!done_.insert(block).second) break;
      for (llvm::Instruction& instruction : *block) {
        if (auto found = check_of_.find(&instruction); found != check_of_.end()) {
          const Check& check = checks_[found->second];
          groups_[{check.bytes.base, check.IsWrite()}].push_back({found->second, next_++});
        }
        if (barriers_.IsBarrier(instruction)) MergeGroups();
      }
    }
    MergeGroups();
  }

  // Those that others stand for now are gone.
  void Remove() {
    unsigned index = 0;
    llvm::erase_if(checks_, [&](const Check&) { return merged_.contains(index++); });
  }

 private:
  struct Member {
    unsigned check;
    unsigned order;  // in which the program comes to it
  };

  // The next block that is executed as often as `block`, if no barrier lies between; or null.
  llvm::BasicBlock* SequelOf(const llvm::BasicBlock& block) const {
    const auto* node = post_dominators_.getNode(&block);
    llvm::BasicBlock* sequel = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    if (sequel == nullptr || loops_.getLoopFor(sequel) != loop ||
        !dominators_.properlyDominates(&block, sequel)) {
      return nullptr;
    }
    llvm::SmallVector<const llvm::BasicBlock*, 8> pending(llvm::successors(&block));
    llvm::SmallPtrSet<const llvm::BasicBlock*, 8> between;
    while (!pending.empty()) {
      const llvm::BasicBlock* next = pending.pop_back_val();
      if (next == sequel || !between.insert(next).second) continue;
      // Of the same loop, so that there is none between that might not end, and without going round
      // it.
      if (next == &block || loops_.getLoopFor(next) != loop ||
          between.size() > kMostBlocksBetween) {
        return nullptr;
      }
      for (const llvm::Instruction& instruction : *next) {
        if (barriers_.IsBarrier(instruction)) return nullptr;
      }
      llvm::append_range(pending, llvm::successors(next));
    }
    return sequel;
  }

  void MergeGroups() {
    for (auto& [key, group] : groups_) {
      if (group.size() > 1) MergeGroup(group);
    }
    groups_.clear();
  }

  void MergeGroup(llvm::MutableArrayRef<Member> group) {
    llvm::sort(group, [this](const Member& one, const Member& other) {
      return std::pair(checks_[one.check].bytes.offset, one.order) <
             std::pair(checks_[other.check].bytes.offset, other.order);
    });
    for (unsigned begin = 0; begin < group.size(); ++begin) {
      const Member& lowest = group[begin];
      if (merged_.contains(lowest.check)) continue;
      llvm::SmallVector<Member, 8> run = {lowest};
      int64_t end = EndOf(lowest);
      for (const Member& next : group.drop_front(begin + 1)) {
        if (checks_[next.check].bytes.offset > end) break;
        if (merged_.contains(next.check)) continue;
        if (!OnSameLine(*checks_[next.check].access, *checks_[lowest.check].access)) continue;
        run.push_back(next);
        end = std::max(end, EndOf(next));
      }
      if (run.size() > 1) MergeRun(run, end);
    }
  }

  int64_t EndOf(const Member& member) const {
    const Footprint& bytes = checks_[member.check].bytes;
    return bytes.offset + static_cast<int64_t>(bytes.KnownSize());
  }

  // `run` is sorted by address; the check that the program comes to first stands for all.
  void MergeRun(llvm::ArrayRef<Member> run, int64_t end) {
    const unsigned first = llvm::min_element(run, [](const Member& one, const Member& other) {
                             return one.order < other.order;
                           })->check;
    Footprint& bytes = checks_[first].bytes;
    bytes.offset = checks_[run.front().check].bytes.offset;
    bytes.least = static_cast<uint64_t>(end - bytes.offset);
    bytes.size = evolution_.getConstant(bytes.size->getType(), bytes.least);
    for (const Member& member : run) {
      if (member.check != first) merged_.insert(member.check);
    }
    Counters::kMerged += run.size() - 1;
  }

  Checks& checks_;
  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& post_dominators_;
  const Barriers& barriers_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> check_of_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> done_;
  // Since the last barrier: by base, and whether they are writes.
  llvm::DenseMap<llvm::PointerIntPair<const llvm::SCEV*, 1, bool>, llvm::SmallVector<Member, 4>>
      groups_;
  unsigned next_ = 0;
  llvm::DenseSet<unsigned> merged_;
};

}  // namespace

void MergeNeighbours(Checks& checks, llvm::Function& function,
                     llvm::FunctionAnalysisManager& analyses, const Barriers& barriers) {
  if (checks.size() < 2) return;
  Neighbours neighbours(checks, function, analyses, barriers);
  // Predecessors first, so that a block is reached from the one that it follows.
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    neighbours.MergeFrom(*block);
  }
  neighbours.Remove();
}

}  // namespace taskrace
