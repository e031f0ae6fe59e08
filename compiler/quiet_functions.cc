#include "compiler/quiet_functions.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/barriers.h"
#include "compiler/local_memory.h"

namespace taskrace {

namespace {

constexpr llvm::StringLiteral kQuiet = "taskrace-quiet";

// A loop that neither ends nor does anything that can be observed is undefined in C++, not in C.
bool Returns(const llvm::Function& function) {
  if (function.hasFnAttribute(llvm::Attribute::WillReturn)) return true;
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back_edges;
  llvm::FindFunctionBackedges(function, back_edges);
  if (back_edges.empty()) return true;
  return function.hasFnAttribute(llvm::Attribute::MustProgress) &&
         llvm::none_of(llvm::instructions(function), IsObservable);
}

bool CanBeQuiet(const llvm::Function& function) {
  return !function.isDeclaration() && !function.isInterposable() && !function.hasOptNone() &&
         !function.hasFnAttribute(llvm::Attribute::NoReturn) &&
         !function.hasFnAttribute(llvm::Attribute::Naked) && !function.isPresplitCoroutine() &&
         Returns(function);
}

}  // namespace

bool IsQuiet(const llvm::Function& function) { return function.hasFnAttribute(kQuiet); }

llvm::PreservedAnalyses FindQuietFunctionsPass::run(llvm::Module& module,
                                                    llvm::ModuleAnalysisManager& analyses) {
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  // All that can be, until a barrier is found: functions that call each other are quiet together.
  for (llvm::Function& function : module) {
    if (CanBeQuiet(function)) function.addFnAttr(kQuiet);
  }
  llvm::SmallVector<llvm::Function*, 32> pending;
  for (llvm::Function& function : module) {
    if (IsQuiet(function)) pending.push_back(&function);
  }
  while (!pending.empty()) {
    llvm::Function* function = pending.pop_back_val();
    if (!IsQuiet(*function)) continue;
    const auto& library = functions.getResult<llvm::TargetLibraryAnalysis>(*function);
    const LocalMemory local(*function, library);
    const Barriers barriers(library, local);
    if (llvm::none_of(llvm::instructions(*function), [&](const llvm::Instruction& instruction) {
          // No other function can access its local variables once it has returned.
          const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          return !(call && call->isLifetimeStartOrEnd()) && barriers.IsBarrier(instruction);
        })) {
      continue;
    }
    function->removeFnAttr(kQuiet);
    for (llvm::User* user : function->users()) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) pending.push_back(call->getFunction());
    }
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace taskrace
