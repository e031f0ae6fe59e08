#include "compiler/atomic_order.h"

#include "taskrace/hooks.h"

namespace taskrace {

using llvm::dyn_cast;

namespace {

unsigned BitsOf(llvm::AtomicOrdering ordering) {
  return (llvm::isAcquireOrStronger(ordering) ? TASKRACE_ACQUIRES : 0u) |
         (llvm::isReleaseOrStronger(ordering) ? TASKRACE_RELEASES : 0u);
}

}  // namespace

unsigned AtomicOrder(const llvm::Instruction& instruction) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    if (!load->isAtomic()) return 0;
    return TASKRACE_READS | (BitsOf(load->getOrdering()) & TASKRACE_ACQUIRES);
  }
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!store->isAtomic()) return 0;
    return TASKRACE_WRITES | (BitsOf(store->getOrdering()) & TASKRACE_RELEASES);
  }
  const unsigned used = instruction.use_empty() ? 0u : TASKRACE_READS;
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return used | TASKRACE_WRITES | TASKRACE_UPDATES | BitsOf(update->getOrdering());
  }
  if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return used | TASKRACE_WRITES | TASKRACE_UPDATES | BitsOf(exchange->getMergedOrdering());
  }
  if (const auto* fence = dyn_cast<llvm::FenceInst>(&instruction)) {
    return fence->getSyncScopeID() == llvm::SyncScope::SingleThread ? 0
                                                                    : BitsOf(fence->getOrdering());
  }
  return 0;
}

bool OrdersOthers(const llvm::Instruction& instruction) {
  return (AtomicOrder(instruction) & (TASKRACE_ACQUIRES | TASKRACE_RELEASES)) != 0;
}

unsigned AtomicOrderOfCall(AccessKind kind) {
  return kind == AccessKind::kAtomicRead ? TASKRACE_READS | TASKRACE_ACQUIRES
                                         : TASKRACE_READS | TASKRACE_WRITES | TASKRACE_UPDATES |
                                               TASKRACE_ACQUIRES | TASKRACE_RELEASES;
}

void CallAcquireHook(llvm::IRBuilderBase& builder, llvm::Value* address, unsigned order) {
  CallHook(builder, "atomic_acquire", {address, builder.getInt32(order)});
}

void CallReleaseHook(llvm::IRBuilderBase& builder, llvm::Value* address, unsigned order) {
  if ((order & TASKRACE_WRITES) != 0) {
    CallHook(builder, "atomic_release", {address, builder.getInt32(order)});
  }
}

AnnouncedOrder::AnnouncedOrder(llvm::Instruction* instruction, const LocalMemory& local)
    : instruction_(instruction), order_(AtomicOrder(*instruction)) {
  if (order_ == 0) return;
  BuilderBefore builder(instruction);
  if (llvm::isa<llvm::FenceInst>(instruction)) {
    CallHook(builder, "atomic_fence", {builder.getInt32(order_)});
    return;
  }
  llvm::Value* const address =
      const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(instruction));
  address_ = address != nullptr ? address : instruction->getOperand(0);
  if (local.IsPrivate(address_)) {
    address_ = nullptr;
    return;
  }
  if ((order_ & TASKRACE_READS) != 0) CallAcquireHook(builder, address_, order_);
}

AnnouncedOrder::~AnnouncedOrder() {
  if (address_ == nullptr) return;
  BuilderBefore builder(instruction_);
  CallReleaseHook(builder, address_, order_);
}

}  // namespace taskrace
