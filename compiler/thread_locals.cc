#include "compiler/thread_locals.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/hook_calls.h"
#include "compiler/places.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Does the address only serve to access the variable, or to compute another address inside it?
bool StaysInFunction(const llvm::Use& use) {
  const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  switch (user->getOpcode()) {
    case llvm::Instruction::Load:
    case llvm::Instruction::ICmp:
    case llvm::Instruction::GetElementPtr:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::Freeze:
      return true;
    case llvm::Instruction::Store:
      return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex();
    case llvm::Instruction::AtomicRMW:
      return use.getOperandNo() == llvm::AtomicRMWInst::getPointerOperandIndex();
    case llvm::Instruction::AtomicCmpXchg:
      return use.getOperandNo() == llvm::AtomicCmpXchgInst::getPointerOperandIndex();
    case llvm::Instruction::Call:
    case llvm::Instruction::Invoke: {
      const auto* call = llvm::cast<llvm::CallBase>(user);
      if (isa<llvm::IntrinsicInst>(call)) return true;
      if (!call->isArgOperand(&use)) return false;
      const unsigned argument = call->getArgOperandNo(&use);
      return call->isByValArgument(argument) ||
             (call->isInlineAsm() && call->getParamElementType(argument));
    }
    default:
      return false;
  }
}

// The thread_local whose address leaves by `use`, or null.
llvm::GlobalVariable* LeavingBy(const llvm::Use& use) {
  if (!use->getType()->getScalarType()->isPointerTy() || StaysInFunction(use)) return nullptr;
  return ThreadLocalOf(use.get());
}

}  // namespace

bool LetsThreadLocalLeave(const llvm::Instruction& instruction) {
  return llvm::any_of(instruction.operands(), LeavingBy);
}

bool AnnounceThreadLocals(llvm::Instruction* instruction) {
  bool announced = false;
  for (llvm::Use& use : instruction->operands()) {
    llvm::GlobalVariable* variable = LeavingBy(use);
    if (!variable) continue;
    // Before a phi means: at the end of the block that the address comes from.
    auto* phi = dyn_cast<llvm::PHINode>(instruction);
    BuilderBefore builder(phi ? phi->getIncomingBlock(use)->getTerminator() : instruction);
    const llvm::DataLayout& layout = instruction->getModule()->getDataLayout();
    CallHook(builder, "thread_local",
             {builder.CreateThreadLocalAddress(variable),
              llvm::ConstantInt::get(SizeType(builder),
                                     layout.getTypeAllocSize(variable->getValueType()))});
    ++Counters::kThreadLocals;
    announced = true;
  }
  return announced;
}

}  // namespace taskrace
