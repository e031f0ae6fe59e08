#include "compiler/access_checks.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

#include "compiler/places.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::FixedVectorType;

void AccessChecks::Access(AccessKind kind, llvm::Value* pointer, llvm::Type* type) {
  if (IsChecked(kind, pointer)) Emit(kind, pointer, StoreSize(type));
}

void AccessChecks::Range(AccessKind kind, llvm::Value* pointer, llvm::Value* size) {
  if (IsChecked(kind, pointer)) Emit(kind, pointer, size);
}

void AccessChecks::Range(AccessKind kind, llvm::Value* pointer, uint64_t size) {
  Range(kind, pointer, llvm::ConstantInt::get(SizeType(builder_), size));
}

void AccessChecks::MaskedVector(AccessKind kind, llvm::Value* pointer, llvm::Value* mask,
                                llvm::Type* type) {
  auto* vector = dyn_cast<FixedVectorType>(type);
  if (!vector || !IsChecked(kind, pointer)) return;
  llvm::Type* element = vector->getElementType();
  EmitLanes(kind, vector->getNumElements(), element, mask, [&](unsigned lane) {
    return lane == 0 ? pointer : builder_.CreateConstGEP1_64(element, pointer, lane);
  });
}

void AccessChecks::MaskedLanes(AccessKind kind, llvm::Value* pointers, llvm::Value* mask,
                               llvm::Type* type) {
  auto* vector = dyn_cast<FixedVectorType>(type);
  if (!vector || !IsChecked(kind, pointers)) return;
  EmitLanes(kind, vector->getNumElements(), vector->getElementType(), mask,
            [&](unsigned lane) { return builder_.CreateExtractElement(pointers, lane); });
}

void AccessChecks::IndexedLanes(AccessKind kind, llvm::Value* base, llvm::Value* indices,
                                llvm::Value* scale, llvm::Value* mask, llvm::Type* type) {
  if (!IsChecked(kind, base)) return;
  auto* vector = llvm::cast<FixedVectorType>(type);
  auto* index_type = llvm::cast<FixedVectorType>(indices->getType());
  llvm::IntegerType* word = SizeType(builder_);
  llvm::Value* factor = builder_.CreateZExt(scale, word);
  EmitLanes(kind, std::min(vector->getNumElements(), index_type->getNumElements()),
            vector->getElementType(), mask, [&](unsigned lane) {
              llvm::Value* index =
                  builder_.CreateSExt(builder_.CreateExtractElement(indices, lane), word);
              return builder_.CreatePtrAdd(base, builder_.CreateMul(index, factor));
            });
}

void AccessChecks::PackedVector(AccessKind kind, llvm::Value* pointer, llvm::Value* mask,
                                llvm::Type* type) {
  auto* vector = dyn_cast<FixedVectorType>(type);
  if (!vector || !IsChecked(kind, pointer)) return;
  llvm::Value* wide =
      builder_.CreateZExt(mask, FixedVectorType::get(SizeType(builder_), vector->getNumElements()));
  llvm::Value* active = builder_.CreateAddReduce(wide);
  Emit(kind, pointer, builder_.CreateMul(active, StoreSize(vector->getElementType())));
}

llvm::Value* AccessChecks::BitsOfMask(llvm::Value* mask) {
  if (mask->getType()->isIntegerTy()) {
    return builder_.CreateBitCast(
        mask, FixedVectorType::get(builder_.getInt1Ty(), mask->getType()->getIntegerBitWidth()));
  }
  if (mask->getType()->getScalarSizeInBits() == 1) return mask;
  if (mask->getType()->isX86_MMXTy()) {
    mask = builder_.CreateBitCast(mask, FixedVectorType::get(builder_.getInt8Ty(), 8));
  }
  auto* vector = llvm::cast<FixedVectorType>(mask->getType());
  llvm::Value* numbers = builder_.CreateBitCast(mask, FixedVectorType::getInteger(vector));
  return builder_.CreateIsNeg(numbers);
}

bool AccessChecks::IsChecked(AccessKind kind, llvm::Value* pointer) {
  switch (PlaceOf(pointer, local_)) {
    case Place::kShared:
      return true;
    case Place::kConstant:
      if (kind != AccessKind::kRead) return true;
      ++Counters::kSkippedConstant;
      return false;
    case Place::kPrivate:
      ++Counters::kSkippedPrivate;
      return false;
    case Place::kThreadLocal:
      ++Counters::kSkippedThreadLocal;
      return false;
    case Place::kForeign:
      ++Counters::kSkippedOther;
      return false;
  }
  llvm_unreachable("all places are handled");
}

void AccessChecks::Emit(AccessKind kind, llvm::Value* pointer, llvm::Value* size) {
  CallAccessHook(builder_, kind, pointer, size);
  emitted_ = true;
}

void AccessChecks::EmitLanes(AccessKind kind, unsigned lanes, llvm::Type* element,
                             llvm::Value* mask, AddressOfLane address) {
  llvm::Value* nothing = llvm::ConstantInt::get(SizeType(builder_), 0);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    llvm::Value* there = address(lane);
    llvm::Value* active = builder_.CreateExtractElement(mask, lane);
    Emit(kind, there, builder_.CreateSelect(active, StoreSize(element), nothing));
  }
}

llvm::Value* AccessChecks::StoreSize(llvm::Type* type) {
  return builder_.CreateTypeSize(SizeType(builder_), layout_.getTypeStoreSize(type));
}

}  // namespace taskrace
