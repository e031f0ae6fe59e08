#include "compiler/iteration_checks.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/loop_facts.h"
#include "compiler/neighbours.h"
#include "compiler/parallel_loops.h"
#include "compiler/parts.h"
#include "compiler/places.h"
#include "compiler/remarks.h"
#include "compiler/statistics.h"
#include "compiler/ways_to_blocks.h"
#include "taskrace/hooks.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

class IterationChecks {
 public:
  IterationChecks(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                  const Barriers& barriers)
      : facts_(function, analyses, barriers, LoopFacts::Marks::kSeenPast),
        evolution_(facts_.evolution()),
        ways_(facts_, analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)),
        loops_(OpenParallelLoops(facts_)) {}

  // Moves those of the checks that can leave their parallel loop into `left`. Descriptions of those that stay,
  // because not every iteration makes them, go into `possible`.
  void Move(Checks& checks, Checks& left, Checks& possible) {
    llvm::erase_if(checks, [&](Check& check) {
      llvm::Loop* loop = facts_.loops().getLoopFor(check.position->getParent());
      if (loop == nullptr || MarkOf(*loop) == nullptr) return false;
      Checks parts;
      const Obstacle obstacle = Leave(check, *loop, parts);
      const bool stays = obstacle.kind != Obstacle::Kind::kNone;
      if (!stays) {
        llvm::append_range(left, parts);
      } else if (!parts.empty()) {
        parts.front().iterations.is_possible = true;
        check.zone.staying = TASKRACE_ZONE_OF_POSSIBLE;
        possible.push_back(parts.front());
      }
      if (stays) remarks_.Stays(check, *loop, nullptr, obstacle);
      return !stays;
    });
  }

  // Before the hooks for the iterations of a loop, the runtime learns that units of an OpenMP loop begin, and which.
  // Requires: all checks are planned, and no hook is inserted.
  void AnnounceUnits(llvm::ArrayRef<Check> checks) {
    for (llvm::Loop* loop : loops_) {
      llvm::BasicBlock* before = loop->getLoopPreheader();
      const bool has_hooks = llvm::any_of(checks, [&](const Check& check) {
        return check.zone.before == before ||
               (check.iterations.step != nullptr && check.position->getParent() == before);
      });
      if (!has_hooks || !IsUnitMark(*MarkOf(*loop))) continue;
      llvm::Instruction* position = before->getTerminator();
      const llvm::SCEV* turns = facts_.ShapeOf(*loop).turns;
      const llvm::SCEV* count = evolution_.getAddExpr(turns, evolution_.getOne(turns->getType()));
      const llvm::SCEV* number = evolution_.getSCEV(MarkOf(*loop)->getArgOperand(0));
      const llvm::SCEV* first = llvm::cast<llvm::SCEVAddRecExpr>(number)->getStart();
      llvm::SCEVExpander expander(evolution_, evolution_.getDataLayout(), "taskrace");
      auto expand = [&](const llvm::SCEV* expression) {
        return expander.expandCodeFor(expression, expression->getType(), position);
      };
      llvm::Value *first_number = expand(first), *all = expand(count);
      BuilderBefore builder(position, MarkOf(*loop));
      CallHook(builder, "units_begin", {first_number, all});
    }
  }

  // The marks of loops that do without: of loops in which no check is left, and of those whose checks get zones
  // here. Descriptions for other loops are dropped.
  UnneededMarks FindUnneeded(Checks& checks, Checks& possible, const InstructionSet& checked,
                             const LocalMemory& local) {
    UnneededMarks unneeded;
    for (const llvm::Loop* loop : loops_) {
      llvm::SmallVector<Check*, 8> staying;
      for (Check& check : checks) {
        if (loop->contains(check.position) ||
            (check.gathers_in != nullptr && loop->contains(check.gathers_in))) {
          staying.push_back(&check);
        }
      }
      if (HasOtherHooks(*loop, checked, local) || !SetZones(*loop, staying)) {
        llvm::erase_if(possible, [&](const Check& check) {
          return check.position == loop->getLoopPreheader()->getTerminator();
        });
        continue;
      }
      unneeded.push_back(MarkOf(*loop));
      if (staying.empty()) remarks_.IsFree(*loop, *unneeded.back());
    }
    Counters::kMarks += unneeded.size();
    return unneeded;
  }

 private:
  // Gives zones to the checks that stay in the loop. False: a write of unknown address stays, so there is nothing that
  // need not be checked.
  bool SetZones(const llvm::Loop& loop, llvm::ArrayRef<Check*> staying) const {
    unsigned unknown = 0;
    for (const Check* check : staying) {
      if (check->gathers_in != nullptr) return false;
      if (check->zone.staying != 0) continue;
      if (check->IsWrite()) return false;
      unknown = TASKRACE_READS_STAY;
    }
    for (Check* check : staying) {
      check->zone = {loop.getLoopPreheader(), check->zone.staying | unknown, MarkOf(loop)};
    }
    return true;
  }

  // Does anything but the planned checks need to know the iteration?
  bool HasOtherHooks(const llvm::Loop& loop, const InstructionSet& checked,
                     const LocalMemory& local) const {
    const llvm::CallInst* mark = MarkOf(loop);
    return llvm::any_of(loop.blocks(), [&](llvm::BasicBlock* block) {
      return llvm::any_of(*block, [&](llvm::Instruction& instruction) {
        return &instruction != mark && !checked.contains(&instruction) &&
               MayHaveHook(instruction, local);
      });
    });
  }

  static bool MayHaveHook(llvm::Instruction& instruction, const LocalMemory& local) {
    if (!instruction.mayReadOrWriteMemory()) return false;
    if (auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
      if (call->isLifetimeStartOrEnd()) {
        return llvm::is_contained(local.announced(), call->getArgOperand(1)->stripPointerCasts());
      }
      return !call->isDebugOrPseudoInst() && !isa<llvm::AssumeInst>(call) &&
             !isa<llvm::NoAliasScopeDeclInst>(call);
    }
    if (instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize)) return false;
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr) return true;
    const Place place = PlaceOf(pointer, local);
    return place == Place::kShared ||
           (place == Place::kConstant && isa<llvm::StoreInst>(instruction));
  }

  // The checks before the loop that are to replace the one in it, in `left`. If there is an obstacle, it stays; if all
  // that is in the way is that not every iteration makes it, `left` has what it touches if all did.
  Obstacle Leave(const Check& check, llvm::Loop& loop, Checks& left) {
    using Kind = Obstacle::Kind;
    const LoopFacts::Shape shape = facts_.ShapeOf(loop);
    if (shape.closed.kind != Kind::kNone) return shape.closed;
    if (!llvm::is_contained(loops_, &loop)) return {Kind::kOtherNumbers};
    if (shape.uncounted.kind != Kind::kNone) return shape.uncounted;
    if (check.gathers_in != nullptr || !check.unless_in.empty()) return {Kind::kConditional};
    const bool is_guarded = llvm::any_of(
        check.guards, [&](const Guard& guard) { return !loop.isLoopInvariant(guard.condition); });
    for (const llvm::SCEV* expression :
         {check.bytes.size, check.bytes.rows, check.bytes.distance}) {
      if (expression == nullptr) continue;
      if (!evolution_.isLoopInvariant(expression, &loop)) return {Kind::kChangingSize};
      if (!facts_.CanExpand(expression, loop)) return {Kind::kNotAffine};
    }
    const std::optional<Reached> reached = ways_.WhenReached(check.position->getParent(), loop);
    const bool is_possible = is_guarded || !reached;

    const llvm::SCEV* address = check.bytes.First(evolution_);
    const llvm::SCEV* step = evolution_.getZero(check.bytes.size->getType());
    if (!evolution_.isLoopInvariant(address, &loop)) {
      const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(address);
      if (walk == nullptr || walk->getLoop() != &loop || !walk->isAffine()) {
        return {Kind::kNotAffine};
      }
      address = walk->getStart();
      step = walk->getStepRecurrence(evolution_);
    }
    const llvm::SCEV* number = evolution_.getSCEV(MarkOf(loop)->getArgOperand(0));
    const llvm::SCEV* one = evolution_.getOne(shape.turns->getType());
    Check all = check;
    all.position = loop.getLoopPreheader()->getTerminator();
    all.pointer = nullptr;
    all.bytes.SetFirst(address, evolution_);
    if (is_possible) {
      all.guards.clear();
    } else {
      all.guards.append(reached->guards);
    }
    all.iterations = {step, llvm::cast<llvm::SCEVAddRecExpr>(number)->getStart(),
                      evolution_.getAddExpr(shape.turns, one)};
    llvm::SmallVector<Check, 2> parts = {all};
    if (const llvm::SCEV* except = is_possible ? nullptr : reached->except) {
      parts.push_back(all);
      parts[0].iterations.count = evolution_.getUMinExpr(except, all.iterations.count);
      SkipIterations(parts[1], evolution_.getAddExpr(except, one));
      parts[1].iterations.count =
          evolution_.getMinusSCEV(shape.turns, evolution_.getUMinExpr(except, shape.turns));
    }
    for (const Check& part : parts) {
      for (const llvm::SCEV* expression : {part.bytes.First(evolution_), part.iterations.step,
                                           part.iterations.first, part.iterations.count}) {
        if (!facts_.CanExpand(expression, loop)) return {Kind::kNotAffine};
      }
    }
    llvm::append_range(left, parts);
    if (is_possible) return {Kind::kConditional};
    remarks_.LeftParallel(all, loop);
    return {};
  }

  // The first `skipped` iterations do not make it.
  void SkipIterations(Check& check, const llvm::SCEV* skipped) {
    Iterations& iterations = check.iterations;
    const llvm::SCEV* way = evolution_.getMulExpr(skipped, iterations.step);
    check.bytes.SetFirst(evolution_.getAddExpr(check.bytes.First(evolution_), way), evolution_);
    iterations.first = evolution_.getAddExpr(iterations.first, skipped);
  }

  LoopFacts facts_;
  llvm::ScalarEvolution& evolution_;
  Ways ways_;
  Remarks remarks_;
  const llvm::SmallVector<llvm::Loop*, 2> loops_;
};

}  // namespace

UnneededMarks MoveChecksOutOfParallelLoops(Checks& checks, const InstructionSet& checked,
                                           llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses,
                                           const Barriers& barriers, const LocalMemory& local) {
  if (!HasMarks(function)) return {};
  IterationChecks iterations(function, analyses, barriers);
  Checks left, possible;
  iterations.Move(checks, left, possible);
  MergeNeighbours(left, function, analyses, barriers);
  const UnneededMarks unneeded = iterations.FindUnneeded(checks, possible, checked, local);
  llvm::append_range(checks, left);
  llvm::append_range(checks, possible);
  iterations.AnnounceUnits(checks);
  return unneeded;
}

void InsertBeforeParallelLoop(const Check& check, llvm::ScalarEvolution& evolution,
                              llvm::SCEVExpander& expander) {
  const Footprint& bytes = check.bytes;
  llvm::Type* word = bytes.size->getType();
  auto expand = [&](const llvm::SCEV* expression) -> llvm::Value* {
    return expander.expandCodeFor(expression, expression->getType(), check.position);
  };
  llvm::Constant* one = llvm::ConstantInt::get(word, 1);
  llvm::Constant* nothing = llvm::ConstantInt::get(word, 0);
  llvm::Value* address = expand(bytes.First(evolution));
  llvm::Value* size = expand(bytes.size);
  llvm::Value* rows = bytes.rows != nullptr ? expand(bytes.rows) : one;
  llvm::Value* distance = bytes.rows != nullptr ? expand(bytes.distance) : nothing;
  llvm::Value* step = expand(check.iterations.step);
  llvm::Value* first = expand(check.iterations.first);
  llvm::Value* count = expand(check.iterations.count);
  BuilderBefore builder(check.position, check.access);
  if (check.iterations.is_possible) {
    return CallPossibleHook(builder, check.kind, address, size, rows, distance, step, first, count);
  }
  for (const Guard& guard : check.guards) {
    count = guard.wanted ? builder.CreateSelect(guard.condition, count, nothing)
                         : builder.CreateSelect(guard.condition, nothing, count);
  }
  llvm::Value* parts =
      check.parts.empty()
          ? static_cast<llvm::Value*>(llvm::ConstantPointerNull::get(builder.getPtrTy()))
          : MakePartsFunction(check);
  CallLoopHook(builder, check.kind, address, size, rows, distance, parts, step, first, count);
}

}  // namespace taskrace
