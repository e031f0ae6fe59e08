#include "compiler/barriers.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/atomic_order.h"
#include "compiler/quiet_functions.h"
#include "compiler/thread_locals.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

bool IsQuietIntrinsic(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::stackrestore:  // ends the lifetime of variables of unknown size
      return false;
    case llvm::Intrinsic::assume:
      return true;
    default:
      return isa<llvm::DbgInfoIntrinsic>(call) || (call.doesNotThrow() && call.willReturn());
  }
}

// Functions from numbers to numbers that LLVM does not know to return.
bool IsMathFunction(const llvm::Function& function) {
  auto is_number = [](const llvm::Type* type) {
    return type->isIntegerTy() || type->isFloatingPointTy();
  };
  if (!is_number(function.getReturnType()) ||
      !llvm::all_of(function.getFunctionType()->params(), is_number)) {
    return false;
  }
  llvm::StringRef name = function.getName();
  if (!name.consume_back("f")) name.consume_back("l");
  return llvm::StringSwitch<bool>(name)
      .Cases("lround", "llround", "lrint", "llrint", true)
      .Cases("hypot", "fdim", "nextafter", "nexttoward", true)
      .Cases("tgamma", "lgamma", "scalbn", "scalbln", "ilogb", true)
      .Default(false);
}

}  // namespace

bool IsQuietLibraryFunction(const llvm::Function& function,
                            const llvm::TargetLibraryInfo& library) {
  if (function.isDeclaration() && function.doesNotThrow() && IsMathFunction(function)) return true;
  llvm::LibFunc known;
  return function.isDeclaration() && library.getLibFunc(function, known) &&
         function.doesNotThrow() && function.hasFnAttribute(llvm::Attribute::WillReturn) &&
         function.hasFnAttribute(llvm::Attribute::NoFree) &&
         !function.hasFnAttribute(llvm::Attribute::AllocKind);
}

bool IsObservable(const llvm::Instruction& instruction) {
  return instruction.isAtomic() || instruction.isVolatile();
}

bool Progresses(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::MustProgress) ||
         function.hasFnAttribute(llvm::Attribute::WillReturn);
}

bool Barriers::IsBarrier(const llvm::Instruction& instruction) const {
  if (LetsThreadLocalLeave(instruction)) return true;
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return OrdersOthers(instruction);
  if (call->isLifetimeStartOrEnd()) return !local_.IsPrivate(call->getArgOperand(1));
  if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(call)) {
    return !IsQuietIntrinsic(*intrinsic);
  }
  if (call->doesNotAccessMemory() && call->doesNotThrow() && call->willReturn()) return false;
  const llvm::Function* callee = call->getCalledFunction();
  return callee == nullptr || !(IsQuiet(*callee) || IsQuietLibraryFunction(*callee, library_));
}

const llvm::Instruction* Barriers::FirstIn(const llvm::Loop& loop,
                                           const llvm::Instruction* ignored) const {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (&instruction != ignored && IsBarrier(instruction)) return &instruction;
    }
  }
  return nullptr;
}

}  // namespace taskrace
