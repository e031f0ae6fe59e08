#include "compiler/ordered_regions.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/hook_calls.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::dyn_cast;

namespace {

// The virtual functions of the control block are called through a pointer; the others by name.
bool Destroys(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return !call.isInlineAsm();
  const llvm::StringRef name = callee->getName();
  return name.contains("_M_release_last_use") || name.contains("_M_dispose") ||
         name.contains("_M_destroy");
}

// Members of the control block, not the function's own variables.
bool StoresToBlock(const llvm::StoreInst& store) {
  return !store.isAtomic() && !llvm::isa<llvm::AllocaInst>(store.getPointerOperand());
}

}  // namespace

void MarkOrderedRegions(llvm::Function& function) {
  if (!function.getName().starts_with("_ZNSt16_Sp_counted_base")) return;
  // The constructor's stores come before anybody else knows the block.
  if (function.getName().contains("EEC")) return;
  llvm::SmallVector<llvm::Instruction*, 8> ordered;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = dyn_cast<llvm::CallInst>(&instruction)) {
      if (Destroys(*call)) ordered.push_back(call);
    } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      if (StoresToBlock(*store)) ordered.push_back(store);
    }
  }
  for (llvm::Instruction* instruction : ordered) {
    BuilderBefore before(instruction);
    CallHook(before, "ordered_begin", {});
    BuilderBefore after(instruction->getNextNode());
    CallHook(after, "ordered_end", {});
    ++Counters::kOrdered;
  }
}

}  // namespace taskrace
