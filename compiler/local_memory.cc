#include "compiler/local_memory.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passed_memory.h"
#include "compiler/x86_intrinsics.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

enum class UseKind { kHarmless, kShows, kDerives, kMerges, kHandsOver, kReturns, kEscapes };

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
        return isa<llvm::DbgInfoIntrinsic>(intrinsic) || isa<llvm::AnyMemIntrinsic>(intrinsic) ||
                       IsKnownX86Intrinsic(*intrinsic->getCalledFunction())
                   ? UseKind::kHarmless
                   : UseKind::kEscapes;
    }
  }
  // The caller copies a byval argument: the callee never sees this address.
  if (call.isArgOperand(&use) && call.isByValArgument(call.getArgOperandNo(&use))) {
    return UseKind::kHarmless;
  }
  if (llvm::getFreedOperand(&call, &library) == use.get()) return UseKind::kHarmless;
  if (IsBookkeepingOfRuntime(use)) return UseKind::kHarmless;
  const llvm::Argument* argument = ArgumentFor(use);
  if (argument == nullptr || !IsKept(*argument)) return UseKind::kEscapes;
  if (call.getCalledFunction() != argument->getParent()) {
    return IsPrivate(*argument) ? UseKind::kHandsOver : UseKind::kEscapes;
  }
  return IsUnseen(*argument) ? UseKind::kHarmless : UseKind::kShows;
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
    case llvm::Instruction::Ret:
      return UseKind::kReturns;
    default:
      return UseKind::kEscapes;
  }
}

// Can the use of a pointer be made to depend on where it points to? That is so of the accesses that
// checks are planned for (checks.h).
bool CanBeConditional(const llvm::Use& use) {
  auto has_known_size = [](const llvm::Type* type) {
    return type->isSized() && !type->isScalableTy();
  };
  const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  if (const auto* load = dyn_cast<llvm::LoadInst>(user)) {
    return load->isSimple() && has_known_size(load->getType());
  }
  if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
    return store->isSimple() && has_known_size(store->getValueOperand()->getType());
  }
  return isa<llvm::ICmpInst>(user);
}

// Can the program come from `from` to one of `users` without making the storage anew?
bool IsUsedAfter(const llvm::Instruction& from, const llvm::Value& storage,
                 const llvm::SmallPtrSetImpl<const llvm::Instruction*>& users) {
  llvm::SmallVector<const llvm::Instruction*, 8> pending;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  auto go_on_after = [&](const llvm::Instruction& instruction) {
    if (!instruction.isTerminator()) {
      pending.push_back(instruction.getNextNode());
      return;
    }
    for (const llvm::BasicBlock* next : llvm::successors(instruction.getParent())) {
      if (seen.insert(next).second) pending.push_back(&next->front());
    }
  };
  go_on_after(from);
  while (!pending.empty()) {
    const llvm::Instruction* at = pending.pop_back_val();
    if (at == &storage) continue;
    if (users.contains(at)) return true;
    go_on_after(*at);
  }
  return false;
}

}  // namespace

LocalMemory::LocalMemory(llvm::Function& function, const llvm::TargetLibraryInfo& library) {
  for (llvm::Argument& argument : function.args()) {
    if (argument.hasByValAttr() || taskrace::IsKept(argument)) slots_.push_back({&argument});
  }
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (isa<llvm::AllocaInst>(instruction) || llvm::isAllocLikeFn(&instruction, &library) ||
        IsTaskStorage(instruction)) {
      slots_.push_back({&instruction});
    }
  }
  for (auto [index, slot] : llvm::enumerate(slots_)) FollowUses(slot, index, library);

  for (bool changed = true; changed;) {
    changed = false;
    for (Slot& slot : slots_) {
      if (slot.escapes || slot.is_mixed || !slot.IsOwned() ||
          llvm::all_of(slot.merges, [this](const llvm::Instruction* merge) {
            return MergesOnlyPrivate(*merge);
          })) {
        continue;
      }
      (slot.can_be_mixed && !function.hasOptNone() ? slot.is_mixed : slot.escapes) = true;
      changed = true;
    }
  }
  for (const Slot& slot : slots_) {
    const auto* argument = dyn_cast<llvm::Argument>(slot.value);
    const bool is_variable =
        argument ? argument->hasByValAttr() : isa<llvm::AllocaInst>(slot.value);
    if (is_variable && (slot.escapes || slot.is_shown)) announced_.push_back(slot.value);
  }
}

bool LocalMemory::Slot::IsOwned() const {
  const auto* argument = dyn_cast<llvm::Argument>(value);
  return argument == nullptr || argument->hasByValAttr() || taskrace::IsPrivate(*argument);
}

void LocalMemory::FollowUses(Slot& slot, unsigned index, const llvm::TargetLibraryInfo& library) {
  llvm::SmallVector<llvm::Value*, 16> pending = {slot.value};
  llvm::SmallPtrSet<llvm::Value*, 16> seen = {slot.value};
  origins_[slot.value].push_back({index, false});
  llvm::SmallPtrSet<llvm::Value*, 8> merged;
  const auto* variable = dyn_cast<llvm::AllocaInst>(slot.value);
  slot.can_be_mixed = variable != nullptr && variable->isStaticAlloca();
  llvm::SmallPtrSet<const llvm::Instruction*, 16> users;
  llvm::SmallVector<const llvm::Instruction*, 1> handed_over;
  bool is_returned = false;
  while (!pending.empty()) {
    llvm::Value* pointer = pending.pop_back_val();
    const bool is_merged = merged.contains(pointer);
    for (const llvm::Use& use : pointer->uses()) {
      const UseKind kind = KindOf(use, library);
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      users.insert(user);
      slot.can_be_mixed &= !is_merged || kind == UseKind::kDerives || kind == UseKind::kMerges ||
                           CanBeConditional(use);
      slot.is_shown |= kind == UseKind::kShows;
      if (kind == UseKind::kHarmless || kind == UseKind::kShows) continue;
      if (kind == UseKind::kReturns) {
        is_returned = true;
        continue;
      }
      if (kind == UseKind::kHandsOver && use.get() == slot.value && IsTaskStorage(*slot.value)) {
        handed_over.push_back(user);
        continue;
      }
      if (kind == UseKind::kEscapes || kind == UseKind::kHandsOver) {
        slot.escapes = true;
        return;
      }
      if (!seen.insert(user).second) continue;
      if (kind == UseKind::kMerges) slot.merges.push_back(user);
      if (is_merged || kind == UseKind::kMerges) merged.insert(user);
      origins_[user].push_back({index, merged.contains(user)});
      pending.push_back(user);
    }
  }
  slot.is_only_returned = is_returned && slot.merges.empty() && handed_over.empty();
  slot.escapes = is_returned || llvm::any_of(handed_over, [&](const llvm::Instruction* there) {
                   // A merge may keep the address beyond the making of the next one.
                   return !slot.merges.empty() || IsUsedAfter(*there, *slot.value, users);
                 });
}

const LocalMemory::Slot* LocalMemory::SlotOf(const llvm::Value& value) const {
  const auto found = llvm::find_if(slots_, [&](const Slot& slot) { return slot.value == &value; });
  return found != slots_.end() ? &*found : nullptr;
}

bool LocalMemory::IsKept(const llvm::Argument& argument) const {
  const Slot* slot = SlotOf(argument);
  return slot != nullptr && !slot->escapes;
}

bool LocalMemory::IsShown(const llvm::Argument& argument) const {
  const Slot* slot = SlotOf(argument);
  return slot == nullptr || slot->is_shown;
}

bool LocalMemory::IsOnlyReturned(const llvm::CallBase& storage) const {
  const Slot* slot = SlotOf(storage);
  return slot != nullptr && slot->is_only_returned;
}

bool LocalMemory::MergesOnlyPrivate(const llvm::Instruction& merge) const {
  return llvm::all_of(merge.operands(), [this](const llvm::Use& use) {
    const llvm::Value* value = use.get();
    return !value->getType()->getScalarType()->isPointerTy() ||
           isa<llvm::ConstantPointerNull>(value) || isa<llvm::UndefValue>(value) ||
           IsPrivate(value);
  });
}

bool LocalMemory::IsPrivate(Origin origin) const {
  const Slot& slot = slots_[origin.slot];
  return !slot.escapes && slot.IsOwned() && !(slot.is_mixed && origin.is_merged);
}

bool LocalMemory::IsPrivate(const llvm::Value* pointer) const {
  auto found = origins_.find(pointer);
  return found != origins_.end() &&
         llvm::any_of(found->second, [this](Origin origin) { return IsPrivate(origin); });
}

llvm::SmallVector<llvm::AllocaInst*, 1> LocalMemory::MixedInto(const llvm::Value* pointer) const {
  llvm::SmallVector<llvm::AllocaInst*, 1> variables;
  auto found = origins_.find(pointer);
  if (found == origins_.end() || IsPrivate(pointer)) return variables;
  for (Origin origin : found->second) {
    const Slot& slot = slots_[origin.slot];
    if (slot.is_mixed) variables.push_back(llvm::cast<llvm::AllocaInst>(slot.value));
  }
  return variables;
}

}  // namespace taskrace
