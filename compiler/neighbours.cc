#include "compiler/neighbours.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PointerIntPair.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>

#include "compiler/statistics.h"

namespace taskrace {

namespace {

// A region with more blocks than this between its two ends is not looked at.
constexpr size_t kMostBlocksBetween = 64;
// A row with parts is not longer than this.
constexpr uint64_t kLongestWithParts = 4096;

class Neighbours {
 public:
  Neighbours(Checks& checks, llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
             const Barriers& barriers)
      : checks_(checks),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        post_dominators_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        barriers_(barriers),
        progresses_(Progresses(function)) {
    for (auto [index, check] : llvm::enumerate(checks)) {
      if (check.IsSimple() && check.gathers_in == nullptr) {
        checks_at_[check.position].push_back(index);
      }
    }
  }

  // Merges in `first` and the blocks that are executed whenever it is.
  void MergeFrom(llvm::BasicBlock& first) {
    for (llvm::BasicBlock* block = &first; block != nullptr; block = SequelOf(*block)) {
      if (!done_.insert(block).second) break;
      for (llvm::Instruction& instruction : *block) {
        if (auto found = checks_at_.find(&instruction); found != checks_at_.end()) {
          for (unsigned index : found->second) {
            const Check& check = checks_[index];
            groups_[{{check.bytes.base, check.IsWrite()}, check.iterations.step}].push_back(
                {index, next_++});
          }
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
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    llvm::BasicBlock* sequel = nullptr;
    const auto* node = post_dominators_.getNode(&block);
    do {
      node = node != nullptr ? node->getIDom() : nullptr;
      sequel = node != nullptr ? node->getBlock() : nullptr;
    } while (sequel != nullptr && loops_.getLoopFor(sequel) != loop);
    if (sequel == nullptr || !dominators_.properlyDominates(&block, sequel)) return nullptr;
    llvm::SmallVector<const llvm::BasicBlock*, 8> pending(llvm::successors(&block));
    llvm::SmallPtrSet<const llvm::BasicBlock*, 8> between;
    while (!pending.empty()) {
      const llvm::BasicBlock* next = pending.pop_back_val();
      if (next == sequel || !between.insert(next).second) continue;
      // Without going round the loop, and past others only if they end.
      const bool is_in_other = loops_.getLoopFor(next) != loop;
      if (next == &block || (is_in_other && !progresses_) || between.size() > kMostBlocksBetween) {
        return nullptr;
      }
      for (const llvm::Instruction& instruction : *next) {
        if (barriers_.IsBarrier(instruction) || (is_in_other && IsObservable(instruction))) {
          return nullptr;
        }
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

  // First those of one line, then what lies beside each other then.
  void MergeGroup(llvm::SmallVectorImpl<Member>& group) {
    MergeRuns(group, [this](const Member& one, const Member& other, int64_t end) {
      return OnSameLine(*checks_[one.check].access, *checks_[other.check].access);
    });
    llvm::erase_if(group, [this](const Member& member) { return merged_.contains(member.check); });
    if (!KeepsItsLines(checks_[group.front().check])) return;
    const uint64_t longest = LongestRow(checks_[group.front().check].bytes.base);
    MergeRuns(group, [&](const Member& lowest, const Member& other, int64_t end) {
      return static_cast<uint64_t>(std::max(end, EndOf(other)) - OffsetOf(lowest)) <= longest;
    });
  }

  // Merges runs of neighbours; belongs(lowest, next, end) says whether `next` goes into the run that
  // begins with `lowest` and now ends at `end`.
  template <class Belongs>
  void MergeRuns(llvm::MutableArrayRef<Member> group, Belongs belongs) {
    llvm::sort(group, [this](const Member& one, const Member& other) {
      return std::pair(OffsetOf(one), one.order) < std::pair(OffsetOf(other), other.order);
    });
    for (unsigned begin = 0; begin < group.size(); ++begin) {
      const Member& lowest = group[begin];
      if (merged_.contains(lowest.check)) continue;
      llvm::SmallVector<Member, 8> run = {lowest};
      int64_t end = EndOf(lowest);
      for (const Member& next : group.drop_front(begin + 1)) {
        if (OffsetOf(next) > end) break;
        if (merged_.contains(next.check) || !belongs(lowest, next, end)) continue;
        run.push_back(next);
        end = std::max(end, EndOf(next));
      }
      if (run.size() > 1) MergeRun(run, end);
    }
  }

  // Can a report distinguish accesses of several lines?
  bool KeepsItsLines(const Check& check) const {
    return check.access->getFunction()->getSubprogram() != nullptr;
  }

  // How long a row may be that has parts. In a loop that moves on by less, each of them is better
  // off on its own, as a range without gaps; so it may be with a variable of which only the loop
  // knows how far it moves.
  uint64_t LongestRow(const llvm::SCEV* base) const {
    uint64_t longest = kLongestWithParts;
    llvm::SCEVExprContains(base, [&](const llvm::SCEV* part) {
      if (const auto* walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part)) {
        const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(walk->getOperand(1));
        if (step != nullptr) longest = std::min(longest, step->getAPInt().abs().getZExtValue());
      } else if (const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part)) {
        if (llvm::isa<llvm::PHINode>(unknown->getValue())) longest = 0;
      }
      return false;
    });
    return longest;
  }

  int64_t OffsetOf(const Member& member) const { return checks_[member.check].bytes.offset; }

  int64_t EndOf(const Member& member) const {
    return OffsetOf(member) + static_cast<int64_t>(checks_[member.check].bytes.KnownSize());
  }

  // `run` is sorted by address; the check that the program comes to first stands for all.
  void MergeRun(llvm::ArrayRef<Member> run, int64_t end) {
    const unsigned first = llvm::min_element(run, [](const Member& one, const Member& other) {
                             return one.order < other.order;
                           })->check;
    if (llvm::any_of(run, [&](const Member& member) {
          return !checks_[member.check].parts.empty() ||
                 !OnSameLine(*checks_[member.check].access, *checks_[first].access);
        })) {
      checks_[first].parts = PartsOf(run);
    }
    Footprint& bytes = checks_[first].bytes;
    bytes.has_parts = !checks_[first].parts.empty();
    bytes.offset = OffsetOf(run.front());
    bytes.least = static_cast<uint64_t>(end - bytes.offset);
    bytes.size = evolution_.getConstant(bytes.size->getType(), bytes.least);
    for (const Member& member : run) {
      if (member.check != first) merged_.insert(member.check);
    }
    Counters::kMerged += run.size() - 1;
  }

  llvm::SmallVector<Part, 0> PartsOf(llvm::ArrayRef<Member> run) const {
    llvm::SmallVector<Part, 0> parts;
    for (const Member& member : run) {
      const Check& check = checks_[member.check];
      const int64_t offset = check.bytes.offset - OffsetOf(run.front());
      for (const Part& part : check.parts) {
        parts.push_back({offset + part.offset, part.size, part.access});
      }
      if (check.parts.empty()) parts.push_back({offset, check.bytes.KnownSize(), check.access});
    }
    return parts;
  }

  Checks& checks_;
  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& post_dominators_;
  const Barriers& barriers_;
  const bool progresses_;
  llvm::DenseMap<const llvm::Instruction*, llvm::SmallVector<unsigned, 1>> checks_at_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> done_;
  // Since the last barrier: by base, whether they are writes, and the step of iterations.
  using Key = std::pair<llvm::PointerIntPair<const llvm::SCEV*, 1, bool>, const llvm::SCEV*>;
  llvm::DenseMap<Key, llvm::SmallVector<Member, 4>> groups_;
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
