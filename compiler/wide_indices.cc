#include "compiler/wide_indices.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Operator.h>

namespace taskrace {

using llvm::dyn_cast;

namespace {

// How many operations one index may be made of.
constexpr unsigned kMostOperations = 8;

// A sum, difference or product in the loop that does not overflow; null if it is anything else.
llvm::BinaryOperator* ExactOperation(llvm::Value* value, const llvm::Loop& loop) {
  auto* operation = dyn_cast<llvm::BinaryOperator>(value);
  if (operation == nullptr || !loop.contains(operation)) return nullptr;
  switch (operation->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
      return operation->hasNoSignedWrap() ? operation : nullptr;
    default:
      return nullptr;
  }
}

bool HasProduct(llvm::Value* value, const llvm::Loop& loop, unsigned& operations) {
  const llvm::BinaryOperator* operation = ExactOperation(value, loop);
  if (operation == nullptr || ++operations > kMostOperations) return false;
  return operation->getOpcode() == llvm::Instruction::Mul ||
         HasProduct(operation->getOperand(0), loop, operations) ||
         HasProduct(operation->getOperand(1), loop, operations);
}

llvm::Value* Widened(llvm::Value* value, llvm::Type* type, const llvm::Loop& loop,
                     llvm::IRBuilderBase& builder, unsigned operations = kMostOperations) {
  const llvm::BinaryOperator* operation = ExactOperation(value, loop);
  if (operation == nullptr || operations == 0) return builder.CreateSExt(value, type);
  llvm::Value* left = Widened(operation->getOperand(0), type, loop, builder, operations / 2);
  llvm::Value* right = Widened(operation->getOperand(1), type, loop, builder, operations / 2);
  llvm::Value* wide = builder.CreateBinOp(operation->getOpcode(), left, right);
  if (auto* made = dyn_cast<llvm::BinaryOperator>(wide)) made->setHasNoSignedWrap(true);
  return wide;
}

// Is the number widened as a signed one? If it is not negative, either way is the same.
bool IsSigned(const llvm::CastInst& cast) {
  return cast.getOpcode() == llvm::Instruction::SExt ||
         (cast.getOpcode() == llvm::Instruction::ZExt && cast.hasNonNeg());
}

}  // namespace

void WidenIndices(llvm::Loop& loop) {
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
      auto* cast = dyn_cast<llvm::CastInst>(&instruction);
      unsigned operations = 0;
      if (cast == nullptr || !cast->getType()->isIntegerTy() || !IsSigned(*cast) ||
          !HasProduct(cast->getOperand(0), loop, operations)) {
        continue;
      }
      llvm::IRBuilder<> builder(cast);
      cast->replaceAllUsesWith(Widened(cast->getOperand(0), cast->getType(), loop, builder));
      cast->eraseFromParent();
    }
  }
}

}  // namespace taskrace
