#include "compiler/loop_ranges.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <optional>

#include "compiler/remarks.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

class LoopRanges {
 public:
  LoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
             const Barriers& barriers)
      : evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        post_dominators_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        barriers_(barriers),
        expander_(evolution_, function.getParent()->getDataLayout(), "taskrace"),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)),
        progresses_(function.hasFnAttribute(llvm::Attribute::MustProgress) ||
                    function.hasFnAttribute(llvm::Attribute::WillReturn)) {}

  // Moves each check before the outermost loop that it can leave. One may become two.
  void Move(Checks& checks) {
    for (size_t index = 0; index < checks.size(); ++index) {
      Move(checks[index]);
      llvm::append_range(checks, rest_);
      rest_.clear();
    }
  }

 private:
  void Move(Check& check) {
    const llvm::Loop* left = nullptr;
    llvm::Loop* loop = loops_.getLoopFor(check.position->getParent());
    for (; loop != nullptr; loop = loop->getParentLoop()) {
      if (const Obstacle obstacle = Leave(check, *loop); obstacle.kind != Obstacle::Kind::kNone) {
        remarks_.Stays(check, *loop, left, obstacle);
        break;
      }
      left = loop;
    }
    if (left == nullptr) return;
    remarks_.Left(check, *left);
    ++Counters::kLoopRanges;
  }

  // What is known of a loop, whatever check is asked about.
  struct Shape {
    Obstacle closed;          // nothing can leave it
    Obstacle uncounted;       // only what is invariant can leave it
    const llvm::SCEV* turns;  // how often it goes back, as a size
  };

  const Shape& ShapeOf(llvm::Loop& loop) {
    auto [found, inserted] = shapes_.try_emplace(&loop);
    if (inserted) found->second = ComputeShape(loop);
    return found->second;
  }

  Shape ComputeShape(llvm::Loop& loop) {
    using Kind = Obstacle::Kind;
    if (!loop.isLoopSimplifyForm()) return {{Kind::kUnusualLoop}, {}, nullptr};
    if (const llvm::Instruction* barrier = barriers_.FirstIn(loop)) {
      return {{Kind::kBarrier, barrier}, {}, nullptr};
    }
    if (!llvm::all_of(loop.getSubLoops(), [this](llvm::Loop* inner) { return Ends(*inner); })) {
      return {{Kind::kEndless}, {}, nullptr};
    }
    if (loop.getExitingBlock() == nullptr || loop.getExitingBlock() != loop.getLoopLatch()) {
      return {{}, {Kind::kEarlyExit}, nullptr};
    }
    const llvm::SCEV* turns = evolution_.getBackedgeTakenCount(&loop);
    llvm::Type* word = evolution_.getDataLayout().getIntPtrType(loop.getHeader()->getContext());
    if (isa<llvm::SCEVCouldNotCompute>(turns) ||
        evolution_.getTypeSizeInBits(turns->getType()) > evolution_.getTypeSizeInBits(word)) {
      return {{}, {Kind::kUnknownCount}, nullptr};
    }
    turns = evolution_.getNoopOrZeroExtend(turns, word);
    if (!CanExpand(turns, loop)) return {{}, {Kind::kUnknownCount}, nullptr};
    return {{}, {}, turns};
  }

  // Does the loop come to an end? One that does nothing observable must, in C++.
  bool Ends(llvm::Loop& loop) {
    if (!isa<llvm::SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(&loop))) return true;
    if (!progresses_ && !llvm::hasMustProgress(&loop)) return false;
    for (llvm::BasicBlock* block : loop.blocks()) {
      if (llvm::any_of(*block, IsObservable)) return false;
    }
    return llvm::all_of(loop.getSubLoops(), [this](llvm::Loop* inner) { return Ends(*inner); });
  }

  // Can it be computed before the loop? Values of loops that are over by then are not at hand.
  bool CanExpand(const llvm::SCEV* expression, const llvm::Loop& loop) {
    llvm::BasicBlock* before = loop.getLoopPreheader();
    const bool elsewhere = llvm::SCEVExprContains(expression, [&](const llvm::SCEV* part) {
      const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(part);
      return walk != nullptr && !walk->getLoop()->contains(before);
    });
    return !elsewhere && expander_.isSafeToExpandAt(expression, before->getTerminator());
  }

  // Does every iteration come to `block`, even one in which the loop is left?
  bool IsAlwaysReached(const llvm::BasicBlock* block, const llvm::Loop& loop) const {
    llvm::SmallVector<llvm::BasicBlock*, 4> ends;
    loop.getExitingBlocks(ends);
    ends.push_back(loop.getLoopLatch());
    return llvm::all_of(ends,
                        [&](llvm::BasicBlock* end) { return dominators_.dominates(block, end); });
  }

  // When an iteration comes to a block.
  struct Reached {
    llvm::SmallVector<Guard, 1> guards;  // if these hold, which are the same in every iteration
    const llvm::SCEV* except = nullptr;  // but not in the iteration of this number, if any
  };

  // The number of the one iteration in which the condition is not `wanted`, or null: there the
  // variable of the loop, which counts up or down by one, is equal to something that stays the same.
  const llvm::SCEV* IterationWithout(const llvm::Value* condition, bool wanted, llvm::Loop& loop) {
    const auto* comparison = dyn_cast<llvm::ICmpInst>(condition);
    const llvm::SCEV* turns = ShapeOf(loop).turns;
    if (comparison == nullptr || turns == nullptr || !comparison->isEquality() ||
        (comparison->getPredicate() == llvm::ICmpInst::ICMP_NE) != wanted ||
        !comparison->getOperand(0)->getType()->isIntegerTy()) {
      return nullptr;
    }
    const llvm::SCEV* one = evolution_.getSCEV(comparison->getOperand(0));
    const llvm::SCEV* other = evolution_.getSCEV(comparison->getOperand(1));
    if (evolution_.isLoopInvariant(one, &loop)) std::swap(one, other);
    const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(one);
    if (walk == nullptr || walk->getLoop() != &loop || !walk->isAffine() ||
        !evolution_.isLoopInvariant(other, &loop)) {
      return nullptr;
    }
    // No value comes twice, if there are no more iterations than values.
    llvm::Type* word = turns->getType();
    const uint64_t bits = evolution_.getTypeSizeInBits(walk->getType());
    if (bits > evolution_.getTypeSizeInBits(word) ||
        evolution_.getTypeSizeInBits(evolution_.getBackedgeTakenCount(&loop)->getType()) > bits) {
      return nullptr;
    }
    const llvm::SCEV* step = walk->getStepRecurrence(evolution_);
    const llvm::SCEV* number = nullptr;
    if (step->isOne()) {
      number = evolution_.getMinusSCEV(other, walk->getStart());
    } else if (step->isAllOnesValue()) {
      number = evolution_.getMinusSCEV(walk->getStart(), other);
    } else {
      return nullptr;
    }
    return evolution_.getNoopOrZeroExtend(number, word);
  }

  std::optional<Reached> WhenReached(const llvm::BasicBlock* block, llvm::Loop& loop) {
    Reached reached;
    while (!IsAlwaysReached(block, loop)) {
      const auto* node = dominators_.getNode(block)->getIDom();
      const llvm::BasicBlock* before = node != nullptr ? node->getBlock() : nullptr;
      if (before == nullptr || !loop.contains(before)) return std::nullopt;
      if (post_dominators_.dominates(block, before)) {
        // Whoever comes there comes here: at once if the end of the loop is its only exit, else
        // some day.
        if (ShapeOf(loop).turns == nullptr && !Ends(loop)) return std::nullopt;
        block = before;
        continue;
      }
      const auto* branch = dyn_cast<llvm::BranchInst>(before->getTerminator());
      if (branch == nullptr || block->getSinglePredecessor() != before) return std::nullopt;
      // Conditional: else it would have been followed above.
      const bool wanted = branch->getSuccessor(0) == block;
      if (loop.isLoopInvariant(branch->getCondition())) {
        reached.guards.push_back({branch->getCondition(), wanted});
      } else if (reached.except == nullptr) {
        reached.except = IterationWithout(branch->getCondition(), wanted, loop);
        if (reached.except == nullptr) return std::nullopt;
      } else {
        return std::nullopt;
      }
      block = before;
    }
    return reached;
  }

  // Moves the check before `loop`, which it is in, or says what is in the way.
  Obstacle Leave(Check& check, llvm::Loop& loop) {
    using Kind = Obstacle::Kind;
    const Shape shape = ShapeOf(loop);
    if (shape.closed.kind != Kind::kNone) return shape.closed;
    for (const Guard& guard : check.guards) {
      if (!loop.isLoopInvariant(guard.condition)) return {Kind::kConditional};
    }
    const llvm::SCEV* first = check.bytes.First(evolution_);
    const bool same_shape = llvm::all_of(
        llvm::ArrayRef{check.bytes.size, check.bytes.rows, check.bytes.distance},
        [&](const llvm::SCEV* expression) {
          return expression == nullptr || evolution_.isLoopInvariant(expression, &loop);
        });
    const bool invariant = same_shape && evolution_.isLoopInvariant(first, &loop);
    if (!invariant && shape.uncounted.kind != Kind::kNone) return shape.uncounted;
    const std::optional<Reached> reached = WhenReached(check.position->getParent(), loop);
    if (!reached) return {Kind::kConditional};
    llvm::SmallVector<Footprint, 2> all = {check.bytes};
    if (invariant && reached->except != nullptr) {
      all.front() = UnlessOnlyIteration(reached->except, check.bytes, shape.turns);
    } else if (!invariant) {
      if (!same_shape) return {Kind::kChangingSize};
      const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(first);
      if (walk == nullptr || walk->getLoop() != &loop || !walk->isAffine()) {
        return {Kind::kNotAffine};
      }
      if (reached->except != nullptr) {
        all = InAllIterationsBut(reached->except, check.bytes, *walk, shape.turns);
      } else {
        all = InAllIterations(check.bytes, *walk, shape.turns);
      }
      if (all.empty()) return {Kind::kNoRows};
    }
    for (const Footprint& part : all) {
      for (const llvm::SCEV* expression :
           {part.First(evolution_), part.size, part.rows, part.distance}) {
        if (expression != nullptr && !CanExpand(expression, loop)) return {Kind::kNotAffine};
      }
    }
    check.bytes = all.front();
    check.guards.append(reached->guards);
    check.position = loop.getLoopPreheader()->getTerminator();
    check.pointer = nullptr;
    if (all.size() > 1) {
      rest_.push_back(check);
      rest_.back().bytes = all.back();
    }
    return {};
  }

  // Is `step`, up or down, at most the length of a row, so that no gap is left?
  bool IsWithoutGaps(const Footprint& bytes, const llvm::SCEV* step) {
    if (step == bytes.size || evolution_.getNegativeSCEV(step) == bytes.size) return true;
    const auto* constant = dyn_cast<llvm::SCEVConstant>(step);
    return constant != nullptr && constant->getAPInt().abs().ule(bytes.least);
  }

  // What `bytes`, which begin at `walk`, are in all iterations together; empty: no footprint.
  llvm::SmallVector<Footprint, 2> InAllIterations(const Footprint& bytes,
                                                  const llvm::SCEVAddRecExpr& walk,
                                                  const llvm::SCEV* turns) {
    const llvm::SCEV* step = walk.getStepRecurrence(evolution_);
    const llvm::SCEV* length = evolution_.getMulExpr(turns, step);
    Footprint all = bytes;
    all.SetFirst(walk.getStart(), evolution_);
    if (IsWithoutGaps(bytes, step)) {
      const auto* constant = dyn_cast<llvm::SCEVConstant>(step);
      const bool down =
          constant != nullptr ? constant->getAPInt().isNegative() : step != bytes.size;
      if (down) {
        all.SetFirst(evolution_.getAddExpr(walk.getStart(), length), evolution_);
        length = evolution_.getNegativeSCEV(length);
      }
      all.size = evolution_.getAddExpr(length, bytes.size);
      return {all};
    }
    const llvm::SCEV* count = evolution_.getAddExpr(turns, evolution_.getOne(turns->getType()));
    if (bytes.rows == nullptr) {
      all.rows = count;
      all.distance = step;
      return {all};
    }
    if (step != evolution_.getMulExpr(bytes.rows, bytes.distance)) return {};
    all.rows = evolution_.getMulExpr(bytes.rows, count);
    return {all};
  }

  // The same bytes, or none if there is only one iteration, which is `except`.
  Footprint UnlessOnlyIteration(const llvm::SCEV* except, const Footprint& bytes,
                                const llvm::SCEV* turns) {
    const llvm::SCEV* one = evolution_.getOne(turns->getType());
    const llvm::SCEV* once = evolution_.getUMinExpr(
        evolution_.getAddExpr(turns, evolution_.getUMinExpr(except, one)), one);
    Footprint some = bytes;
    some.least = 0;
    const llvm::SCEV*& amount = bytes.rows != nullptr ? some.rows : some.size;
    amount = evolution_.getMulExpr(amount, once);
    return some;
  }

  // The same but for the iteration `except`: those before it and those after it. Either may be none.
  llvm::SmallVector<Footprint, 2> InAllIterationsBut(const llvm::SCEV* except,
                                                     const Footprint& bytes,
                                                     const llvm::SCEVAddRecExpr& walk,
                                                     const llvm::SCEV* turns) {
    if (bytes.rows != nullptr) return {};
    const llvm::SCEV* step = walk.getStepRecurrence(evolution_);
    const llvm::SCEV* one = evolution_.getOne(turns->getType());
    auto iterations = [&](const llvm::SCEV* from, const llvm::SCEV* count) {
      Footprint part = bytes;
      part.SetFirst(evolution_.getAddExpr(walk.getStart(), evolution_.getMulExpr(from, step)),
                    evolution_);
      part.least = 0;
      if (step == bytes.size) {
        part.size = evolution_.getMulExpr(count, step);
      } else {
        part.rows = count;
        part.distance = step;
      }
      return part;
    };
    return {iterations(evolution_.getZero(turns->getType()),
                       evolution_.getUMinExpr(except, evolution_.getAddExpr(turns, one))),
            iterations(evolution_.getAddExpr(except, one),
                       evolution_.getMinusSCEV(turns, evolution_.getUMinExpr(except, turns)))};
  }

  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& post_dominators_;
  const llvm::LoopInfo& loops_;
  const Barriers& barriers_;
  llvm::SCEVExpander expander_;
  Remarks remarks_;
  bool progresses_;
  llvm::DenseMap<const llvm::Loop*, Shape> shapes_;
  llvm::SmallVector<Check, 2> rest_;  // what else the check has become that is being moved
};

}  // namespace

void MoveChecksOutOfLoops(Checks& checks, llvm::Function& function,
                          llvm::FunctionAnalysisManager& analyses, const Barriers& barriers) {
  if (checks.empty() || analyses.getResult<llvm::LoopAnalysis>(function).empty()) return;
  LoopRanges(function, analyses, barriers).Move(checks);
}

}  // namespace taskrace
