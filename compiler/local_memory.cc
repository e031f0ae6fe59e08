#include "compiler/local_memory.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

enum class UseKind { kHarmless, kDerives, kMerges, kEscapes };

UseKind KindOfCallUse(const llvm::Use& use, const llvm::CallBase& call,
                      const llvm::TargetLibraryInfo& library) {
  if (auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) {
    const unsigned operand = use.getOperandNo();
    switch (intrinsic->getIntrinsicID()) {
      case llvm::Intrinsic::lifetime_start:
      case llvm::Intrinsic::lifetime_end:
      case llvm::Intrinsic::invariant_start:
      case llvm::Intrinsic::invariant_end:
      case llvm::Intrinsic::assume:
      case llvm::Intrinsic::objectsize:
      case llvm::Intrinsic::vastart:
      case llvm::Intrinsic::vacopy:
      case llvm::Intrinsic::vaend:
      case llvm::Intrinsic::prefetch:
        return UseKind::kHarmless;
      case llvm::Intrinsic::launder_invariant_group:
      case llvm::Intrinsic::strip_invariant_group:
        return UseKind::kDerives;
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_gather:
      case llvm::Intrinsic::masked_expandload:
        return operand == 0 ? UseKind::kHarmless : UseKind::kEscapes;
      case llvm::Intrinsic::masked_store:
      case llvm::Intrinsic::masked_scatter:
      case llvm::Intrinsic::masked_compressstore:
        return operand == 1 ? UseKind::kHarmless : UseKind::kEscapes;
      default:
        return isa<llvm::DbgInfoIntrinsic>(intrinsic) || isa<llvm::AnyMemIntrinsic>(intrinsic)
                   ? UseKind::kHarmless
                   : UseKind::kEscapes;
    }
  }
  // The caller copies a byval argument: the callee never sees this address.
  if (call.isArgOperand(&use) && call.isByValArgument(call.getArgOperandNo(&use))) {
    return UseKind::kHarmless;
  }
  if (llvm::getFreedOperand(&call, &library) == use.get()) return UseKind::kHarmless;
  return UseKind::kEscapes;
}

UseKind KindOf(const llvm::Use& use, const llvm::TargetLibraryInfo& library) {
  const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  const unsigned operand = use.getOperandNo();
  switch (user->getOpcode()) {
    case llvm::Instruction::Load:
    case llvm::Instruction::ICmp:
      return UseKind::kHarmless;
    case llvm::Instruction::Store:
      return operand == llvm::StoreInst::getPointerOperandIndex() ? UseKind::kHarmless
                                                                  : UseKind::kEscapes;
    case llvm::Instruction::AtomicRMW:
      return operand == llvm::AtomicRMWInst::getPointerOperandIndex() ? UseKind::kHarmless
                                                                      : UseKind::kEscapes;
    case llvm::Instruction::AtomicCmpXchg:
      return operand == llvm::AtomicCmpXchgInst::getPointerOperandIndex() ? UseKind::kHarmless
                                                                          : UseKind::kEscapes;
    case llvm::Instruction::GetElementPtr:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::Freeze:
      return UseKind::kDerives;
    case llvm::Instruction::PHI:
    case llvm::Instruction::Select:
      return UseKind::kMerges;
    case llvm::Instruction::Call:
    case llvm::Instruction::Invoke:
      return KindOfCallUse(use, *llvm::cast<llvm::CallBase>(user), library);
    default:
      return UseKind::kEscapes;
  }
}

}  // namespace

LocalMemory::LocalMemory(llvm::Function& function, const llvm::TargetLibraryInfo& library) {
  for (llvm::Argument& argument : function.args()) {
    if (argument.hasByValAttr()) slots_.push_back({&argument, false, {}});
  }
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (isa<llvm::AllocaInst>(instruction) || llvm::isAllocLikeFn(&instruction, &library)) {
      slots_.push_back({&instruction, false, {}});
    }
  }
  for (auto [index, slot] : llvm::enumerate(slots_)) FollowUses(slot, index, library);

  for (bool changed = true; changed;) {
    changed = false;
    for (Slot& slot : slots_) {
      if (slot.escapes || llvm::all_of(slot.merges, [this](const llvm::Instruction* merge) {
            return MergesOnlyPrivate(*merge);
          })) {
        continue;
      }
      slot.escapes = true;
      changed = true;
    }
  }
  for (const Slot& slot : slots_) {
    if (slot.escapes && !isa<llvm::CallBase>(slot.value)) escaping_.push_back(slot.value);
  }
}

void LocalMemory::FollowUses(Slot& slot, unsigned index, const llvm::TargetLibraryInfo& library) {
  llvm::SmallVector<llvm::Value*, 16> pending = {slot.value};
  llvm::SmallPtrSet<llvm::Value*, 16> seen = {slot.value};
  origins_[slot.value].push_back(index);
  while (!pending.empty()) {
    for (const llvm::Use& use : pending.pop_back_val()->uses()) {
      const UseKind kind = KindOf(use, library);
      if (kind == UseKind::kHarmless) continue;
      if (kind == UseKind::kEscapes) {
        slot.escapes = true;
        return;
      }
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (!seen.insert(user).second) continue;
      if (kind == UseKind::kMerges) slot.merges.push_back(user);
      origins_[user].push_back(index);
      pending.push_back(user);
    }
  }
}

bool LocalMemory::MergesOnlyPrivate(const llvm::Instruction& merge) const {
  return llvm::all_of(merge.operands(), [this](const llvm::Use& use) {
    const llvm::Value* value = use.get();
    return !value->getType()->getScalarType()->isPointerTy() ||
           isa<llvm::ConstantPointerNull>(value) || isa<llvm::UndefValue>(value) ||
           IsPrivate(value);
  });
}

bool LocalMemory::IsPrivate(const llvm::Value* pointer) const {
  auto found = origins_.find(pointer);
  return found != origins_.end() &&
         llvm::any_of(found->second, [this](unsigned slot) { return !slots_[slot].escapes; });
}

}  // namespace taskrace
