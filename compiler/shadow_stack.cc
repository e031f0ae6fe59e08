#include "compiler/shadow_stack.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "compiler/hook_calls.h"
#include "compiler/statistics.h"
#include "taskrace/hooks.h"

namespace taskrace {

namespace {

llvm::GlobalVariable* TopVariable(llvm::Module& module) {
  constexpr llvm::StringLiteral kName = "__taskrace_top";
  if (llvm::GlobalVariable* top = module.getGlobalVariable(kName)) return top;
  return new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()), false,
                                  llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
                                  llvm::GlobalValue::InitialExecTLSModel);
}

// Accesses to the shadow stack must not be checked, neither by us nor by another sanitizer.
void Hide(llvm::Instruction* access) {
  access->setMetadata(llvm::LLVMContext::MD_nosanitize,
                      llvm::MDNode::get(access->getContext(), {}));
}

void SetTop(llvm::IRBuilderBase& builder, llvm::GlobalVariable* top, llvm::Value* frame) {
  Hide(builder.CreateStore(frame, builder.CreateThreadLocalAddress(top)));
}

}  // namespace

void MaintainShadowStack(llvm::Function& function, llvm::ArrayRef<llvm::Instruction*> exits) {
  llvm::GlobalVariable* top = TopVariable(*function.getParent());
  llvm::SmallVector<llvm::CallBase*, 2> return_twice;
  llvm::SmallVector<llvm::LandingPadInst*, 8> landing_pads;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (call->hasFnAttr(llvm::Attribute::ReturnsTwice)) return_twice.push_back(call);
    } else if (auto* pad = llvm::dyn_cast<llvm::LandingPadInst>(&instruction)) {
      landing_pads.push_back(pad);
    }
  }

  BuilderBefore entry(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  // Part of the prologue, for debuggers that stop at the function.
  if (llvm::DISubprogram* subprogram = function.getSubprogram()) {
    entry.SetCurrentDebugLocation(
        llvm::DILocation::get(function.getContext(), subprogram->getScopeLine(), 0, subprogram));
  }
  llvm::Type* byte = entry.getInt8Ty();
  llvm::LoadInst* callers = entry.CreateLoad(entry.getPtrTy(), entry.CreateThreadLocalAddress(top));
  Hide(callers);
  llvm::Value* mine = entry.CreateConstGEP1_64(byte, callers, sizeof(__taskrace_frame));
  llvm::Value* return_address =
      entry.CreateIntrinsic(llvm::Intrinsic::returnaddress, {}, {entry.getInt32(0)});
  Hide(entry.CreateStore(
      return_address,
      entry.CreateConstGEP1_64(byte, mine, offsetof(__taskrace_frame, return_address))));
  Hide(entry.CreateStore(entry.getInt32(0), entry.CreateConstGEP1_64(
                                                byte, mine, offsetof(__taskrace_frame, context))));
  SetTop(entry, top, mine);
  ++Counters::kEntries;
  // Inlined at link time, it would take its caller's return address for its own.
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
  function.addFnAttr(llvm::Attribute::NoInline);

  for (llvm::Instruction* exit : exits) {
    BuilderBefore builder(exit);
    SetTop(builder, top, callers);
  }
  for (llvm::LandingPadInst* pad : landing_pads) {
    BuilderBefore builder(&*pad->getParent()->getFirstInsertionPt());
    SetTop(builder, top, mine);
  }
  for (llvm::CallBase* call : return_twice) {
    BuilderAfter builder(call);
    SetTop(builder, top, mine);
  }
}

}  // namespace taskrace
