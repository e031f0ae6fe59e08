#include "compiler/after_loops.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include "compiler/steady_variables.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Beyond this, the checks at the exits are too much code.
constexpr size_t kMostExits = 4;

// One check that is to wait for the end of one loop.
class Deferral {
 public:
  Deferral(const Check& check, llvm::Loop& loop, LoopFacts& facts)
      : check_(check),
        block_(check.position->getParent()),
        loop_(loop),
        inner_(*facts.loops().getLoopFor(block_)),
        facts_(facts),
        evolution_(facts.evolution()),
        size_(static_cast<int64_t>(check.bytes.KnownSize())) {}

  // One check an exit; none if it cannot wait.
  Checks Run() {
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop_.getUniqueExitBlocks(exits);
    if (exits.size() > kMostExits ||
        !facts_.dominators().dominates(block_, inner_.getLoopLatch())) {
      return {};
    }
    const std::optional<SteadyAddress> steady =
        FindSteadyAddress(check_.pointer, loop_, facts_.loops(), evolution_.getDataLayout());
    if (!steady || facts_.loops().getLoopFor(steady->variable->getParent()) != &inner_) return {};
    steady_ = *steady;
    way_ = evolution_.getMinusSCEV(
        Widened(steady_.variable),
        evolution_.getAddExpr(Widened(steady_.entry), Number(steady_.entry_offset)));

    const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(check_.bytes.First(evolution_));
    if (walk != nullptr && walk->getLoop() == &loop_ && walk->isAffine() &&
        facts_.CanExpand(walk->getStart(), loop_)) {
      start_ = walk->getStart();
    }
    if (llvm::any_of(exits, [](llvm::BasicBlock* exit) { return exit->isEHPad(); })) return {};
    // In the innermost loop too, if it is another one: after its exits the variable continues.
    const bool always_reached = facts_.IsAlwaysReached(block_, inner_) && IsReachedBeforeExits();
    if (!(always_reached ? MovesInOneDirection() : IsCounted())) return {};
    Checks checks;
    for (llvm::BasicBlock* exit : exits) {
      checks.push_back(check_);
      checks.back().pointer = nullptr;
      checks.back().position = &*exit->getFirstInsertionPt();
      checks.back().bytes = always_reached ? UpToLastValue() : Counted(ChecksUntil(*exit));
    }
    return checks;
  }

 private:
  const llvm::SCEV* Number(int64_t value) const {
    return evolution_.getConstant(check_.bytes.size->getType(), value, true);
  }

  // The value itself, as it is after the loop, and not how the loop computes it.
  const llvm::SCEV* Widened(llvm::Value* value) const {
    llvm::Type* word = check_.bytes.size->getType();
    const llvm::SCEV* itself =
        isa<llvm::Instruction>(value) ? evolution_.getUnknown(value) : evolution_.getSCEV(value);
    if (value->getType()->isPointerTy()) return evolution_.getPtrToIntExpr(itself, word);
    return steady_.widening == SteadyAddress::Widening::kSigned
               ? evolution_.getNoopOrSignExtend(itself, word)
               : evolution_.getNoopOrZeroExtend(itself, word);
  }

  int64_t LeastStep() const {
    return std::min(steady_.least_step * steady_.scale, steady_.most_step * steady_.scale);
  }
  int64_t MostStep() const {
    return std::max(steady_.least_step * steady_.scale, steady_.most_step * steady_.scale);
  }

  // In steps that leave no gaps, or in equal ones?
  bool MovesInOneDirection() const {
    return MovesUpWithoutGaps() || MovesDownWithoutGaps() ||
           (LeastStep() == MostStep() && LeastStep() != 0);
  }
  bool MovesUpWithoutGaps() const {
    return LeastStep() >= 0 && MostStep() <= size_ && !check_.bytes.has_parts;
  }
  bool MovesDownWithoutGaps() const {
    return LeastStep() >= -size_ && MostStep() <= 0 && !check_.bytes.has_parts;
  }

  // If every value of the variable is checked.
  Footprint UpToLastValue() const {
    const llvm::SCEV* length = evolution_.getMulExpr(way_, Number(steady_.scale));
    const llvm::SCEV* last = evolution_.getAddExpr(
        evolution_.getUnknown(check_.pointer), Number(check_.bytes.offset - check_.pointer_offset));
    const llvm::SCEV* first = start_ != nullptr ? start_ : evolution_.getMinusSCEV(last, length);
    Footprint touched = check_.bytes;
    if (MovesUpWithoutGaps()) {
      touched.SetFirst(first, evolution_);
      touched.size = evolution_.getAddExpr(length, touched.size);
    } else if (MovesDownWithoutGaps()) {
      touched.SetFirst(last, evolution_);
      touched.size = evolution_.getMinusSCEV(touched.size, length);
    } else {
      touched.SetFirst(first, evolution_);
      touched.rows = evolution_.getAddExpr(Turns(), Number(1));
      touched.distance = Number(LeastStep());
    }
    return touched;
  }

  // Is every value but perhaps the last checked, and each a constant step after the one before? The
  // address of an iteration that has not come to it need not be at hand, so that of the first is.
  bool IsCounted() const {
    if (&loop_ != &inner_ || steady_.variable->getParent() != loop_.getHeader() ||
        start_ == nullptr || steady_.least_step != steady_.most_step || steady_.least_step == 0) {
      return false;
    }
    return llvm::all_of(ExitingBlocks(), [this](llvm::BasicBlock* from) {
      return IsAfterCheck(from) || facts_.dominators().properlyDominates(from, block_);
    });
  }

  llvm::SmallVector<llvm::BasicBlock*, 4> ExitingBlocks() const {
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop_.getExitingBlocks(exiting);
    return exiting;
  }
  bool IsAfterCheck(const llvm::BasicBlock* from) const {
    return facts_.dominators().dominates(block_, from);
  }
  bool IsReachedBeforeExits() const {
    return llvm::all_of(ExitingBlocks(),
                        [this](llvm::BasicBlock* from) { return IsAfterCheck(from); });
  }

  // How many checks there have been when the loop is left here.
  const llvm::SCEV* ChecksUntil(llvm::BasicBlock& exit) const {
    llvm::Type* word = check_.bytes.size->getType();
    auto* in_last = llvm::PHINode::Create(word, 2, "taskrace.last", exit.begin());
    for (llvm::BasicBlock* from : llvm::predecessors(&exit)) {
      in_last->addIncoming(llvm::ConstantInt::get(word, IsAfterCheck(from)), from);
    }
    llvm::Value* constant = in_last->hasConstantValue();
    const llvm::SCEV* last =
        constant != nullptr ? evolution_.getSCEV(constant) : evolution_.getUnknown(in_last);
    if (constant != nullptr) in_last->eraseFromParent();
    return evolution_.getAddExpr(Turns(), last);
  }

  Footprint Counted(const llvm::SCEV* count) const {
    const int64_t step = LeastStep();
    Footprint touched = check_.bytes;
    touched.least = 0;
    touched.SetFirst(start_, evolution_);
    if (std::abs(step) > size_ || check_.bytes.has_parts) {
      touched.rows = count;
      touched.distance = Number(step);
      return touched;
    }
    const llvm::SCEV* length = evolution_.getMulExpr(count, Number(std::abs(step)));
    // The last one is longer than a step, if there is one.
    touched.size = evolution_.getAddExpr(
        length, evolution_.getMulExpr(evolution_.getUMinExpr(count, Number(1)),
                                      Number(size_ - std::abs(step))));
    if (step < 0) {
      touched.SetFirst(
          evolution_.getAddExpr(start_, evolution_.getMinusSCEV(Number(-step), length)),
          evolution_);
    }
    return touched;
  }

  // How many steps, which are all the same, lead from the first value to the last.
  const llvm::SCEV* Turns() const {
    const bool up = steady_.least_step > 0;
    return evolution_.getUDivExactExpr(up ? way_ : evolution_.getNegativeSCEV(way_),
                                       Number(std::abs(steady_.least_step)));
  }

  const Check& check_;
  llvm::BasicBlock* block_;
  llvm::Loop& loop_;
  llvm::Loop& inner_;  // the innermost one
  LoopFacts& facts_;
  llvm::ScalarEvolution& evolution_;
  int64_t size_;
  SteadyAddress steady_;
  const llvm::SCEV* start_ = nullptr;  // its first address, if that is known on entry
  const llvm::SCEV* way_ = nullptr;    // from the variable's first value to the last
};

}  // namespace

DeferredChecks DeferUntilAfterLoops(const Check& check, LoopFacts& facts) {
  DeferredChecks deferred;
  if (check.pointer == nullptr || !check.IsSimple()) return deferred;
  for (llvm::Loop* loop = facts.loops().getLoopFor(check.position->getParent());
       loop != nullptr && facts.ShapeOf(*loop).closed.kind == Obstacle::Kind::kNone &&
       facts.Ends(*loop);
       loop = loop->getParentLoop()) {
    Checks checks = Deferral(check, *loop, facts).Run();
    if (!checks.empty()) deferred = {std::move(checks), loop};
  }
  return deferred;
}

}  // namespace taskrace
