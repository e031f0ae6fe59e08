#include "compiler/thread_locals.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "compiler/hook_calls.h"
#include "compiler/places.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr llvm::StringLiteral kOwner = "taskrace-owner";

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

// The thread_local out of which `instruction` reads the address of what may be a block of its own;
// or null.
llvm::GlobalVariable* OwnerReadBy(const llvm::Instruction& instruction) {
  const auto* load = dyn_cast<llvm::LoadInst>(&instruction);
  if (!load || !load->getType()->getScalarType()->isPointerTy()) return nullptr;
  llvm::GlobalVariable* variable = ThreadLocalOf(load->getOperandUse(0).get());
  return variable && variable->hasAttribute(kOwner) ? variable : nullptr;
}

// Is it the function that clang calls for the address of a thread_local that has to be initialised?
bool IsWrapper(const llvm::Function& function) { return function.getName().starts_with("_ZTW"); }

bool LetsResultLeave(const llvm::Function& wrapper) {
  return llvm::any_of(wrapper.users(), [](const llvm::User* call) {
    return !isa<llvm::CallInst>(call) ||
           llvm::any_of(call->uses(), [](const llvm::Use& use) { return !StaysInFunction(use); });
  });
}

void CallThreadLocalHook(llvm::IRBuilderBase& builder, llvm::GlobalVariable& variable) {
  const llvm::DataLayout& layout = variable.getParent()->getDataLayout();
  CallHook(builder, "thread_local",
           {builder.CreateThreadLocalAddress(&variable),
            llvm::ConstantInt::get(SizeType(builder),
                                   layout.getTypeAllocSize(variable.getValueType()))});
  ++Counters::kThreadLocals;
}

}  // namespace

void MarkOwners(llvm::Function& function) {
  if (IsWrapper(function) && !LetsResultLeave(function)) return;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::Use& use : instruction.operands()) {
      if (llvm::GlobalVariable* variable = LeavingBy(use)) variable->addAttribute(kOwner);
    }
  }
}

bool LetsThreadLocalLeave(const llvm::Instruction& instruction) {
  return llvm::any_of(instruction.operands(), LeavingBy) || OwnerReadBy(instruction);
}

bool AnnounceThreadLocals(llvm::Instruction* instruction) {
  bool announced = false;
  for (llvm::Use& use : instruction->operands()) {
    llvm::GlobalVariable* variable = LeavingBy(use);
    if (!variable) continue;
    // Before a phi means: at the end of the block that the address comes from.
    auto* phi = dyn_cast<llvm::PHINode>(instruction);
    BuilderBefore builder(phi ? phi->getIncomingBlock(use)->getTerminator() : instruction);
    CallThreadLocalHook(builder, *variable);
    announced = true;
  }
  return announced;
}

bool AnnounceOwners(llvm::ArrayRef<llvm::Instruction*> instructions, const Barriers& barriers) {
  llvm::MapVector<llvm::GlobalVariable*, llvm::SmallVector<llvm::Instruction*, 4>> reads;
  llvm::SmallVector<llvm::Instruction*, 16> calls;  // that may end the strand
  for (llvm::Instruction* instruction : instructions) {
    if (llvm::GlobalVariable* variable = OwnerReadBy(*instruction)) {
      reads[variable].push_back(instruction);
    } else if (isa<llvm::CallBase>(instruction) && barriers.IsBarrier(*instruction)) {
      calls.push_back(instruction);
    }
  }
  if (reads.empty()) return false;
  llvm::Function& function = *instructions.front()->getFunction();
  llvm::SmallVector<llvm::AllocaInst*, 2> flags;
  for (auto& [variable, places] : reads) {
    llvm::IRBuilder<> entry(&*function.getEntryBlock().begin());
    llvm::AllocaInst* is_announced = entry.CreateAlloca(entry.getInt1Ty());
    flags.push_back(is_announced);
    entry.CreateStore(entry.getFalse(), is_announced);
    for (llvm::Instruction* call : calls) {
      llvm::IRBuilder<> before(call);
      before.CreateStore(before.getFalse(), is_announced);
    }
    for (llvm::Instruction* read : places) {
      BuilderBefore before(read);
      llvm::Value* is_not =
          before.CreateNot(before.CreateLoad(is_announced->getAllocatedType(), is_announced));
      BuilderBefore builder(llvm::SplitBlockAndInsertIfThen(is_not, read->getIterator(), false),
                            read);
      CallThreadLocalHook(builder, *variable);
      builder.CreateStore(builder.getTrue(), is_announced);
    }
  }
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(flags, dominators);
  return true;
}

}  // namespace taskrace
