#include "compiler/allocation_functions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/hook_calls.h"

namespace taskrace {

namespace {

// Mangled: behind _Z, or behind a class and in front of E with the parameters.
bool IsOperator(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> operators,
                llvm::ArrayRef<llvm::StringRef> parameters) {
  return llvm::any_of(operators, [&](llvm::StringRef op) {
    return llvm::any_of(parameters, [&](llvm::StringRef list) {
      return name == ("_Z" + op + list).str() ||
             (name.starts_with("_ZN") && name.ends_with((op + "E" + list).str()));
    });
  });
}

bool IsNew(llvm::StringRef name) {
  return IsOperator(name, {"nw", "na"},
                    {"m", "mSt11align_val_t", "mRKSt9nothrow_t", "mSt11align_val_tRKSt9nothrow_t"});
}
bool IsDelete(llvm::StringRef name) {
  return IsOperator(name, {"dl", "da"}, {"Pv", "Pvm", "PvSt11align_val_t", "PvmSt11align_val_t"});
}

llvm::SmallVector<llvm::ReturnInst*, 4> ReturnsOf(llvm::Function& function) {
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* leaving = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) returns.push_back(leaving);
  }
  return returns;
}

}  // namespace

void MarkAllocationFunction(llvm::Function& function) {
  if (IsNew(function.getName())) {
    for (llvm::ReturnInst* leaving : ReturnsOf(function)) {
      BuilderBefore before(leaving);
      CallHook(before, "allocated", {leaving->getReturnValue(), function.getArg(0)});
    }
  } else if (IsDelete(function.getName())) {
    BuilderBefore begin(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    llvm::Value* const is_pooled =
        CallHook(begin, "deallocating", {function.getArg(0)}, begin.getInt32Ty());
    for (llvm::ReturnInst* leaving : ReturnsOf(function)) {
      BuilderBefore before(leaving);
      CallHook(before, "deallocated", {is_pooled});
    }
  }
}

}  // namespace taskrace
