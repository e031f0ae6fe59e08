#include "compiler/accesses.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/access_checks.h"
#include "compiler/atomic_order.h"
#include "compiler/x86_intrinsics.h"

namespace taskrace {

using llvm::cast;
using llvm::dyn_cast;

namespace {

void CheckIntrinsic(AccessChecks& checks, llvm::IntrinsicInst& call) {
  if (auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(&call)) {
    checks.Range(AccessKind::kRead, transfer->getRawSource(), transfer->getLength());
    checks.Range(AccessKind::kWrite, transfer->getRawDest(), transfer->getLength());
    return;
  }
  if (auto* set = dyn_cast<llvm::AnyMemSetInst>(&call)) {
    checks.Range(AccessKind::kWrite, set->getRawDest(), set->getLength());
    return;
  }
  auto argument = [&call](unsigned index) { return call.getArgOperand(index); };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
      checks.MaskedVector(AccessKind::kRead, argument(0), argument(2), call.getType());
      break;
    case llvm::Intrinsic::masked_store:
      checks.MaskedVector(AccessKind::kWrite, argument(1), argument(3), argument(0)->getType());
      break;
    case llvm::Intrinsic::masked_gather:
      checks.MaskedLanes(AccessKind::kRead, argument(0), argument(2), call.getType());
      break;
    case llvm::Intrinsic::masked_scatter:
      checks.MaskedLanes(AccessKind::kWrite, argument(1), argument(3), argument(0)->getType());
      break;
    case llvm::Intrinsic::masked_expandload:
      checks.PackedVector(AccessKind::kRead, argument(0), argument(1), call.getType());
      break;
    case llvm::Intrinsic::masked_compressstore:
      checks.PackedVector(AccessKind::kWrite, argument(1), argument(2), argument(0)->getType());
      break;
    default:
      CheckX86Intrinsic(checks, call);
      break;
  }
}

void CheckAssembler(AccessChecks& checks, llvm::CallBase& call) {
  unsigned argument = 0;
  for (const llvm::InlineAsm::ConstraintInfo& operand :
       cast<llvm::InlineAsm>(call.getCalledOperand())->ParseConstraints()) {
    const bool output = operand.Type == llvm::InlineAsm::isOutput;
    if (output ? !operand.isIndirect : operand.Type != llvm::InlineAsm::isInput) continue;
    if (llvm::Type* type = call.getParamElementType(argument); operand.isIndirect && type) {
      checks.Access(output ? AccessKind::kWrite : AccessKind::kRead, call.getArgOperand(argument),
                    type);
    }
    ++argument;
  }
}

void CheckCall(AccessChecks& checks, llvm::CallBase& call) {
  if (auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) {
    CheckIntrinsic(checks, *intrinsic);
    return;
  }
  if (call.isInlineAsm()) {
    CheckAssembler(checks, call);
    return;
  }
  for (unsigned index = 0; index < call.arg_size(); ++index) {
    if (call.isByValArgument(index)) {
      checks.Access(AccessKind::kRead, call.getArgOperand(index), call.getParamByValType(index));
    }
  }
}

}  // namespace

bool CheckAccesses(llvm::Instruction* instruction, const LocalMemory& local) {
  if (instruction->hasMetadata(llvm::LLVMContext::MD_nosanitize)) return false;
  const AnnouncedOrder announced(instruction, local);
  AccessChecks checks(instruction, local);
  if (auto* load = dyn_cast<llvm::LoadInst>(instruction)) {
    checks.Access(load->isAtomic() ? AccessKind::kAtomicRead : AccessKind::kRead,
                  load->getPointerOperand(), load->getType());
  } else if (auto* store = dyn_cast<llvm::StoreInst>(instruction)) {
    checks.Access(store->isAtomic() ? AccessKind::kAtomicWrite : AccessKind::kWrite,
                  store->getPointerOperand(), store->getValueOperand()->getType());
  } else if (auto* update = dyn_cast<llvm::AtomicRMWInst>(instruction)) {
    checks.Access(AccessKind::kAtomicWrite, update->getPointerOperand(),
                  update->getValOperand()->getType());
  } else if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(instruction)) {
    checks.Access(AccessKind::kAtomicWrite, exchange->getPointerOperand(),
                  exchange->getNewValOperand()->getType());
  } else if (auto* call = dyn_cast<llvm::CallBase>(instruction)) {
    CheckCall(checks, *call);
  }
  return checks.emitted();
}

}  // namespace taskrace
