#include "compiler/accesses.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/hook_calls.h"
#include "compiler/places.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

// Emits the checks of one instruction.
class Checker {
 public:
  Checker(llvm::Instruction* instruction, const LocalMemory& local)
      : local_(local), layout_(instruction->getModule()->getDataLayout()), builder_(instruction) {}

  bool emitted() const { return emitted_; }

  // An access of a value of `type` at `pointer`. Bytes that are only padding of the store are not
  // touched: a long double has ten.
  void Access(AccessKind kind, llvm::Value* pointer, llvm::Type* type) {
    if (IsChecked(kind, pointer)) Emit(kind, pointer, StoreSize(type));
  }

  void Range(AccessKind kind, llvm::Value* pointer, llvm::Value* size) {
    if (IsChecked(kind, pointer)) Emit(kind, pointer, size);
  }

  // Lane i of a vector of `type` is at pointer + i * its size, if `mask` has it.
  void MaskedVector(AccessKind kind, llvm::Value* pointer, llvm::Value* mask, llvm::Type* type) {
    auto* vector = dyn_cast<llvm::FixedVectorType>(type);
    if (!vector || !IsChecked(kind, pointer)) return;
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
      llvm::Value* address =
          lane == 0 ? pointer
                    : builder_.CreateConstGEP1_64(vector->getElementType(), pointer, lane);
      Emit(kind, address, SizeIfActive(mask, lane, vector->getElementType()));
    }
  }

  // Lane i is at pointers[i], if `mask` has it.
  void MaskedLanes(AccessKind kind, llvm::Value* pointers, llvm::Value* mask, llvm::Type* type) {
    auto* vector = dyn_cast<llvm::FixedVectorType>(type);
    if (!vector || !IsChecked(kind, pointers)) return;
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
      Emit(kind, builder_.CreateExtractElement(pointers, lane),
           SizeIfActive(mask, lane, vector->getElementType()));
    }
  }

  // The active lanes are packed, beginning at `pointer`.
  void PackedVector(AccessKind kind, llvm::Value* pointer, llvm::Value* mask, llvm::Type* type) {
    auto* vector = dyn_cast<llvm::FixedVectorType>(type);
    if (!vector || !IsChecked(kind, pointer)) return;
    llvm::Value* wide = builder_.CreateZExt(
        mask, llvm::FixedVectorType::get(SizeType(builder_), vector->getNumElements()));
    llvm::Value* active = builder_.CreateAddReduce(wide);
    Emit(kind, pointer, builder_.CreateMul(active, StoreSize(vector->getElementType())));
  }

 private:
  bool IsChecked(AccessKind kind, llvm::Value* pointer) {
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

  void Emit(AccessKind kind, llvm::Value* pointer, llvm::Value* size) {
    CallAccessHook(builder_, kind, pointer, size);
    emitted_ = true;
  }

  llvm::Value* StoreSize(llvm::Type* type) {
    return builder_.CreateTypeSize(SizeType(builder_), layout_.getTypeStoreSize(type));
  }

  // An empty range stands for «not touched», which needs no branch around the hook.
  llvm::Value* SizeIfActive(llvm::Value* mask, unsigned lane, llvm::Type* element) {
    llvm::Value* active = builder_.CreateExtractElement(mask, lane);
    return builder_.CreateSelect(active, StoreSize(element),
                                 llvm::ConstantInt::get(SizeType(builder_), 0));
  }

  const LocalMemory& local_;
  const llvm::DataLayout& layout_;
  BuilderBefore builder_;
  bool emitted_ = false;
};

void CheckIntrinsic(Checker& checker, llvm::IntrinsicInst& call) {
  if (auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(&call)) {
    checker.Range(AccessKind::kRead, transfer->getRawSource(), transfer->getLength());
    checker.Range(AccessKind::kWrite, transfer->getRawDest(), transfer->getLength());
    return;
  }
  if (auto* set = dyn_cast<llvm::AnyMemSetInst>(&call)) {
    checker.Range(AccessKind::kWrite, set->getRawDest(), set->getLength());
    return;
  }
  auto argument = [&call](unsigned index) { return call.getArgOperand(index); };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
      checker.MaskedVector(AccessKind::kRead, argument(0), argument(2), call.getType());
      break;
    case llvm::Intrinsic::masked_store:
      checker.MaskedVector(AccessKind::kWrite, argument(1), argument(3), argument(0)->getType());
      break;
    case llvm::Intrinsic::masked_gather:
      checker.MaskedLanes(AccessKind::kRead, argument(0), argument(2), call.getType());
      break;
    case llvm::Intrinsic::masked_scatter:
      checker.MaskedLanes(AccessKind::kWrite, argument(1), argument(3), argument(0)->getType());
      break;
    case llvm::Intrinsic::masked_expandload:
      checker.PackedVector(AccessKind::kRead, argument(0), argument(1), call.getType());
      break;
    case llvm::Intrinsic::masked_compressstore:
      checker.PackedVector(AccessKind::kWrite, argument(1), argument(2), argument(0)->getType());
      break;
    default:
      break;
  }
}

void CheckAssembler(Checker& checker, llvm::CallBase& call) {
  unsigned argument = 0;
  for (const llvm::InlineAsm::ConstraintInfo& operand :
       cast<llvm::InlineAsm>(call.getCalledOperand())->ParseConstraints()) {
    const bool output = operand.Type == llvm::InlineAsm::isOutput;
    if (output ? !operand.isIndirect : operand.Type != llvm::InlineAsm::isInput) continue;
    if (llvm::Type* type = call.getParamElementType(argument); operand.isIndirect && type) {
      checker.Access(output ? AccessKind::kWrite : AccessKind::kRead, call.getArgOperand(argument),
                     type);
    }
    ++argument;
  }
}

void CheckCall(Checker& checker, llvm::CallBase& call) {
  if (auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) {
    CheckIntrinsic(checker, *intrinsic);
    return;
  }
  if (call.isInlineAsm()) {
    CheckAssembler(checker, call);
    return;
  }
  for (unsigned index = 0; index < call.arg_size(); ++index) {
    if (call.isByValArgument(index)) {
      checker.Access(AccessKind::kRead, call.getArgOperand(index), call.getParamByValType(index));
    }
  }
}

}  // namespace

bool CheckAccesses(llvm::Instruction* instruction, const LocalMemory& local) {
  if (instruction->hasMetadata(llvm::LLVMContext::MD_nosanitize)) return false;
  Checker checker(instruction, local);
  if (auto* load = dyn_cast<llvm::LoadInst>(instruction)) {
    checker.Access(load->isAtomic() ? AccessKind::kAtomicRead : AccessKind::kRead,
                   load->getPointerOperand(), load->getType());
  } else if (auto* store = dyn_cast<llvm::StoreInst>(instruction)) {
    checker.Access(store->isAtomic() ? AccessKind::kAtomicWrite : AccessKind::kWrite,
                   store->getPointerOperand(), store->getValueOperand()->getType());
  } else if (auto* update = dyn_cast<llvm::AtomicRMWInst>(instruction)) {
    checker.Access(AccessKind::kAtomicWrite, update->getPointerOperand(),
                   update->getValOperand()->getType());
  } else if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(instruction)) {
    checker.Access(AccessKind::kAtomicWrite, exchange->getPointerOperand(),
                   exchange->getNewValOperand()->getType());
  } else if (auto* call = dyn_cast<llvm::CallBase>(instruction)) {
    CheckCall(checker, *call);
  }
  return checker.emitted();
}

}  // namespace taskrace
