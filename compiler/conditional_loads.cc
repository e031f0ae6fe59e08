#include "compiler/conditional_loads.h"

#include <llvm/ADT/Any.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <memory>

#include "compiler/instrument.h"

namespace taskrace {

namespace {

class ConditionalLoads {
 public:
  void Hold(const llvm::Loop& loop) {
    llvm::Function& function = *loop.getHeader()->getParent();
    if (!IsToBeInstrumented(function)) return;
    Variables variables = VariablesOf(loop);
    variables.remove_if([](const auto& variable) { return !variable.second.IsChanged(); });
    if (variables.empty()) return;
    const llvm::DominatorTree dominators(function);
    llvm::SmallVector<llvm::BasicBlock*, 2> latches;
    loop.getLoopLatches(latches);
    const auto is_always_made = [&](const llvm::Instruction* access) {
      return llvm::all_of(latches, [&](const llvm::BasicBlock* latch) {
        return dominators.dominates(access->getParent(), latch);
      });
    };
    for (auto& [pointer, variable] : variables) {
      if (llvm::any_of(variable.loads, is_always_made)) continue;
      if (llvm::any_of(variable.stores, is_always_made)) continue;
      for (llvm::LoadInst* load : variable.loads) {
        load->setVolatile(true);
        held_.push_back(load);
      }
    }
  }
  // LICM neither moves nor removes what is volatile.
  void Release() {
    for (llvm::LoadInst* load : held_) load->setVolatile(false);
    held_.clear();
  }

 private:
  // The accesses of a loop to one address, which is the same in all iterations.
  struct Variable {
    llvm::SmallVector<llvm::LoadInst*, 2> loads;
    llvm::SmallVector<llvm::StoreInst*, 2> stores;
    bool IsChanged() const { return !loads.empty() && !stores.empty(); }
  };
  using Variables = llvm::MapVector<const llvm::Value*, Variable>;

  // In all iterations: LICM moves the computation of the address before it looks at variables.
  static bool IsSameAddress(const llvm::Value* pointer, const llvm::Loop& loop) {
    if (loop.isLoopInvariant(pointer)) return true;
    const auto* member = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
    return member != nullptr && llvm::all_of(member->operands(), [&](const llvm::Use& operand) {
             return IsSameAddress(operand, loop);
           });
  }
  static Variables VariablesOf(const llvm::Loop& loop) {
    Variables variables;
    for (llvm::BasicBlock* block : loop.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
        if (pointer == nullptr || !IsSameAddress(pointer, loop)) continue;
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
          if (load->isSimple()) variables[pointer].loads.push_back(load);
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          variables[pointer].stores.push_back(store);
        }
      }
    }
    return variables;
  }

  llvm::SmallVector<llvm::LoadInst*, 4> held_;
};

bool IsLicm(llvm::StringRef pass) { return pass == "LICMPass"; }

}  // namespace

void KeepConditionalLoads(llvm::PassInstrumentationCallbacks& callbacks) {
  auto loads = std::make_shared<ConditionalLoads>();
  callbacks.registerBeforeNonSkippedPassCallback([loads](llvm::StringRef pass, llvm::Any unit) {
    if (!IsLicm(pass)) return;
    if (auto* loop = llvm::any_cast<const llvm::Loop*>(&unit)) loads->Hold(**loop);
  });
  callbacks.registerAfterPassCallback(
      [loads](llvm::StringRef pass, llvm::Any, const llvm::PreservedAnalyses&) {
        if (IsLicm(pass)) loads->Release();
      });
  callbacks.registerAfterPassInvalidatedCallback(
      [loads](llvm::StringRef pass, const llvm::PreservedAnalyses&) {
        if (IsLicm(pass)) loads->Release();
      });
}

}  // namespace taskrace
