#include "compiler/openmp_loops.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// The variables that get a value loaded from `bound`.
llvm::SmallVector<llvm::Value*, 2> CopiesOf(llvm::Value* bound) {
  llvm::SmallVector<llvm::Value*, 2> copies;
  for (llvm::User* user : bound->users()) {
    auto* load = dyn_cast<llvm::LoadInst>(user);
    if (load == nullptr) continue;
    for (llvm::User* of_load : load->users()) {
      auto* store = dyn_cast<llvm::StoreInst>(of_load);
      if (store != nullptr && store->getValueOperand() == load) {
        copies.push_back(store->getPointerOperand());
      }
    }
  }
  return copies;
}

// A mark in the block where the loop over `variable` goes on, if the load is the comparison of its header.
void MarkLoop(llvm::LoadInst& load, llvm::Value* variable, bool is_signed) {
  llvm::Module& module = *load.getModule();
  for (llvm::User* user : load.users()) {
    auto* compare = dyn_cast<llvm::ICmpInst>(user);
    if (compare == nullptr || compare->getOperand(0) != &load) continue;
    auto* branch = dyn_cast<llvm::BranchInst>(compare->getParent()->getTerminator());
    if (branch == nullptr || !branch->isConditional() || branch->getCondition() != compare)
      continue;
    llvm::BasicBlock* body = branch->getSuccessor(0);
    if (body->getSinglePredecessor() == nullptr) continue;
    llvm::IRBuilder<> builder(body, body->getFirstInsertionPt());
    builder.SetCurrentDebugLocation(load.getDebugLoc());
    llvm::Type* word = builder.getInt64Ty();
    llvm::Value* number =
        builder.CreateIntCast(builder.CreateLoad(load.getType(), variable), word, is_signed);
    llvm::FunctionCallee mark =
        module.getOrInsertFunction("__taskrace_unit", builder.getVoidTy(), word);
    builder.CreateCall(mark, {number})->setDoesNotThrow();
  }
}

void MarkLoopsOf(llvm::CallInst& init, bool is_signed) {
  constexpr unsigned kLowerBound = 4;
  if (init.arg_size() <= kLowerBound) return;
  for (llvm::Value* variable : CopiesOf(init.getArgOperand(kLowerBound)->stripPointerCasts())) {
    llvm::SmallVector<llvm::LoadInst*, 8> loads;
    for (llvm::User* user : variable->users()) {
      if (auto* load = dyn_cast<llvm::LoadInst>(user)) loads.push_back(load);
    }
    for (llvm::LoadInst* load : loads) MarkLoop(*load, variable, is_signed);
  }
}

// How a thread learns who it is, but for calls of the runtime, which knows.
enum class Tells {
  kNothing,
  kOutsideOfUnits,  // what is often used inside of them for other reasons
  kAlways,
};

Tells WhatTells(const llvm::Instruction& instruction) {
  // Programs number threads by the result of an atomic update, or under a lock.
  if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) {
    return instruction.use_empty() ? Tells::kNothing : Tells::kOutsideOfUnits;
  }
  const auto* call = dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr) return Tells::kNothing;
  if (call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) return Tells::kAlways;
  return llvm::StringSwitch<Tells>(call->getCalledFunction()->getName())
      .Cases("pthread_self", "gettid", "sched_getcpu", Tells::kAlways)
      .Cases("pthread_mutex_lock", "pthread_mutex_trylock", "pthread_spin_lock",
             "pthread_rwlock_wrlock", "mtx_lock", Tells::kOutsideOfUnits)
      .Default(Tells::kNothing);
}

}  // namespace

void MarkOpenMpLoops(llvm::Module& module) {
  // A module that calls no function of OpenMP may be linked without our library.
  const bool calls_runtime = llvm::any_of(module, [](const llvm::Function& function) {
    return function.isDeclaration() &&
           (function.getName().starts_with("__kmpc_") || function.getName().starts_with("omp_"));
  });
  if (module.getModuleFlag("openmp") == nullptr || !calls_runtime) return;
  static constexpr struct {
    llvm::StringLiteral name;
    bool is_signed;
  } kInits[] = {{"__kmpc_for_static_init_4", true},
                {"__kmpc_for_static_init_4u", false},
                {"__kmpc_for_static_init_8", true},
                {"__kmpc_for_static_init_8u", false}};
  for (const auto& [name, is_signed] : kInits) {
    llvm::Function* init = module.getFunction(name);
    if (init == nullptr) continue;
    for (llvm::User* user : init->users()) {
      if (auto* call = dyn_cast<llvm::CallInst>(user)) MarkLoopsOf(*call, is_signed);
    }
  }
  for (llvm::Function& function : module) {
    llvm::SmallVector<llvm::Instruction*, 8> telling;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (WhatTells(instruction) != Tells::kNothing) telling.push_back(&instruction);
    }
    for (llvm::Instruction* instruction : telling) {
      llvm::IRBuilder<> builder(instruction);
      llvm::FunctionCallee aware =
          module.getOrInsertFunction("__taskrace_aware", builder.getVoidTy(), builder.getInt32Ty());
      const bool in_units = WhatTells(*instruction) == Tells::kAlways;
      builder.CreateCall(aware, {builder.getInt32(in_units)})->setDoesNotThrow();
    }
  }
}

}  // namespace taskrace
