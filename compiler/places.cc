#include "compiler/places.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Operator.h>

#include "compiler/globals_of_main.h"

namespace taskrace {

using llvm::dyn_cast;

namespace {

// Where the chain of address arithmetic that ends in `pointer` begins.
llvm::Value* OriginOf(llvm::Value* pointer) {
  while (true) {
    if (auto* address = dyn_cast<llvm::GEPOperator>(pointer)) {
      pointer = address->getPointerOperand();
    } else if (llvm::Operator::getOpcode(pointer) == llvm::Instruction::BitCast ||
               llvm::Operator::getOpcode(pointer) == llvm::Instruction::AddrSpaceCast ||
               llvm::Operator::getOpcode(pointer) == llvm::Instruction::Freeze) {
      pointer = llvm::cast<llvm::Operator>(pointer)->getOperand(0);
    } else if (auto* call = dyn_cast<llvm::IntrinsicInst>(pointer);
               call && (call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address ||
                        call->getIntrinsicID() == llvm::Intrinsic::launder_invariant_group ||
                        call->getIntrinsicID() == llvm::Intrinsic::strip_invariant_group)) {
      pointer = call->getArgOperand(0);
    } else {
      return pointer;
    }
  }
}

bool BelongsToToolchain(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"__taskrace_", "__llvm_", "llvm.", "__prof", "__asan_", "__tsan_",
                                 "__msan_", "__ubsan_", "__sancov_", "__start_", "__stop_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// Functions that return the address of something that each thread has.
bool ReturnsThreadLocal(llvm::StringRef function) {
  return function == "__errno_location" || function == "__h_errno_location" ||
         function == "__cxa_get_globals" || function == "__cxa_get_globals_fast";
}

}  // namespace

llvm::GlobalVariable* ThreadLocalOf(llvm::Value* pointer) {
  auto* variable = dyn_cast<llvm::GlobalVariable>(OriginOf(pointer));
  return variable && variable->isThreadLocal() ? variable : nullptr;
}

Place PlaceOf(llvm::Value* pointer, const LocalMemory& local) {
  if (local.IsPrivate(pointer)) return Place::kPrivate;
  if (pointer->getType()->getScalarType()->getPointerAddressSpace() != 0 ||
      pointer->isSwiftError()) {
    return Place::kForeign;
  }
  llvm::Value* origin = OriginOf(pointer);
  if (auto* variable = dyn_cast<llvm::GlobalVariable>(origin)) {
    if (BelongsToToolchain(variable->getName())) return Place::kForeign;
    if (variable->isThreadLocal()) return Place::kThreadLocal;
    if (variable->isConstant()) return Place::kConstant;
    if (IsOfMain(*variable)) return Place::kPrivate;
  }
  if (auto* call = dyn_cast<llvm::CallBase>(origin); call && call->getCalledFunction()) {
    if (ReturnsThreadLocal(call->getCalledFunction()->getName())) return Place::kThreadLocal;
  }
  // What a vptr points to is a vtable. The load of the vptr itself is an access to the object.
  if (auto* load = dyn_cast<llvm::LoadInst>(origin)) {
    if (llvm::MDNode* tag = load->getMetadata(llvm::LLVMContext::MD_tbaa);
        tag && tag->isTBAAVtableAccess()) {
      return Place::kConstant;
    }
  }
  return Place::kShared;
}

}  // namespace taskrace
