#include "compiler/invariant_loads.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

#include "compiler/barriers.h"
#include "compiler/checks.h"
#include "compiler/local_memory.h"
#include "compiler/loop_facts.h"
#include "compiler/parallel_loops.h"
#include "compiler/places.h"
#include "compiler/ways_to_blocks.h"
#include "compiler/wide_indices.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Beyond this (loads times writes) the loads of a loop stay.
constexpr size_t kMostPairs = size_t{1} << 16;

class InvariantLoads {
 public:
  InvariantLoads(llvm::Loop& loop, LoopFacts& facts, Ways& ways, const LocalMemory& local,
                 llvm::AAResults& aliases, llvm::DomTreeUpdater& updater, llvm::LoopInfo& loops)
      : loop_(loop),
        facts_(facts),
        ways_(ways),
        local_(local),
        aliases_(aliases),
        updater_(updater),
        loops_(loops),
        are_units_(AreUnits(loop)) {}

  // In the order of the program: the address of one may be the value of another, and so may the
  // condition under which it is made.
  void Move(MovedLoads& moved) {
    llvm::LoopBlocksRPO blocks(&loop_);
    blocks.perform(&loops_);
    const llvm::CallInst* mark = MarkOf(loop_);
    size_t loads = 0;
    for (llvm::BasicBlock* block : blocks) {
      for (llvm::Instruction& instruction : *block) {
        if (isa<llvm::LoadInst>(instruction)) ++loads;
        if (&instruction != mark && instruction.mayWriteToMemory()) {
          writes_.push_back(&instruction);
        }
      }
    }
    if (loads * writes_.size() > kMostPairs) return;
    for (llvm::BasicBlock* block : blocks) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
        if (!loop_.hasLoopInvariantOperands(&instruction)) continue;
        if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
          if (MoveBeforeLoop(*load)) moved[load] = block->getTerminator();
        } else if (!isa<llvm::PHINode>(instruction)) {
          bool changed = false;
          loop_.makeLoopInvariant(&instruction, changed);
        }
      }
    }
  }

 private:
  bool MoveBeforeLoop(llvm::LoadInst& load) {
    // In a loop inside the iteration, it is made more than once.
    llvm::BasicBlock* block = load.getParent();
    if (!load.isSimple() || loops_.getLoopFor(block) != &loop_) return false;
    const std::optional<Reached> reached = ways_.WhenReached(block, loop_);
    if (!reached || reached->except != nullptr || !CanMove(load)) return false;
    llvm::Instruction* before = loop_.getLoopPreheader()->getTerminator();
    if (reached->guards.empty() || llvm::isSafeToSpeculativelyExecute(&load, before)) {
      load.moveBefore(before);
    } else {
      MoveUnder(reached->guards, load, before);
    }
    return true;
  }

  // Before the loop, it is made only if the conditions hold.
  void MoveUnder(llvm::ArrayRef<Guard> guards, llvm::LoadInst& load, llvm::Instruction* before) {
    BuilderBefore builder(before, &load);
    // From the outermost one on: what comes after one that does not hold may be undefined.
    llvm::Value* all = builder.getTrue();
    for (const Guard& guard : llvm::reverse(guards)) {
      all = builder.CreateLogicalAnd(
          all, guard.wanted ? guard.condition : builder.CreateNot(guard.condition));
    }
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(all, before->getIterator(), false,
                                                              nullptr, &updater_, &loops_);
    llvm::BasicBlock *made = then->getParent(), *not_made = made->getSinglePredecessor();
    BuilderBefore merge(&before->getParent()->front(), &load);
    llvm::PHINode* value = merge.CreatePHI(load.getType(), 2);
    load.replaceAllUsesWith(value);
    load.moveBefore(then);
    value->addIncoming(&load, made);
    value->addIncoming(llvm::Constant::getNullValue(load.getType()), not_made);
  }

  bool CanMove(const llvm::LoadInst& load) const {
    const bool checked = IsChecked(load, load.getPointerOperand());
    const llvm::MemoryLocation place = llvm::MemoryLocation::get(&load);
    return llvm::all_of(writes_, [&](const llvm::Instruction* write) {
      if (!llvm::isModSet(aliases_.getModRefInfo(write, place))) return true;
      return checked && !are_units_ && facts_.dominators().dominates(&load, write) &&
             IsCheckedWrite(*write) && !SurelyWrites(*write, place);
    });
  }

  bool IsChecked(const llvm::Instruction& access, const llvm::Value* pointer) const {
    return !access.hasMetadata(llvm::LLVMContext::MD_nosanitize) &&
           PlaceOf(const_cast<llvm::Value*>(pointer), local_) == Place::kShared;
  }

  bool IsCheckedWrite(const llvm::Instruction& write) const {
    if (const auto* store = dyn_cast<llvm::StoreInst>(&write)) {
      return store->isSimple() && IsChecked(write, store->getPointerOperand());
    }
    if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&write)) {
      return !update->isVolatile() && IsChecked(write, update->getPointerOperand());
    }
    if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&write)) {
      return !exchange->isVolatile() && IsChecked(write, exchange->getPointerOperand());
    }
    if (const auto* change = dyn_cast<llvm::MemIntrinsic>(&write)) {
      return !change->isVolatile() && IsChecked(write, change->getRawDest());
    }
    const auto* call = dyn_cast<llvm::CallBase>(&write);
    const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    return callee != nullptr && callee->hasFnAttribute(llvm::Attribute::SanitizeThread);
  }

  bool SurelyWrites(const llvm::Instruction& write, const llvm::MemoryLocation& place) const {
    const auto* store = dyn_cast<llvm::StoreInst>(&write);
    if (store == nullptr) return false;
    const llvm::AliasResult result = aliases_.alias(llvm::MemoryLocation::get(store), place);
    return result == llvm::AliasResult::MustAlias || result == llvm::AliasResult::PartialAlias;
  }

  llvm::Loop& loop_;
  LoopFacts& facts_;
  Ways& ways_;
  const LocalMemory& local_;
  llvm::AAResults& aliases_;
  llvm::DomTreeUpdater& updater_;
  llvm::LoopInfo& loops_;
  const bool are_units_;
  llvm::SmallVector<llvm::Instruction*, 16> writes_;
};

// The mark's answer is always that the iteration is to be run.
void AlwaysRunIterations(llvm::CallInst& mark) {
  llvm::BasicBlock* header = mark.getParent();
  llvm::replaceAndRecursivelySimplify(&mark, llvm::ConstantInt::get(mark.getType(), 1));
  llvm::ConstantFoldTerminator(header, true);
}

}  // namespace

MovedLoads MoveInvariantLoads(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  MovedLoads moved;
  if (!HasMarks(function)) return moved;
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  const LocalMemory local(function, library);
  const Barriers barriers(library, local);
  llvm::SmallVector<llvm::CallInst*, 2> marks;
  {
    LoopFacts facts(function, analyses, barriers, LoopFacts::Marks::kSeenPast);
    for (llvm::Loop* loop : OpenParallelLoops(facts)) marks.push_back(MarkOf(*loop));
  }
  if (marks.empty()) return moved;
  for (llvm::CallInst* mark : marks) AlwaysRunIterations(*mark);
  llvm::removeUnreachableBlocks(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());

  LoopFacts facts(function, analyses, barriers, LoopFacts::Marks::kSeenPast);
  auto& aliases = analyses.getResult<llvm::AAManager>(function);
  Ways ways(facts, analyses.getResult<llvm::PostDominatorTreeAnalysis>(function));
  llvm::DomTreeUpdater updater(analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                               llvm::DomTreeUpdater::UpdateStrategy::Eager);
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop* loop : OpenParallelLoops(facts)) {
    InvariantLoads(*loop, facts, ways, local, aliases, updater, loops).Move(moved);
    WidenIndices(*loop);
  }
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  return moved;
}

}  // namespace taskrace
