#include "compiler/check_flow.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>

#include <algorithm>

#include "compiler/parallel_loops.h"

namespace taskrace {

namespace {

// Beyond this (bits of all sets) only single blocks are looked at.
constexpr size_t kMostBits = size_t{1} << 28;
// Facts about one base; further ones are not remembered. Keeps the initialisation of a large table,
// store by store, from taking quadratic time.
constexpr size_t kMostOfOneBase = 256;

bool SameBytes(const Check& one, const Check& other) {
  return one.bytes == other.bytes && one.guards == other.guards;
}

int64_t End(const Check& check) {
  return check.bytes.offset + static_cast<int64_t>(check.bytes.KnownSize());
}

// Is everything that `inner` touches touched by `outer`?
bool Contains(const Check& outer, const Check& inner) {
  if (!outer.IsSimple() || !inner.IsSimple()) return SameBytes(outer, inner);
  return outer.bytes.base == inner.bytes.base && outer.bytes.offset <= inner.bytes.offset &&
         End(inner) <= End(outer);
}

}  // namespace

CheckFlow::CheckFlow(const Checks& checks, llvm::Function& function,
                     llvm::FunctionAnalysisManager& analyses, const Barriers& barriers)
    : checks_(checks),
      evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
      loops_(analyses.getResult<llvm::LoopAnalysis>(function)) {
  llvm::append_range(order_, llvm::ReversePostOrderTraversal<llvm::Function*>(&function));
  CollectFacts();
  CollectEvents(barriers);
  // Without reducible loops, «varies in the loop» would say too little.
  across_blocks_ = order_.size() * facts_.size() <= kMostBits &&
                   !llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order_, loops_);
  progresses_ = Progresses(function);
  FindAvailable();
  FindAnticipated();
}

void CheckFlow::CollectFacts() {
  for (const Check& check : checks_) AddFact(check);
  // Of a pointer that is another one on each way, the facts about those; and so on.
  for (size_t index = 0; index < facts_.size(); ++index) {
    const Fact fact = facts_[index];
    const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(fact.check->bytes.base);
    const auto* merge = base ? llvm::dyn_cast<llvm::PHINode>(base->getValue()) : nullptr;
    if (merge == nullptr || !fact.write || !fact.check->IsSimple()) continue;
    facts_of_merges_[merge->getParent()].push_back({static_cast<unsigned>(index), merge});
    for (llvm::Value* value : merge->incoming_values()) {
      Check same = *fact.check;
      same.bytes = Translated(same.bytes, *value);
      if (same.bytes.base != base && derived_.size() < checks_.size()) {
        AddFact(derived_.emplace_back(same));
      }
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

void CheckFlow::AddFact(const Check& check) {
  llvm::SmallVectorImpl<unsigned>& same_base = facts_of_[check.bytes.base];
  if (same_base.size() < kMostOfOneBase && llvm::none_of(same_base, [&](unsigned fact) {
        return facts_[fact].write == check.IsWrite() && SameBytes(*facts_[fact].check, check);
      })) {
    same_base.push_back(facts_.size());
    facts_.push_back({&check, check.IsWrite()});
  }
}

// The loops in which the check is about other bytes in every iteration, even if it stands after
// one of them and is about those of the last iteration.
llvm::SmallPtrSet<const llvm::Loop*, 4> CheckFlow::LoopsThatChange(const Check& check) const {
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

void CheckFlow::CollectEvents(const Barriers& barriers) {
  llvm::DenseMap<const llvm::Instruction*, llvm::SmallVector<unsigned, 1>> checks_at;
  for (auto [index, check] : llvm::enumerate(checks_)) checks_at[check.position].push_back(index);
  for (const llvm::BasicBlock* block : order_) {
    llvm::SmallVectorImpl<unsigned>& events = events_[block];
    if (EndsIterations(*block, loops_)) events.push_back(kBarrier);
    for (const llvm::Instruction& instruction : *block) {
      if (auto found = checks_at.find(&instruction); found != checks_at.end()) {
        events.append(found->second);
      }
      if (barriers.IsBarrier(instruction)) {
        events.push_back(kBarrier);
      } else if (IsObservable(instruction)) {
        events.push_back(kObservable);
      }
    }
  }
}

bool CheckFlow::IsCovered(const Check& check, const Facts& known) const {
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

void CheckFlow::ForgetVarying(const llvm::BasicBlock* block, Facts& known) const {
  const llvm::Loop* loop = loops_.getLoopFor(block);
  if (loop == nullptr || loop->getHeader() != block) return;
  if (auto found = varying_.find(loop); found != varying_.end()) known.reset(found->second);
}

// The same bytes of another pointer.
Footprint CheckFlow::Translated(const Footprint& bytes, llvm::Value& pointer) const {
  Footprint translated = bytes;
  translated.SetFirst(
      evolution_.getAddExpr(evolution_.getSCEV(&pointer),
                            evolution_.getConstant(bytes.size->getType(), bytes.offset, true)),
      evolution_);
  return translated;
}

bool CheckFlow::Update(Facts& known, Facts now) {
  if (now == known && !known.empty()) return false;
  known = std::move(now);
  return true;
}

CheckFlow::Facts CheckFlow::AvailableAtBegin(const llvm::BasicBlock* block) const {
  Facts known(facts_.size(), across_blocks_ && block != order_.front());
  if (!across_blocks_) return known;
  for (const llvm::BasicBlock* before : llvm::predecessors(block)) {
    // One that is missing has not been looked at, or cannot be reached: it says nothing.
    if (auto found = available_.find(before); found != available_.end()) known &= found->second;
  }
  ForgetVarying(block, known);
  return known;
}

void CheckFlow::FindAvailable() {
  for (bool changed = across_blocks_; changed;) {
    changed = false;
    for (const llvm::BasicBlock* block : order_) {
      Facts known = AvailableAtBegin(block);
      Forward(block, known, [](unsigned, bool) {});
      changed |= Update(available_[block], std::move(known));
    }
  }
}

bool CheckFlow::IsCoveredWhicheverWay(const Check& check, const Facts& known) const {
  const auto* merge = llvm::dyn_cast_or_null<llvm::PHINode>(check.pointer);
  if (merge == nullptr || merge->getParent() != check.position->getParent()) return false;
  // What varies in a loop had another name before it came back.
  Facts also_before = known;
  ForgetVarying(merge->getParent(), also_before);
  for (const auto& [value, before] : llvm::zip(merge->incoming_values(), merge->blocks())) {
    const auto found = available_.find(before);
    if (found == available_.end()) return false;
    Facts on_this_way = also_before;
    on_this_way |= found->second;
    Check translated = check;
    translated.bytes.offset -= check.pointer_offset;
    translated.bytes = Translated(translated.bytes, *value);
    if (!IsCovered(translated, on_this_way)) return false;
  }
  return true;
}

CheckFlow::Facts CheckFlow::AnticipatedAtEnd(const llvm::BasicBlock* block,
                                             const FactsOfBlocks& at_begin,
                                             const llvm::Loop* loop) const {
  Facts known(facts_.size(), LooksAhead() && !llvm::succ_empty(block));
  if (!LooksAhead()) return known;
  for (const llvm::BasicBlock* after : llvm::successors(block)) {
    if (loop != nullptr && !loop->contains(after)) continue;
    if (auto found = at_begin.find(after); found != at_begin.end()) {
      known &= OnTheWay(block, after, found->second);
    }
  }
  return known;
}

void CheckFlow::FindAnticipated() {
  for (bool changed = LooksAhead(); changed;) {
    changed = false;
    for (const llvm::BasicBlock* block : llvm::reverse(order_)) {
      Facts known = AnticipatedAtEnd(block);
      Backward(block, known, [](unsigned) {});
      changed |= Update(anticipated_[block], std::move(known));
    }
  }
}

// What `known` at the beginning of `after` says at the end of `before`: of a pointer that is another
// one on each way to `after`, it is about the one on this way.
CheckFlow::Facts CheckFlow::OnTheWay(const llvm::BasicBlock* before, const llvm::BasicBlock* after,
                                     const Facts& known) const {
  Facts there = known;
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

// Of a pointer that is another one on each way to the block: is it, on each way, the same as one
// through which the same bytes will be written?
bool CheckFlow::WillBeCoveredWhicheverWay(const Check& check, const Facts& known) const {
  auto* merge = llvm::dyn_cast_or_null<llvm::PHINode>(check.pointer);
  if (merge == nullptr || merge->getParent() != check.position->getParent() || !check.IsSimple() ||
      known.none()) {
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

}  // namespace taskrace
