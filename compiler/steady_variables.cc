#include "compiler/steady_variables.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Operator.h>

namespace taskrace {

using llvm::dyn_cast;

namespace {

using Widening = SteadyAddress::Widening;

// Values that are looked at for one variable: more are not worth the time.
constexpr unsigned kMostValues = 64;
// Steps beyond this are of no use, and sums of them must not overflow.
constexpr int64_t kLongestStep = int64_t{1} << 32;

// May the result of `sum` be widened before or after it is computed, all the same?
bool KeepsWidening(const llvm::BinaryOperator& sum, Widening widening) {
  if (auto* either = dyn_cast<llvm::PossiblyDisjointInst>(&sum)) return either->isDisjoint();
  const auto* flags = dyn_cast<llvm::OverflowingBinaryOperator>(&sum);
  switch (widening) {
    case Widening::kNone:
      return true;
    case Widening::kSigned:
      return flags != nullptr && flags->hasNoSignedWrap();
    case Widening::kUnsigned:
      return flags != nullptr && flags->hasNoUnsignedWrap();
  }
  llvm_unreachable("there are three ways");
}

// The address, from the outside in: what is taken off stays the same in the loop.
class Peeler {
 public:
  Peeler(const llvm::Loop& loop, const llvm::DataLayout& layout) : loop_(loop), layout_(layout) {}

  std::optional<SteadyAddress> Peel(llvm::Value* value) {
    while (true) {
      if (auto* variable = dyn_cast<llvm::PHINode>(value)) {
        address_.variable = variable;
        return address_;
      }
      value = Next(value);
      if (value == nullptr || loop_.isLoopInvariant(value)) return std::nullopt;
    }
  }

 private:
  llvm::Value* Next(llvm::Value* value) {
    if (auto* element = dyn_cast<llvm::GetElementPtrInst>(value)) return VaryingPart(*element);
    if (auto* wide = dyn_cast<llvm::CastInst>(value)) {
      const bool is_signed = wide->getOpcode() == llvm::Instruction::SExt;
      if (!is_signed && wide->getOpcode() != llvm::Instruction::ZExt) return nullptr;
      if (address_.widening != Widening::kNone) return nullptr;
      address_.widening = is_signed ? Widening::kSigned : Widening::kUnsigned;
      return wide->getOperand(0);
    }
    auto* operation = dyn_cast<llvm::BinaryOperator>(value);
    if (operation == nullptr || !KeepsWidening(*operation, address_.widening)) return nullptr;
    llvm::Value *left = operation->getOperand(0), *right = operation->getOperand(1);
    switch (operation->getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Or:
        return loop_.isLoopInvariant(left) ? right : loop_.isLoopInvariant(right) ? left : nullptr;
      case llvm::Instruction::Sub:
        return loop_.isLoopInvariant(right) ? left : nullptr;
      case llvm::Instruction::Mul:
      case llvm::Instruction::Shl: {
        const auto* constant = dyn_cast<llvm::ConstantInt>(right);
        if (constant == nullptr || constant->getValue().getSignificantBits() > 16) return nullptr;
        const int64_t factor = operation->getOpcode() == llvm::Instruction::Mul
                                   ? constant->getSExtValue()
                                   : int64_t{1} << std::min<int64_t>(constant->getSExtValue(), 32);
        return Scale(factor) ? left : nullptr;
      }
      default:
        return nullptr;
    }
  }

  llvm::Value* VaryingPart(llvm::GetElementPtrInst& element) {
    const unsigned bits = layout_.getIndexTypeSizeInBits(element.getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> indices;
    llvm::APInt constant(bits, 0);
    if (!element.getType()->isPointerTy() ||
        !element.collectOffset(layout_, bits, indices, constant)) {
      return nullptr;
    }
    llvm::Value* part = nullptr;
    if (!loop_.isLoopInvariant(element.getPointerOperand())) part = element.getPointerOperand();
    for (auto& [index, size] : indices) {
      if (loop_.isLoopInvariant(index)) continue;
      if (part != nullptr || index->getType()->getIntegerBitWidth() != bits ||
          size.getSignificantBits() > 32 || !Scale(size.getSExtValue())) {
        return nullptr;
      }
      part = index;
    }
    return part;
  }

  bool Scale(int64_t factor) {
    address_.scale *= factor;
    return factor != 0 && std::abs(factor) < kLongestStep &&
           std::abs(address_.scale) < kLongestStep;
  }

  const llvm::Loop& loop_;
  const llvm::DataLayout& layout_;
  SteadyAddress address_;
};

// Where a value comes from: from the variable's last value, from before the loop, or either.
class Tracer {
 public:
  Tracer(SteadyAddress& address, const llvm::Loop& loop, const llvm::LoopInfo& loops,
         const llvm::DataLayout& layout)
      : address_(address), loop_(loop), loops_(loops), layout_(layout) {}

  // Finds the steps and the first value.
  bool Trace() {
    llvm::PHINode& variable = *address_.variable;
    return TraceMerge(variable, loops_.getLoopFor(variable.getParent()), {}) && moves_ &&
           address_.entry != nullptr;
  }

 private:
  struct Range {
    int64_t least = 0, most = 0;
  };

  // The values that flow into `merge`, which lies `offset` before the variable. A variable of
  // `around` may flow in: its value is the newest there is.
  bool TraceMerge(llvm::PHINode& merge, const llvm::Loop* around, Range offset) {
    const llvm::Loop* here = loops_.getLoopFor(merge.getParent());
    const bool begins_iteration = here->getHeader() == merge.getParent();
    if (begins_iteration && !here->contains(address_.variable)) return false;
    for (unsigned edge = 0; edge < merge.getNumIncomingValues(); ++edge) {
      llvm::Value* value = merge.getIncomingValue(edge);
      bool traced;
      if (!begins_iteration) {
        traced = Trace(value, around, offset);
      } else if (here->contains(merge.getIncomingBlock(edge))) {
        traced = Trace(value, nullptr, offset);
      } else if (here == &loop_) {
        traced = Enter(value, offset);
      } else {
        traced = Trace(value, here->getParentLoop(), offset);
      }
      if (!traced) return false;
    }
    return true;
  }

  bool Enter(llvm::Value* value, Range offset) {
    if (offset.least != offset.most) return false;
    if (address_.entry != nullptr &&
        (address_.entry != value || address_.entry_offset != offset.least)) {
      return false;
    }
    address_.entry = value;
    address_.entry_offset = offset.least;
    return true;
  }

  bool Trace(llvm::Value* value, const llvm::Loop* around, Range offset) {
    if (value == address_.variable) {
      address_.least_step = moves_ ? std::min(address_.least_step, offset.least) : offset.least;
      address_.most_step = moves_ ? std::max(address_.most_step, offset.most) : offset.most;
      moves_ = true;
      return true;
    }
    auto* instruction = dyn_cast<llvm::Instruction>(value);
    if (++values_ > kMostValues || instruction == nullptr || !loop_.contains(instruction) ||
        !open_.insert(instruction).second) {
      return false;
    }
    const bool traced = TraceOperands(*instruction, around, offset);
    open_.erase(instruction);
    return traced;
  }

  bool TraceOperands(llvm::Instruction& instruction, const llvm::Loop* around, Range offset) {
    if (auto* merge = dyn_cast<llvm::PHINode>(&instruction)) {
      // An older value, if it is of any other loop.
      if (const llvm::Loop* loop = loops_.getLoopFor(merge->getParent());
          loop->getHeader() == merge->getParent() && loop != around) {
        return false;
      }
      return TraceMerge(*merge, around, offset);
    }
    if (auto* choice = dyn_cast<llvm::SelectInst>(&instruction)) {
      return Trace(choice->getTrueValue(), around, offset) &&
             Trace(choice->getFalseValue(), around, offset);
    }
    if (auto* element = dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      return Add(OffsetOf(*element), offset) && Trace(element->getPointerOperand(), around, offset);
    }
    auto* sum = dyn_cast<llvm::BinaryOperator>(&instruction);
    if (sum == nullptr || !KeepsWidening(*sum, address_.widening)) return false;
    llvm::Value *left = sum->getOperand(0), *right = sum->getOperand(1);
    switch (sum->getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Or: {
        const Range before = offset;
        if (Add(RangeOf(*right), offset)) return Trace(left, around, offset);
        offset = before;
        return Add(RangeOf(*left), offset) && Trace(right, around, offset);
      }
      case llvm::Instruction::Sub:
        return Add(Negative(RangeOf(*right)), offset) && Trace(left, around, offset);
      default:
        return false;
    }
  }

  static bool Add(std::optional<Range> step, Range& offset) {
    if (!step) return false;
    offset = {offset.least + step->least, offset.most + step->most};
    return offset.least > -kLongestStep && offset.most < kLongestStep;
  }

  static std::optional<Range> Negative(std::optional<Range> range) {
    if (range) range = Range{-range->most, -range->least};
    return range;
  }

  // What the value can be, as a signed number.
  std::optional<Range> RangeOf(const llvm::Value& value) const {
    const llvm::ConstantRange range =
        llvm::ConstantRange::fromKnownBits(llvm::computeKnownBits(&value, layout_), true)
            .intersectWith(llvm::computeConstantRange(&value, true), llvm::ConstantRange::Signed);
    const llvm::APInt least = range.getSignedMin(), most = range.getSignedMax();
    if (range.isEmptySet() || least.getSignificantBits() > 32 || most.getSignificantBits() > 32 ||
        (address_.widening == Widening::kUnsigned && least.isNegative())) {
      return std::nullopt;
    }
    return Range{least.getSExtValue(), most.getSExtValue()};
  }

  std::optional<Range> OffsetOf(const llvm::GetElementPtrInst& element) const {
    const unsigned bits = layout_.getIndexTypeSizeInBits(element.getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> indices;
    llvm::APInt constant(bits, 0);
    if (!element.getType()->isPointerTy() ||
        !element.collectOffset(layout_, bits, indices, constant) ||
        constant.getSignificantBits() > 32) {
      return std::nullopt;
    }
    Range offset = {constant.getSExtValue(), constant.getSExtValue()};
    for (auto& [index, size] : indices) {
      const std::optional<Range> steps = RangeOf(*index);
      // Sizes are not negative.
      if (!steps || size.getSignificantBits() > 16) return std::nullopt;
      const int64_t factor = size.getSExtValue();
      if (!Add(Range{steps->least * factor, steps->most * factor}, offset)) return std::nullopt;
    }
    return offset;
  }

  SteadyAddress& address_;
  const llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  llvm::SmallPtrSet<llvm::Instruction*, 8> open_;  // on the way from the variable
  unsigned values_ = 0;
  bool moves_ = false;
};

}  // namespace

std::optional<SteadyAddress> FindSteadyAddress(llvm::Value* address, const llvm::Loop& loop,
                                               const llvm::LoopInfo& loops,
                                               const llvm::DataLayout& layout) {
  std::optional<SteadyAddress> steady = Peeler(loop, layout).Peel(address);
  if (!steady || !Tracer(*steady, loop, loops, layout).Trace()) return std::nullopt;
  return steady;
}

}  // namespace taskrace
