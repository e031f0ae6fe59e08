#include "compiler/globals_of_main.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr llvm::StringLiteral kOfMain = "taskrace-of-main";

bool IsOnlyAccessedIn(const llvm::Function& function, const llvm::Value& address) {
  return llvm::all_of(address.uses(), [&](const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    const auto* instruction = dyn_cast<llvm::Instruction>(user);
    if (instruction && instruction->getFunction() != &function) return false;
    if (isa<llvm::GEPOperator>(user)) return IsOnlyAccessedIn(function, *user);
    if (const auto* load = dyn_cast<llvm::LoadInst>(user)) return load->isSimple();
    const auto* store = dyn_cast<llvm::StoreInst>(user);
    return store && store->isSimple() &&
           use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex();
  });
}

}  // namespace

bool IsOfMain(const llvm::GlobalVariable& variable) { return variable.hasAttribute(kOfMain); }

llvm::PreservedAnalyses FindGlobalsOfMainPass::run(llvm::Module& module,
                                                   llvm::ModuleAnalysisManager& analyses) {
  const llvm::Function* main = module.getFunction("main");
  const bool is_root =
      main && !main->isDeclaration() && !main->hasLocalLinkage() && main->use_empty();
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (is_root && variable.hasLocalLinkage() && !variable.use_empty() &&
        IsOnlyAccessedIn(*main, variable)) {
      variable.addAttribute(kOfMain);
    }
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace taskrace
