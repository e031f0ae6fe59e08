#include "compiler/hook_calls.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/statistics.h"

namespace taskrace {

using llvm::cast;
using llvm::dyn_cast;

namespace {

llvm::DebugLoc LocationOf(const llvm::Instruction& instruction) {
  if (const llvm::DebugLoc& location = instruction.getDebugLoc()) return location;
  if (llvm::DISubprogram* subprogram = instruction.getFunction()->getSubprogram()) {
    return llvm::DILocation::get(instruction.getContext(), 0, 0, subprogram);
  }
  return {};
}

// The first instruction that is executed once `call` has returned.
llvm::Instruction* SuccessorOf(llvm::CallBase* call) {
  auto* invoke = dyn_cast<llvm::InvokeInst>(call);
  if (!invoke) return call->getNextNode();
  llvm::BasicBlock* normal = invoke->getNormalDest();
  if (!normal->getSinglePredecessor()) normal = llvm::SplitEdge(invoke->getParent(), normal);
  return &*normal->getFirstInsertionPt();
}

}  // namespace

BuilderBefore::BuilderBefore(llvm::Instruction* position, const llvm::Instruction* access)
    : IRBuilder(position) {
  SetCurrentDebugLocation(LocationOf(*access));
}

BuilderAfter::BuilderAfter(llvm::CallBase* call) : IRBuilder(SuccessorOf(call)) {
  SetCurrentDebugLocation(LocationOf(*call));
}

llvm::IntegerType* SizeType(const llvm::IRBuilderBase& builder) {
  const llvm::Module* module = builder.GetInsertBlock()->getModule();
  return module->getDataLayout().getIntPtrType(module->getContext());
}

llvm::CallInst* CallHook(llvm::IRBuilderBase& builder, llvm::StringRef name,
                         llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result) {
  llvm::Module* module = builder.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Type*, 3> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee hook = module->getOrInsertFunction(
      ("__taskrace_" + name).str(),
      llvm::FunctionType::get(result ? result : builder.getVoidTy(), types, false));
  if (auto* function = dyn_cast<llvm::Function>(hook.getCallee())) {
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::NonLazyBind);
  }
  llvm::CallInst* call = builder.CreateCall(hook, arguments);
  call->setTailCallKind(llvm::CallInst::TCK_NoTail);
  call->setDoesNotThrow();
  return call;
}

void CallAccessHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* address,
                    llvm::Value* size) {
  const bool atomic = kind == AccessKind::kAtomicRead || kind == AccessKind::kAtomicWrite;
  const llvm::StringRef verb =
      kind == AccessKind::kRead || kind == AccessKind::kAtomicRead ? "read" : "write";
  if (auto* constant = dyn_cast<llvm::ConstantInt>(size)) {
    const uint64_t bytes = constant->getZExtValue();
    if (bytes == 0) return;
    if (!atomic && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16)) {
      ++(verb == "read" ? Counters::kReads : Counters::kWrites);
      CallHook(builder, (verb + llvm::Twine(bytes)).str(), {address});
      return;
    }
  }
  size = builder.CreateZExtOrTrunc(size, SizeType(builder));
  if (atomic) {
    ++Counters::kAtomics;
    CallHook(builder, ("atomic_" + verb).str(), {address, size});
  } else {
    ++Counters::kRanges;
    CallHook(builder, (verb + "_range").str(), {address, size});
  }
}

void CallRowsHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* first,
                  llvm::Value* size, llvm::Value* rows, llvm::Value* distance) {
  ++Counters::kRows;
  CallHook(builder, kind == AccessKind::kRead ? "read_rows" : "write_rows",
           {first, size, rows, distance});
}

void CallPartsHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* first,
                   llvm::Value* size, llvm::Value* rows, llvm::Value* distance,
                   llvm::Value* parts) {
  ++Counters::kParts;
  CallHook(builder, kind == AccessKind::kRead ? "read_parts" : "write_parts",
           {first, size, rows, distance, parts});
}

void CallLoopHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* address,
                  llvm::Value* size, llvm::Value* rows, llvm::Value* distance, llvm::Value* parts,
                  llvm::Value* step, llvm::Value* first, llvm::Value* count) {
  ++Counters::kLoops;
  CallHook(builder, kind == AccessKind::kRead ? "loop_read" : "loop_write",
           {address, size, rows, distance, parts, step, first, count});
}

void CallPossibleHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* address,
                      llvm::Value* size, llvm::Value* rows, llvm::Value* distance,
                      llvm::Value* step, llvm::Value* first, llvm::Value* count) {
  CallHook(builder, kind == AccessKind::kRead ? "loop_may_read" : "loop_may_write",
           {address, size, rows, distance, step, first, count});
}

void CheckString(llvm::IRBuilderBase& builder, llvm::Value* string, llvm::Value* most) {
  ++Counters::kStrings;
  if (most) {
    CallHook(builder, "read_string_n", {string, most});
  } else {
    CallHook(builder, "read_string", {string});
  }
}

void CallBuffersHook(llvm::IRBuilderBase& builder, llvm::Value* vectors, llvm::Value* count,
                     llvm::Value* filled) {
  if (filled) {
    CallHook(builder, "write_buffers", {vectors, count, filled});
  } else {
    CallHook(builder, "read_buffers", {vectors, count});
  }
}

}  // namespace taskrace
