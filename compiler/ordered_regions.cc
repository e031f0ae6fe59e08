#include "compiler/ordered_regions.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdlib>

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

void OrderLastRelease(llvm::Function& function) {
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

bool IsCallOperator(const llvm::Function* function) {
  if (!function) return false;
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(function->getName().str().c_str())) return false;
  char* const name = demangler.getFunctionBaseName(nullptr, nullptr);
  const bool is_it = name && llvm::StringRef(name) == "operator()";
  std::free(name);
  return is_it;
}

// The landing pad of this invoke alone.
llvm::BasicBlock* OwnLandingPad(llvm::InvokeInst& invoke) {
  llvm::BasicBlock* const shared = invoke.getUnwindDest();
  if (shared->getUniquePredecessor()) return shared;
  llvm::SmallVector<llvm::BasicBlock*, 2> parts;
  llvm::SplitLandingPadPredecessors(shared, {invoke.getParent()}, ".own", ".others", parts);
  return invoke.getUnwindDest();
}

void InterruptRegion(llvm::Function& function) {
  llvm::SmallVector<llvm::CallBase*, 1> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = dyn_cast<llvm::CallBase>(&instruction);
    if (call && IsCallOperator(call->getCalledFunction())) calls.push_back(call);
  }
  for (llvm::CallBase* call : calls) {
    BuilderBefore before(call);
    CallHook(before, "ordered_end", {});
    if (auto* invoke = dyn_cast<llvm::InvokeInst>(call)) {
      BuilderBefore thrown(&*OwnLandingPad(*invoke)->getFirstInsertionPt(), call);
      CallHook(thrown, "ordered_begin", {});
    }
    BuilderAfter after(call);
    CallHook(after, "ordered_begin", {});
  }
}

}  // namespace

void MarkOrderedRegions(llvm::Function& function) {
  if (function.getName().starts_with("_ZNSt16_Sp_counted_base")) OrderLastRelease(function);
  if (function.getName().starts_with("_ZNKSt13__future_base12_Task_setter")) {
    InterruptRegion(function);
  }
}

}  // namespace taskrace
