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
  LoopRanges(llvm::Loop& loop, llvm::ScalarEvolution& evolution,
             const llvm::DominatorTree& dominators)
      : loop_(loop),
        evolution_(evolution),
        dominators_(dominators),
        expander_(evolution, loop.getHeader()->getModule()->getDataLayout(), "taskrace") {}

  bool Qualifies() {
    if (!loop_.isLoopSimplifyForm() || !loop_.isInnermost()) return false;
    if (loop_.getExitingBlock() == nullptr || loop_.getExitingBlock() != loop_.getLoopLatch())
      return false;
    for (llvm::BasicBlock* block : loop_.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        if (IsBarrier(instruction)) return false;
      }
    }
    turns_ = evolution_.getBackedgeTakenCount(&loop_);
    return !isa<llvm::SCEVCouldNotCompute>(turns_) && CanExpand(turns_);
  }

  void Check(const StackSlots& slots, InstructionSet& checked) {
    llvm::SmallVector<Range, 8> ranges;
    for (llvm::BasicBlock* block : loop_.blocks()) {
      if (!dominators_.dominates(block, loop_.getLoopLatch())) continue;
      for (llvm::Instruction& instruction : *block) {
        const Access access = AccessOf(instruction);
        if (!access || PlaceOf(access.pointer, slots) != Place::kShared) continue;
        if (std::optional<Range> range = RangeOf(access)) ranges.push_back(*range);
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
  };

  bool CanExpand(const llvm::SCEV* expression) {
    return expander_.isSafeToExpandAt(expression, loop_.getLoopPreheader()->getTerminator());
  }

  // What the access touches in all iterations, if that is one range without gaps.
  std::optional<Range> RangeOf(const Access& access) {
    const llvm::SCEV* address = evolution_.getSCEV(access.pointer);
    llvm::Type* word = evolution_.getEffectiveSCEVType(address->getType());
    const llvm::SCEV* size = evolution_.getConstant(word, access.size);
    if (evolution_.isLoopInvariant(address, &loop_)) {
      return CanExpand(address) ? std::optional<Range>({access, address, size}) : std::nullopt;
    }
    const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(address);
    if (walk == nullptr || walk->getLoop() != &loop_ || !walk->isAffine()) return std::nullopt;
    const auto* step = dyn_cast<llvm::SCEVConstant>(walk->getStepRecurrence(evolution_));
    if (step == nullptr || step->getAPInt().getSignificantBits() > 32) return std::nullopt;
    const int64_t stride = step->getAPInt().getSExtValue();
    if (static_cast<uint64_t>(stride < 0 ? -stride : stride) > access.size) return std::nullopt;

    const llvm::SCEV* turns = evolution_.getTruncateOrZeroExtend(turns_, word);
    const llvm::SCEV* length = evolution_.getMulExpr(
        turns, evolution_.getConstant(word, static_cast<uint64_t>(stride < 0 ? -stride : stride)));
    const llvm::SCEV* first =
        stride < 0 ? evolution_.getMinusSCEV(walk->getStart(), length) : walk->getStart();
    if (!CanExpand(first) || !CanExpand(length)) return std::nullopt;
    return Range{access, first, evolution_.getAddExpr(length, size)};
  }

  // Is another range of the list checked anyway, that stands for this one?
  static bool IsCovered(const Range& range, llvm::ArrayRef<Range> ranges) {
    for (const Range& other : ranges) {
      if (&other == &range || other.first != range.first || other.size != range.size) continue;
      if (other.access.kind == range.access.kind || other.access.kind == AccessKind::kWrite) {
        // Of two equal ones the first is emitted.
        if (other.access.kind != range.access.kind || &other < &range) return true;
      }
    }
    return false;
  }

  void Emit(const Range& range) {
    llvm::Instruction* end = loop_.getLoopPreheader()->getTerminator();
    llvm::Value* first = expander_.expandCodeFor(range.first, range.access.pointer->getType(), end);
    llvm::Value* size = expander_.expandCodeFor(
        range.size, end->getModule()->getDataLayout().getIntPtrType(end->getContext()), end);
    BuilderBefore builder(end, range.access.instruction);
    CallAccessHook(builder, range.access.kind, first, size);
    ++Counters::kLoopRanges;
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  llvm::SCEVExpander expander_;
  const llvm::SCEV* turns_ = nullptr;  // how often the loop goes back
};

}  // namespace

void CheckLoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                     const StackSlots& slots, InstructionSet& checked) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return;
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    LoopRanges ranges(*loop, evolution, dominators);
    if (ranges.Qualifies()) ranges.Check(slots, checked);
  }
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
