#include "compiler/scope_nesting.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// The members of taskrace::scope in a build for detection, mangled.
constexpr llvm::StringLiteral kMembers = "_ZN8taskrace8detected5scope";
constexpr llvm::StringLiteral kInterface = "_ZN8taskrace6detail8detected";
constexpr llvm::StringLiteral kConstructor = "_ZN8taskrace8detected5scopeC";
constexpr llvm::StringLiteral kDestructor = "_ZN8taskrace8detected5scopeD";

llvm::StringRef CalleeName(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee == nullptr ? "" : callee->getName();
}

// Is the variable used for calls of its own members alone?
bool IsUsedAsScopeOnly(const llvm::AllocaInst& scope) {
  return llvm::all_of(scope.uses(), [](const llvm::Use& use) {
    const auto* call = dyn_cast<llvm::CallBase>(use.getUser());
    if (call == nullptr) return false;
    if (call->isLifetimeStartOrEnd()) return true;
    return CalleeName(*call).starts_with(kMembers) && call->isArgOperand(&use) &&
           call->getArgOperandNo(&use) == 0;
  });
}

// The scopes of one function, and which of them may live where.
class Scopes {
 public:
  void Add(const llvm::AllocaInst* scope) { numbers_.insert({scope, numbers_.size()}); }

  // Is no scope used while one that was made later lives?
  bool Nest(const llvm::Function& function) {
    if (numbers_.size() < 2) return true;
    made_during_.assign(numbers_.size(), llvm::BitVector(numbers_.size()));
    const llvm::ReversePostOrderTraversal<const llvm::Function*> blocks(&function);
    // First, until nothing changes: which scopes live where, and after which others they were created. Then
    // the uses.
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::BasicBlock* block : blocks) changed |= Walk(*block, /*checks=*/false);
    }
    for (const llvm::BasicBlock* block : blocks) Walk(*block, /*checks=*/true);
    return nest_;
  }

 private:
  // True if what is known of the block's end has changed.
  bool Walk(const llvm::BasicBlock& block, bool checks) {
    llvm::BitVector alive(numbers_.size());
    for (const llvm::BasicBlock* before : llvm::predecessors(&block)) {
      if (const auto found = alive_after_.find(before); found != alive_after_.end()) {
        alive |= found->second;
      }
    }
    for (const llvm::Instruction& instruction : block) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->arg_empty()) continue;
      const auto found = numbers_.find(dyn_cast<llvm::AllocaInst>(call->getArgOperand(0)));
      if (found == numbers_.end() || call->isLifetimeStartOrEnd()) continue;
      const unsigned scope = static_cast<unsigned>(found->second);
      const llvm::StringRef member = CalleeName(*call);
      if (member.starts_with(kConstructor)) {
        made_during_[scope] |= alive;
        alive.set(scope);
        continue;
      }
      for (const unsigned other : alive.set_bits()) {
        if (checks && other != scope && made_during_[other].test(scope)) nest_ = false;
      }
      if (member.starts_with(kDestructor)) alive.reset(scope);
    }
    llvm::BitVector& after = alive_after_[&block];
    const bool changed = after != alive;
    after = alive;
    return changed;
  }

  llvm::MapVector<const llvm::AllocaInst*, size_t> numbers_;
  std::vector<llvm::BitVector> made_during_;  // of each scope, those that lived when it was made
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> alive_after_;
  bool nest_ = true;
};

}  // namespace

bool AllScopesNest(const llvm::Module& module) {
  // Nothing is known of scopes from other front ends than <taskrace/tasks.hpp>.
  if (const llvm::Function* hook = module.getFunction("__taskrace_scope_begin")) {
    for (const llvm::User* user : hook->users()) {
      const auto* call = dyn_cast<llvm::CallBase>(user);
      if (call == nullptr || !call->getFunction()->getName().starts_with(kInterface)) return false;
    }
  }
  llvm::MapVector<const llvm::Function*, Scopes> functions;
  for (const llvm::Function& constructor : module) {
    if (!constructor.getName().starts_with(kConstructor)) continue;
    for (const llvm::User* user : constructor.users()) {
      const auto* call = dyn_cast<llvm::CallBase>(user);
      if (call == nullptr || call->getCalledFunction() != &constructor) return false;
      const auto* scope = dyn_cast<llvm::AllocaInst>(call->getArgOperand(0));
      if (scope == nullptr || !IsUsedAsScopeOnly(*scope)) return false;
      functions[call->getFunction()].Add(scope);
    }
  }
  return llvm::all_of(functions, [](auto& entry) { return entry.second.Nest(*entry.first); });
}

}  // namespace taskrace
