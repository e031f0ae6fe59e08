#include "compiler/redundant_checks.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>

#include "compiler/statistics.h"

namespace taskrace {

namespace {

// Beyond this (bits of all sets) only single blocks are looked at.
constexpr size_t kMostBits = size_t{1} << 28;
// Facts about one base; further ones are not remembered. Keeps the initialisation of a large table,
// store by store, from taking quadratic time.
constexpr size_t kMostOfOneBase = 256;

// A fact is «these bytes have been (or will be) checked for this kind of access»: one for each
// different check.
class RedundantChecks {
 public:
  RedundantChecks(Checks& checks, llvm::Function& function, llvm::ScalarEvolution& evolution,
                  const llvm::LoopInfo& loops, const Barriers& barriers)
      : checks_(checks), evolution_(evolution), loops_(loops), barriers_(barriers) {
    llvm::append_range(order_, llvm::ReversePostOrderTraversal<llvm::Function*>(&function));
    CollectFacts();
    CollectEvents();
    // Without reducible loops, «varies in the loop» would say too little.
    across_blocks_ = order_.size() * facts_.size() <= kMostBits &&
                     !llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order_, loops_);
    progresses_ = function.hasFnAttribute(llvm::Attribute::MustProgress) ||
                  function.hasFnAttribute(llvm::Attribute::WillReturn);
  }

  void Drop() {
    redundant_.resize(checks_.size());
    FindAvailable();
    FindAnticipated();
    Counters::kRedundant += redundant_.count();
    unsigned index = 0;
    llvm::erase_if(checks_, [&](const Check&) { return redundant_.test(index++); });
  }

 private:
  struct Fact {
    const Check* check;
    bool write;
  };
  // What happens in a block: the index of a check, or one of these.
  static constexpr unsigned kBarrier = ~0u, kObservable = ~0u - 1;

  static bool SameBytes(const Check& one, const Check& other) {
    return one.bytes == other.bytes && one.guards == other.guards;
  }
  // Is everything that `inner` touches touched by `outer`?
  static bool Contains(const Check& outer, const Check& inner) {
    if (!outer.IsSimple() || !inner.IsSimple()) return SameBytes(outer, inner);
    return outer.bytes.base == inner.bytes.base && outer.bytes.offset <= inner.bytes.offset &&
           End(inner) <= End(outer);
  }
  static int64_t End(const Check& check) {
    return check.bytes.offset + static_cast<int64_t>(check.bytes.KnownSize());
  }

  void CollectFacts() {
    for (const Check& check : checks_) {
      llvm::SmallVectorImpl<unsigned>& same_base = facts_of_[check.bytes.base];
      if (same_base.size() < kMostOfOneBase && llvm::none_of(same_base, [&](unsigned fact) {
            return facts_[fact].write == check.IsWrite() && SameBytes(*facts_[fact].check, check);
          })) {
        same_base.push_back(facts_.size());
        facts_.push_back({&check, check.IsWrite()});
      }
    }
    for (auto [index, fact] : llvm::enumerate(facts_)) {
      const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(fact.check->bytes.base);
      const auto* merge = base ? llvm::dyn_cast<llvm::PHINode>(base->getValue()) : nullptr;
      if (merge != nullptr && fact.write && fact.check->IsSimple()) {
        facts_of_merges_[merge->getParent()].push_back({static_cast<unsigned>(index), merge});
      }
    }
    implied_.resize(checks_.size());
    for (auto [index, check] : llvm::enumerate(checks_)) {
      for (unsigned fact : facts_of_[check.bytes.base]) {
        if ((check.IsWrite() || !facts_[fact].write) && Contains(check, *facts_[fact].check)) {
          implied_[index].push_back(fact);
        }
      }
    }
    for (auto [index, fact] : llvm::enumerate(facts_)) {
      for (const llvm::Loop* loop : LoopsThatChange(*fact.check)) {
        llvm::BitVector& varying = varying_[loop];
        varying.resize(facts_.size());
        varying.set(index);
      }
    }
  }

  // The loops in which the check is about other bytes in every iteration, even if it stands after
  // one of them and is about those of the last iteration.
  llvm::SmallPtrSet<const llvm::Loop*, 4> LoopsThatChange(const Check& check) const {
    llvm::SmallPtrSet<const llvm::Loop*, 4> loops;
    auto add = [&](const llvm::Loop* loop) {
      while (loop != nullptr && loops.insert(loop).second) loop = loop->getParentLoop();
    };
    auto add_loop_of = [&](const llvm::Value* value) {
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
        add(loops_.getLoopFor(instruction->getParent()));
      }
    };
    for (const llvm::SCEV* expression :
         {check.bytes.base, check.bytes.size, check.bytes.rows, check.bytes.distance}) {
      if (expression == nullptr) continue;
      llvm::SCEVExprContains(expression, [&](const llvm::SCEV* part) {
        if (const auto* walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part)) add(walk->getLoop());
        if (const auto* value = llvm::dyn_cast<llvm::SCEVUnknown>(part)) {
          add_loop_of(value->getValue());
        }
        return false;
      });
    }
    for (const Guard& guard : check.guards) add_loop_of(guard.condition);
    return loops;
  }

  void CollectEvents() {
    llvm::DenseMap<const llvm::Instruction*, llvm::SmallVector<unsigned, 1>> checks_at;
    for (auto [index, check] : llvm::enumerate(checks_)) checks_at[check.position].push_back(index);
    for (const llvm::BasicBlock* block : order_) {
      llvm::SmallVectorImpl<unsigned>& events = events_[block];
      for (const llvm::Instruction& instruction : *block) {
        if (auto found = checks_at.find(&instruction); found != checks_at.end()) {
          events.append(found->second);
        }
        if (barriers_.IsBarrier(instruction)) {
          events.push_back(kBarrier);
        } else if (IsObservable(instruction)) {
          events.push_back(kObservable);
        }
      }
    }
  }

  // Do the facts in `known` together say that all of the check's bytes are checked?
  bool IsCovered(const Check& check, const llvm::BitVector& known) const {
    llvm::SmallVector<std::pair<int64_t, int64_t>, 8> parts;
    const auto same_base = facts_of_.find(check.bytes.base);
    if (same_base == facts_of_.end()) return false;
    for (unsigned fact : same_base->second) {
      if (!known.test(fact) || (check.IsWrite() && !facts_[fact].write)) continue;
      const Check& other = *facts_[fact].check;
      if (Contains(other, check)) return true;
      if (other.IsSimple()) parts.push_back({other.bytes.offset, End(other)});
    }
    if (!check.IsSimple()) return false;
    llvm::sort(parts);
    int64_t covered = check.bytes.offset;
    for (auto [begin, end] : parts) {
      if (begin > covered) break;
      covered = std::max(covered, end);
    }
    return covered >= End(check);
  }

  void ForgetVarying(const llvm::BasicBlock* block, llvm::BitVector& known) const {
    const llvm::Loop* loop = loops_.getLoopFor(block);
    if (loop == nullptr || loop->getHeader() != block) return;
    if (auto found = varying_.find(loop); found != varying_.end()) known.reset(found->second);
  }

  void Set(unsigned check, llvm::BitVector& known) const {
    for (unsigned fact : implied_[check]) known.set(fact);
  }

  using Known = llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector>;

  // Facts at the end of the block, from those at its beginning.
  void Forward(const llvm::BasicBlock* block, llvm::BitVector& known) {
    ForgetVarying(block, known);
    for (unsigned event : events_[block]) {
      if (event == kBarrier) {
        known.reset();
      } else if (event != kObservable) {
        Set(event, known);
      }
    }
  }

  // Marks what is covered there, by `known` at its beginning and `at_end` of those before it.
  void MarkAvailable(const llvm::BasicBlock* block, llvm::BitVector& known, const Known& at_end) {
    ForgetVarying(block, known);
    bool after_barrier = false;
    for (unsigned event : events_[block]) {
      if (event == kBarrier) {
        known.reset();
        after_barrier = true;
      } else if (event != kObservable) {
        const Check& check = checks_[event];
        if (IsCovered(check, known) ||
            (!after_barrier && IsCoveredWhicheverWay(check, known, at_end))) {
          redundant_.set(event);
        }
        Set(event, known);
      }
    }
  }

  // Of a pointer that is another one on each way to the block: are the bytes of each covered?
  bool IsCoveredWhicheverWay(const Check& check, const llvm::BitVector& known,
                             const Known& at_end) const {
    const auto* merge = llvm::dyn_cast_or_null<llvm::PHINode>(check.pointer);
    if (merge == nullptr || merge->getParent() != check.position->getParent()) return false;
    for (const auto& [value, before] : llvm::zip(merge->incoming_values(), merge->blocks())) {
      const auto found = at_end.find(before);
      if (found == at_end.end()) return false;
      llvm::BitVector on_this_way = known;
      on_this_way |= found->second;
      Check translated = check;
      translated.bytes.offset -= check.pointer_offset;
      translated.bytes = Translated(translated.bytes, *value);
      if (!IsCovered(translated, on_this_way)) return false;
    }
    return true;
  }

  void FindAvailable() {
    Known at_end;
    auto at_begin = [&](const llvm::BasicBlock* block) {
      llvm::BitVector known(facts_.size(), across_blocks_ && block != order_.front());
      if (!across_blocks_) return known;
      for (const llvm::BasicBlock* before : llvm::predecessors(block)) {
        // One that is missing has not been looked at, or cannot be reached: it says nothing.
        if (auto found = at_end.find(before); found != at_end.end()) known &= found->second;
      }
      return known;
    };
    for (bool changed = across_blocks_; changed;) {
      changed = false;
      for (const llvm::BasicBlock* block : order_) {
        llvm::BitVector known = at_begin(block);
        Forward(block, known);
        llvm::BitVector& last = at_end[block];
        if (known == last && !last.empty()) continue;
        last = std::move(known);
        changed = true;
      }
    }
    for (const llvm::BasicBlock* block : order_) {
      llvm::BitVector known = at_begin(block);
      MarkAvailable(block, known, at_end);
    }
  }

  // Writes that are certain at the beginning of the block, from those at its end.
  void Backward(const llvm::BasicBlock* block, llvm::BitVector& known, bool mark) {
    for (unsigned event : llvm::reverse(events_[block])) {
      if (event == kBarrier || event == kObservable) {
        known.reset();
      } else if (checks_[event].IsWrite()) {
        Set(event, known);
      } else if (mark && (IsCovered(checks_[event], known) ||
                          WillBeCoveredWhicheverWay(checks_[event], known))) {
        redundant_.set(event);
      }
    }
  }

  // What `known` at the beginning of `after` says at the end of `before`: of a pointer that is another
  // one on each way to `after`, it is about the one on this way.
  llvm::BitVector OnTheWay(const llvm::BasicBlock* before, const llvm::BasicBlock* after,
                           const llvm::BitVector& known) const {
    llvm::BitVector there = known;
    ForgetVarying(after, there);
    const auto found = facts_of_merges_.find(after);
    if (found == facts_of_merges_.end()) return there;
    for (auto [fact, merge] : found->second) {
      if (!known.test(fact)) continue;
      const Footprint bytes =
          Translated(facts_[fact].check->bytes, *merge->getIncomingValueForBlock(before));
      const auto same_base = facts_of_.find(bytes.base);
      if (same_base == facts_of_.end()) continue;
      for (unsigned other : same_base->second) {
        const Check& check = *facts_[other].check;
        if (facts_[other].write && check.IsSimple() && check.bytes == bytes) there.set(other);
      }
    }
    return there;
  }

  // The same bytes of another pointer.
  Footprint Translated(const Footprint& bytes, llvm::Value& pointer) const {
    Footprint translated = bytes;
    translated.SetFirst(
        evolution_.getAddExpr(evolution_.getSCEV(&pointer),
                              evolution_.getConstant(bytes.size->getType(), bytes.offset, true)),
        evolution_);
    return translated;
  }

  // Of a pointer that is another one on each way to the block: is it, on each way, the same as one
  // through which the same bytes will be written?
  bool WillBeCoveredWhicheverWay(const Check& check, const llvm::BitVector& known) const {
    auto* merge = llvm::dyn_cast_or_null<llvm::PHINode>(check.pointer);
    if (merge == nullptr || merge->getParent() != check.position->getParent() ||
        !check.IsSimple() || known.none()) {
      return false;
    }
    return llvm::all_of(merge->blocks(), [&](const llvm::BasicBlock* before) {
      return llvm::any_of(merge->getParent()->phis(), [&](llvm::PHINode& other) {
        if (other.getIncomingValueForBlock(before) != merge->getIncomingValueForBlock(before)) {
          return false;
        }
        Check same = check;
        same.bytes.offset -= check.pointer_offset;
        same.bytes = Translated(same.bytes, other);
        return IsCovered(same, known);
      });
    });
  }

  void FindAnticipated() {
    const bool across_blocks = across_blocks_ && progresses_;
    llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> at_begin;
    auto at_end = [&](const llvm::BasicBlock* block) {
      llvm::BitVector known(facts_.size(), across_blocks && !llvm::succ_empty(block));
      if (!across_blocks) return known;
      for (const llvm::BasicBlock* after : llvm::successors(block)) {
        if (auto found = at_begin.find(after); found != at_begin.end()) {
          known &= OnTheWay(block, after, found->second);
        }
      }
      return known;
    };
    for (bool changed = across_blocks; changed;) {
      changed = false;
      for (const llvm::BasicBlock* block : llvm::reverse(order_)) {
        llvm::BitVector known = at_end(block);
        Backward(block, known, false);
        llvm::BitVector& last = at_begin[block];
        if (known == last && !last.empty()) continue;
        last = std::move(known);
        changed = true;
      }
    }
    for (const llvm::BasicBlock* block : order_) {
      llvm::BitVector known = at_end(block);
      Backward(block, known, true);
    }
  }

  Checks& checks_;
  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  const Barriers& barriers_;
  llvm::SmallVector<const llvm::BasicBlock*, 32>
      order_;  // blocks that can be reached, predecessors first
  bool across_blocks_ = false;
  bool progresses_ = false;

  std::vector<Fact> facts_;
  llvm::DenseMap<const llvm::SCEV*, llvm::SmallVector<unsigned, 2>> facts_of_;
  // By block: the writes through pointers that are merged there.
  llvm::DenseMap<const llvm::BasicBlock*,
                 llvm::SmallVector<std::pair<unsigned, const llvm::PHINode*>, 2>>
      facts_of_merges_;
  std::vector<llvm::SmallVector<unsigned, 2>> implied_;  // by check: the facts that it makes true
  llvm::DenseMap<const llvm::Loop*, llvm::BitVector> varying_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<unsigned, 4>> events_;
  llvm::BitVector redundant_;
};

}  // namespace

void DropRedundantChecks(Checks& checks, llvm::Function& function,
                         llvm::FunctionAnalysisManager& analyses, const Barriers& barriers) {
  if (checks.size() < 2) return;
  RedundantChecks(checks, function, analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                  analyses.getResult<llvm::LoopAnalysis>(function), barriers)
      .Drop();
}

}  // namespace taskrace
