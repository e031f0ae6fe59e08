#include "compiler/loop_ranges.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/hook_calls.h"
#include "compiler/places.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// May a strand end here, or memory come and go? Then checks must not be moved across it.
bool IsBarrier(const llvm::Instruction& instruction) {
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || isa<llvm::DbgInfoIntrinsic>(call) || isa<llvm::AnyMemIntrinsic>(call)) {
    return false;
  }
  if (call->isLifetimeStartOrEnd()) return true;
  return !(call->doesNotAccessMemory() && call->doesNotThrow() && call->willReturn()) &&
         !llvm::isa<llvm::AssumeInst>(call);
}

// A plain load or store.
struct Access {
  llvm::Instruction* instruction = nullptr;
  llvm::Value* pointer = nullptr;
  AccessKind kind = AccessKind::kRead;
  uint64_t size = 0;

  explicit operator bool() const { return instruction != nullptr; }
};

Access AccessOf(llvm::Instruction& instruction) {
  if (instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize)) return {};
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  auto sized = [&](llvm::Value* pointer, AccessKind kind, llvm::Type* type) {
    const llvm::TypeSize size = layout.getTypeStoreSize(type);
    return size.isScalable() ? Access{} : Access{&instruction, pointer, kind, size.getFixedValue()};
  };
  if (auto* load = dyn_cast<llvm::LoadInst>(&instruction); load && load->isSimple()) {
    return sized(load->getPointerOperand(), AccessKind::kRead, load->getType());
  }
  if (auto* store = dyn_cast<llvm::StoreInst>(&instruction); store && store->isSimple()) {
    return sized(store->getPointerOperand(), AccessKind::kWrite,
                 store->getValueOperand()->getType());
  }
  return {};
}

class LoopRanges {
 public:
  LoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        expander_(evolution_, function.getParent()->getDataLayout(), "taskrace") {}

  void Check(llvm::Loop& loop, const StackSlots& slots, InstructionSet& checked) {
    if (!loop.isInnermost() || !Qualifies(loop)) return;
    llvm::SmallVector<Range, 8> ranges;
    for (llvm::BasicBlock* block : loop.blocks()) {
      if (!dominators_.dominates(block, loop.getLoopLatch())) continue;
      for (llvm::Instruction& instruction : *block) {
        const Access access = AccessOf(instruction);
        if (!access || PlaceOf(access.pointer, slots) != Place::kShared) continue;
        if (std::optional<Range> range = RangeOf(access, loop)) ranges.push_back(Lifted(*range));
      }
    }
    for (const Range& range : ranges) {
      checked.insert(range.access.instruction);
      if (!IsCovered(range, ranges)) Emit(range);
    }
  }

 private:
  struct Range {
    Access access;
    const llvm::SCEV* first;  // of the lowest byte
    const llvm::SCEV* size;
    llvm::Loop* loop;  // before which it is checked
  };

  bool Qualifies(llvm::Loop& loop) {
    if (!loop.isLoopSimplifyForm()) return false;
    if (loop.getExitingBlock() == nullptr || loop.getExitingBlock() != loop.getLoopLatch()) {
      return false;
    }
    for (llvm::BasicBlock* block : loop.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        if (IsBarrier(instruction)) return false;
      }
    }
    const llvm::SCEV* turns = evolution_.getBackedgeTakenCount(&loop);
    return !isa<llvm::SCEVCouldNotCompute>(turns) && CanExpand(turns, loop);
  }

  bool CanExpand(const llvm::SCEV* expression, llvm::Loop& loop) {
    return expander_.isSafeToExpandAt(expression, loop.getLoopPreheader()->getTerminator());
  }

  // How often the loop goes back, as a size.
  const llvm::SCEV* TurnsOf(llvm::Loop& loop, llvm::Type* word) {
    return evolution_.getTruncateOrZeroExtend(evolution_.getBackedgeTakenCount(&loop), word);
  }

  // What the access touches in all iterations, if that is one range without gaps.
  std::optional<Range> RangeOf(const Access& access, llvm::Loop& loop) {
    const llvm::SCEV* address = evolution_.getSCEV(access.pointer);
    llvm::Type* word = evolution_.getEffectiveSCEVType(address->getType());
    const llvm::SCEV* size = evolution_.getConstant(word, access.size);
    if (evolution_.isLoopInvariant(address, &loop)) {
      if (!CanExpand(address, loop)) return std::nullopt;
      return Range{access, address, size, &loop};
    }
    const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(address);
    if (walk == nullptr || walk->getLoop() != &loop || !walk->isAffine()) return std::nullopt;
    const auto* step = dyn_cast<llvm::SCEVConstant>(walk->getStepRecurrence(evolution_));
    if (step == nullptr || step->getAPInt().getSignificantBits() > 32) return std::nullopt;
    const int64_t stride = step->getAPInt().getSExtValue();
    const uint64_t distance = static_cast<uint64_t>(stride < 0 ? -stride : stride);
    if (distance > access.size) return std::nullopt;

    const llvm::SCEV* length =
        evolution_.getMulExpr(TurnsOf(loop, word), evolution_.getConstant(word, distance));
    const llvm::SCEV* first =
        stride < 0 ? evolution_.getMinusSCEV(walk->getStart(), length) : walk->getStart();
    if (!CanExpand(first, loop) || !CanExpand(length, loop)) return std::nullopt;
    return Range{access, first, evolution_.getAddExpr(length, size), &loop};
  }

  // The same range before the outermost loop that it can be checked at.
  Range Lifted(Range range) {
    while (llvm::Loop* outer = range.loop->getParentLoop()) {
      if (!Qualifies(*outer) || !evolution_.isLoopInvariant(range.size, outer)) break;
      if (!dominators_.dominates(range.loop->getLoopPreheader(), outer->getLoopLatch())) break;
      Range lifted = range;
      lifted.loop = outer;
      if (!evolution_.isLoopInvariant(range.first, outer)) {
        // Rows without gaps between them.
        const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(range.first);
        if (walk == nullptr || walk->getLoop() != outer || !walk->isAffine()) break;
        if (walk->getStepRecurrence(evolution_) != range.size) break;
        lifted.first = walk->getStart();
        lifted.size = evolution_.getAddExpr(
            range.size, evolution_.getMulExpr(range.size, TurnsOf(*outer, range.size->getType())));
      }
      if (!CanExpand(lifted.first, *outer) || !CanExpand(lifted.size, *outer)) break;
      range = lifted;
    }
    return range;
  }

  // Is another range of the list checked anyway, that stands for this one? Of equal ones the first.
  static bool IsCovered(const Range& range, llvm::ArrayRef<Range> ranges) {
    for (const Range& other : ranges) {
      if (&other == &range || other.loop != range.loop) continue;
      if (other.first != range.first || other.size != range.size) continue;
      if (other.access.kind == range.access.kind ? &other < &range
                                                 : other.access.kind == AccessKind::kWrite) {
        return true;
      }
    }
    return false;
  }

  void Emit(const Range& range) {
    llvm::Instruction* end = range.loop->getLoopPreheader()->getTerminator();
    llvm::Value* first = expander_.expandCodeFor(range.first, range.access.pointer->getType(), end);
    llvm::Value* size = expander_.expandCodeFor(
        range.size, end->getModule()->getDataLayout().getIntPtrType(end->getContext()), end);
    BuilderBefore builder(end, range.access.instruction);
    CallAccessHook(builder, range.access.kind, first, size);
    ++Counters::kLoopRanges;
  }

  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  llvm::SCEVExpander expander_;
};

}  // namespace

void CheckLoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                     const StackSlots& slots, InstructionSet& checked) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return;
  LoopRanges ranges(function, analyses);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) ranges.Check(*loop, slots, checked);
}

void FindReadsBeforeWrites(llvm::Function& function, InstructionSet& checked) {
  for (llvm::BasicBlock& block : function) {
    llvm::SmallDenseMap<std::pair<llvm::Value*, uint64_t>, bool, 8> written;
    for (llvm::Instruction& instruction : llvm::reverse(block)) {
      if (IsBarrier(instruction)) {
        written.clear();
        continue;
      }
      const Access access = AccessOf(instruction);
      if (!access || checked.contains(&instruction)) continue;
      if (access.kind == AccessKind::kWrite) {
        written[{access.pointer, access.size}] = true;
      } else if (written.contains({access.pointer, access.size})) {
        checked.insert(&instruction);
        ++Counters::kReadsBeforeWrites;
      }
    }
  }
}

}  // namespace taskrace
