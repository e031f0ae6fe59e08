#include "compiler/passed_memory.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>
#include <optional>

#include "compiler/local_memory.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr llvm::StringLiteral kKept = "taskrace-kept";
constexpr llvm::StringLiteral kPrivate = "taskrace-private";
constexpr llvm::StringLiteral kUnseen = "taskrace-unseen";
constexpr llvm::StringLiteral kStorage = "taskrace-storage";

// If the call creates a task: which operand is its body; the closure is the next one.
std::optional<unsigned> OperandOfBody(const llvm::CallBase& call) {
  const llvm::Function* hook = call.getCalledFunction();
  if (hook == nullptr || !hook->isDeclaration()) return std::nullopt;
  return llvm::StringSwitch<std::optional<unsigned>>(hook->getName())
      .Case("__taskrace_async", 0)
      .Cases("__taskrace_spawn", "__taskrace_make_future", "__taskrace_fork", "__taskrace_stage", 1)
      .Default(std::nullopt);
}

// Is `use` of a function a call of it, or the creation of a task with it as body?
bool IsKnownCall(const llvm::Use& use) {
  const auto* call = dyn_cast<llvm::CallBase>(use.getUser());
  if (call == nullptr) return false;
  if (call->isCallee(&use)) return call->getCalledFunction() == use.get();
  const std::optional<unsigned> body = OperandOfBody(*call);
  return body && call->isArgOperand(&use) && call->getArgOperandNo(&use) == *body &&
         call->arg_size() > *body + 1;
}

// Are all calls of it in the module, or can it be made so?
bool CanBeLocal(const llvm::Function& function) {
  if (function.hasLocalLinkage()) return true;
  const llvm::Comdat* group = function.getComdat();
  return function.hasLinkOnceODRLinkage() && (group == nullptr || group->getUsers().size() == 1);
}

bool IsInstrumented(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::SanitizeThread);
}

bool CanHaveMarks(const llvm::Function& function) {
  return !function.isDeclaration() && !function.isInterposable() && !function.hasOptNone() &&
         !function.hasFnAttribute(llvm::Attribute::Naked) && !function.isPresplitCoroutine();
}

bool CanBeMarked(const llvm::Argument& argument) {
  return argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == 0 &&
         !argument.hasByValAttr() && !argument.hasInAllocaAttr() && !argument.isSwiftError();
}

bool Has(const llvm::Argument& argument, llvm::StringRef mark) {
  return argument.getParent()->getAttributes().hasParamAttr(argument.getArgNo(), mark);
}

void MakeLocal(llvm::Function& function) {
  function.setComdat(nullptr);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

// Does it do nothing with the storage of a closure but write into it and return it?
bool MakesTaskStorage(llvm::Function& function, const llvm::TargetLibraryInfo& library) {
  if (!CanHaveMarks(function)) return false;
  const llvm::CallBase* storage = nullptr;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* result = dyn_cast<llvm::ReturnInst>(&instruction);
    if (result == nullptr) continue;
    if (storage != nullptr || result->getReturnValue() == nullptr) return false;
    storage = dyn_cast<llvm::CallBase>(result->getReturnValue());
    if (storage == nullptr || !IsTaskStorage(*storage)) return false;
  }
  return storage != nullptr && LocalMemory(function, library).IsOnlyReturned(*storage);
}

// Begins with all marks that might be right, and takes away those that are not.
class Search {
 public:
  Search(llvm::Module& module, llvm::FunctionAnalysisManager& functions) : functions_(functions) {
    for (llvm::Function& function : module) {
      if (MakesTaskStorage(function, LibraryOf(function))) function.addFnAttr(kStorage);
    }
    for (llvm::Function& function : module) {
      if (!CanHaveMarks(function)) continue;
      pending_.insert(&function);
      const bool all_calls_known =
          CanBeLocal(function) && llvm::all_of(function.uses(), IsKnownCall);
      for (llvm::Argument& argument : function.args()) {
        if (!CanBeMarked(argument)) continue;
        Mark(argument, kKept);
        Mark(argument, kUnseen);
        if (all_calls_known) Mark(argument, kPrivate);
      }
    }
  }

  void Run() {
    while (!pending_.empty()) LookAt(*pending_.pop_back_val());
  }

 private:
  const llvm::TargetLibraryInfo& LibraryOf(llvm::Function& function) {
    return functions_.getResult<llvm::TargetLibraryAnalysis>(function);
  }

  static void Mark(llvm::Argument& argument, llvm::StringRef mark) {
    argument.addAttr(llvm::Attribute::get(argument.getContext(), mark));
  }

  void LookAt(llvm::Function& function) {
    const LocalMemory local(function, LibraryOf(function));
    for (llvm::Argument& argument : function.args()) {
      if (IsKept(argument) && !local.IsKept(argument)) {
        Drop(argument, {kKept, kPrivate, kUnseen});
      } else if (IsUnseen(argument) &&
                 (local.IsShown(argument) || (IsInstrumented(function) && !IsPrivate(argument)))) {
        Drop(argument, {kUnseen});
      }
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      for (const llvm::Use& operand : call->args()) {
        const llvm::Argument* argument = ArgumentFor(operand);
        if (argument == nullptr || !IsPrivate(*argument)) continue;
        if (isa<llvm::ConstantPointerNull>(operand) || isa<llvm::UndefValue>(operand)) continue;
        if (!local.IsPrivate(operand)) Drop(*const_cast<llvm::Argument*>(argument), {kPrivate});
      }
    }
  }

  void Drop(llvm::Argument& argument, std::initializer_list<llvm::StringRef> marks) {
    llvm::Function& function = *argument.getParent();
    for (llvm::StringRef mark : marks) function.removeParamAttr(argument.getArgNo(), mark);
    pending_.insert(&function);
    for (llvm::User* user : function.users()) {
      if (auto* call = dyn_cast<llvm::CallBase>(user)) pending_.insert(call->getFunction());
    }
  }

  llvm::FunctionAnalysisManager& functions_;
  llvm::SetVector<llvm::Function*> pending_;
};

// Copies functions that may be called from elsewhere, too, for the calls here, if all of these pass
// private memory to an argument that is kept.
class PrivateCopies {
 public:
  explicit PrivateCopies(llvm::FunctionAnalysisManager& functions) : functions_(functions) {}

  // Says whether there are any: then marks are to be found anew.
  bool Make(llvm::Module& module) {
    llvm::SmallVector<llvm::Function*, 4> originals;
    for (llvm::Function& function : module) {
      if (CanBeCopied(function) && llvm::any_of(function.args(), [&](const auto& argument) {
            return IsKept(argument) && IsPassedPrivateMemory(argument);
          })) {
        originals.push_back(&function);
      }
    }
    for (llvm::Function* original : originals) {
      llvm::ValueToValueMapTy values;
      llvm::Function* copy = llvm::CloneFunction(original, values);
      copy->setName(original->getName() + ".private");
      MakeLocal(*copy);
      original->replaceUsesWithIf(copy, IsKnownCall);
    }
    return !originals.empty();
  }

 private:
  static bool CanBeCopied(const llvm::Function& function) {
    return CanHaveMarks(function) && IsInstrumented(function) && !CanBeLocal(function) &&
           !function.hasAvailableExternallyLinkage() &&
           !function.hasFnAttribute(llvm::Attribute::NoDuplicate) &&
           llvm::none_of(function, [](const auto& block) { return block.hasAddressTaken(); });
  }

  // Are there calls in the module, and does each pass memory of the caller's own?
  bool IsPassedPrivateMemory(const llvm::Argument& argument) {
    bool is_passed = false;
    for (const llvm::Use& use : argument.getParent()->uses()) {
      if (!IsKnownCall(use)) continue;
      auto& call = *llvm::cast<llvm::CallBase>(use.getUser());
      for (const llvm::Use& operand : call.args()) {
        if (ArgumentFor(operand) != &argument) continue;
        if (!LocalIn(*call.getFunction()).IsPrivate(operand)) return false;
        is_passed = true;
      }
    }
    return is_passed;
  }

  const LocalMemory& LocalIn(llvm::Function& function) {
    std::unique_ptr<LocalMemory>& local = local_[&function];
    if (local == nullptr) {
      local = std::make_unique<LocalMemory>(
          function, functions_.getResult<llvm::TargetLibraryAnalysis>(function));
    }
    return *local;
  }

  llvm::FunctionAnalysisManager& functions_;
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<LocalMemory>> local_;
};

}  // namespace

bool IsKept(const llvm::Argument& argument) { return Has(argument, kKept); }
bool IsPrivate(const llvm::Argument& argument) { return Has(argument, kPrivate); }
bool IsUnseen(const llvm::Argument& argument) { return Has(argument, kUnseen); }

const llvm::Argument* ArgumentFor(const llvm::Use& operand) {
  const auto* call = llvm::cast<llvm::CallBase>(operand.getUser());
  if (!call->isArgOperand(&operand)) return nullptr;
  unsigned number = call->getArgOperandNo(&operand);
  const llvm::Function* callee = call->getCalledFunction();
  if (const std::optional<unsigned> body = OperandOfBody(*call)) {
    if (number != *body + 1) return nullptr;
    callee = dyn_cast<llvm::Function>(call->getArgOperand(*body));
    number = 0;
  }
  if (callee == nullptr || number >= callee->arg_size()) return nullptr;
  return callee->getArg(number);
}

bool IsBookkeepingOfRuntime(const llvm::Use& operand) {
  const auto* call = llvm::cast<llvm::CallBase>(operand.getUser());
  const llvm::Function* hook = call->getCalledFunction();
  return hook != nullptr && hook->isDeclaration() && call->isArgOperand(&operand) &&
         call->getArgOperandNo(&operand) == 0 &&
         llvm::StringSwitch<bool>(hook->getName())
             .Cases("__taskrace_scope_begin", "__taskrace_nest_begin", "__taskrace_scope_sync",
                    "__taskrace_scope_end", "__taskrace_finish_begin", "__taskrace_finish_end",
                    "__taskrace_spawn", true)
             .Default(false);
}

bool IsTaskStorage(const llvm::Value& value) {
  const auto* call = dyn_cast<llvm::CallBase>(&value);
  const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr &&
         (callee->getName() == "__taskrace_task_storage" || callee->hasFnAttribute(kStorage));
}

llvm::PreservedAnalyses FindPassedMemoryPass::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager& analyses) {
  if (llvm::none_of(module, IsInstrumented)) return llvm::PreservedAnalyses::all();
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  Search(module, functions).Run();
  if (PrivateCopies(functions).Make(module)) Search(module, functions).Run();
  for (llvm::Function& function : module) {
    if (function.hasLocalLinkage() ||
        llvm::none_of(function.args(), [](const auto& argument) { return IsPrivate(argument); })) {
      continue;
    }
    MakeLocal(function);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace taskrace
