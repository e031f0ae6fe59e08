#include "compiler/loop_ranges.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <optional>

#include "compiler/after_loops.h"
#include "compiler/gathered_checks.h"
#include "compiler/loop_facts.h"
#include "compiler/parallel_loops.h"
#include "compiler/remarks.h"
#include "compiler/statistics.h"
#include "compiler/ways_to_blocks.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// A row with more parts is not made of others.
constexpr uint64_t kMostParts = 64;

class LoopRanges {
 public:
  LoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
             const Barriers& barriers)
      : facts_(function, analyses, barriers),
        evolution_(facts_.evolution()),
        ways_(facts_, analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        loops_(facts_.loops()),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)) {}

  // Moves each check before the outermost loop that it can leave. One may become two.
  void Move(Checks& checks) {
    for (size_t index = 0; index < checks.size(); ++index) {
      Move(checks[index]);
      llvm::append_range(checks, rest_);
      rest_.clear();
    }
    llvm::append_range(checks, further_exits_);
  }

 private:
  void Move(Check& check) {
    if (!check.unless_in.empty()) return;
    const llvm::Loop* left = nullptr;
    llvm::Loop* loop = loops_.getLoopFor(check.position->getParent());
    for (; loop != nullptr; loop = loop->getParentLoop()) {
      if (const Obstacle obstacle = Leave(check, *loop); obstacle.kind != Obstacle::Kind::kNone) {
        if (Defer(check)) break;
        if (left == nullptr && Gather(check, *loop, facts_)) {
          remarks_.Gathers(check, *loop);
        } else if (MarkOf(*loop) == nullptr) {  // else iteration_checks.h says what becomes of it
          remarks_.Stays(check, *loop, left, obstacle);
        }
        break;
      }
      left = loop;
    }
    if (left == nullptr) return;
    remarks_.Left(check, *left);
    ++Counters::kLoopRanges;
  }

  // Moves the check after the outermost loop that it can wait for, if there is one.
  bool Defer(Check& check) {
    DeferredChecks deferred = DeferUntilAfterLoops(check, facts_);
    if (deferred.loop == nullptr) return false;
    check = deferred.checks.front();
    llvm::append_range(further_exits_, llvm::drop_begin(deferred.checks));
    remarks_.Waits(check, *deferred.loop);
    ++Counters::kLoopRanges;
    return true;
  }

  // Moves the check before `loop`, which it is in, or says what is in the way.
  Obstacle Leave(Check& check, llvm::Loop& loop) {
    using Kind = Obstacle::Kind;
    const LoopFacts::Shape shape = facts_.ShapeOf(loop);
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
    if (!same_shape && Shrinks(check.bytes, loop)) return LeaveShrinking(check, loop);
    const std::optional<Reached> reached = ways_.WhenReached(check.position->getParent(), loop);
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
        if (expression != nullptr && !facts_.CanExpand(expression, loop)) return {Kind::kNotAffine};
      }
    }
    check.bytes = all.front();
    ListAllParts(check);
    check.guards.append(reached->guards);
    check.position = loop.getLoopPreheader()->getTerminator();
    check.pointer = nullptr;
    if (all.size() > 1) {
      rest_.push_back(check);
      rest_.back().bytes = all.back();
    }
    return {};
  }

  // Of rows with parts that follow each other without gaps, and are few: makes them one row.
  void ListAllParts(Check& check) {
    Footprint& bytes = check.bytes;
    const auto* rows = llvm::dyn_cast_or_null<llvm::SCEVConstant>(bytes.rows);
    if (check.parts.empty() || rows == nullptr || bytes.distance != bytes.size ||
        rows->getAPInt().ugt(kMostParts / check.parts.size())) {
      return;
    }
    const llvm::SmallVector<Part, 0> of_row = check.parts;
    const uint64_t count = rows->getAPInt().getZExtValue();
    for (uint64_t row = 1; row < count; ++row) {
      for (Part part : of_row) {
        part.offset += static_cast<int64_t>(row * bytes.least);
        check.parts.push_back(part);
      }
    }
    bytes.rows = bytes.distance = nullptr;
    bytes.least *= count;
    bytes.size = evolution_.getConstant(bytes.size->getType(), bytes.least);
  }

  // Does it begin later in every iteration, and always end at the same place? (The rows of a triangle,
  // on one line of memory.) Then the first one contains all.
  bool Shrinks(const Footprint& bytes, const llvm::Loop& loop) {
    const auto* first = dyn_cast<llvm::SCEVAddRecExpr>(bytes.First(evolution_));
    const auto* size = dyn_cast<llvm::SCEVAddRecExpr>(bytes.size);
    if (bytes.rows != nullptr || first == nullptr || size == nullptr || first->getLoop() != &loop ||
        size->getLoop() != &loop || !first->isAffine() || !size->isAffine()) {
      return false;
    }
    const llvm::SCEV* step = first->getStepRecurrence(evolution_);
    return evolution_.isKnownPositive(step) &&
           size->getStepRecurrence(evolution_) == evolution_.getNegativeSCEV(step);
  }

  Obstacle LeaveShrinking(Check& check, llvm::Loop& loop) {
    using Kind = Obstacle::Kind;
    llvm::SmallVector<FirstGuard, 2> guards;
    if (!ways_.WhenFirstReached(check.position->getParent(), loop, guards))
      return {Kind::kConditional};
    Footprint first = check.bytes;
    first.SetFirst(StartOf(check.bytes.First(evolution_)), evolution_);
    first.size = StartOf(check.bytes.size);
    first.least = 0;
    for (const llvm::SCEV* expression : {first.First(evolution_), first.size}) {
      if (!facts_.CanExpand(expression, loop)) return {Kind::kNotAffine};
    }
    check.bytes = first;
    check.position = loop.getLoopPreheader()->getTerminator();
    check.pointer = nullptr;
    for (const FirstGuard& guard : guards)
      check.guards.push_back(ways_.InFirst(guard, check.position));
    return {};
  }

  static const llvm::SCEV* StartOf(const llvm::SCEV* walk) {
    return llvm::cast<llvm::SCEVAddRecExpr>(walk)->getStart();
  }

  // Is `step`, up or down, at most the length of a row, so that no gap is left?
  bool IsWithoutGaps(const Footprint& bytes, const llvm::SCEV* step) {
    if (bytes.has_parts) return false;
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
      if (step == bytes.size && !bytes.has_parts) {
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

  LoopFacts facts_;
  llvm::ScalarEvolution& evolution_;
  Ways ways_;
  const llvm::LoopInfo& loops_;
  Remarks remarks_;
  llvm::SmallVector<Check, 2> rest_;  // what else the check has become that is being moved
  Checks further_exits_;              // of loops that checks wait for
};

}  // namespace

void MoveChecksOutOfLoops(Checks& checks, llvm::Function& function,
                          llvm::FunctionAnalysisManager& analyses, const Barriers& barriers) {
  if (checks.empty() || analyses.getResult<llvm::LoopAnalysis>(function).empty()) return;
  LoopRanges(function, analyses, barriers).Move(checks);
}

}  // namespace taskrace
