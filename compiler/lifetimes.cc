#include "compiler/lifetimes.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/hook_calls.h"
#include "compiler/parallel_loops.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

// Does a debug record of a slot say that the variable is *in* it? A declare says so unless it loads
// further; a value, which is what optimisation makes of a declare, when it begins by loading.
bool DescribesMemory(const llvm::DIExpression* expression, bool declares) {
  const bool loads =
      expression->getNumElements() > 0 && expression->getElement(0) == llvm::dwarf::DW_OP_deref;
  return declares != loads;
}

const llvm::DILocalVariable* VariableIn(llvm::Value* slot) {
  llvm::SmallVector<llvm::DbgVariableIntrinsic*, 4> intrinsics;
  llvm::SmallVector<llvm::DbgVariableRecord*, 4> records;
  llvm::findDbgUsers(intrinsics, slot, &records);
  for (llvm::DbgVariableRecord* record : records) {
    if (record->isDbgAssign() ? record->getAddress() == slot
                              : DescribesMemory(record->getExpression(), record->isDbgDeclare())) {
      return record->getVariable();
    }
  }
  for (llvm::DbgVariableIntrinsic* intrinsic : intrinsics) {
    auto* assign = dyn_cast<llvm::DbgAssignIntrinsic>(intrinsic);
    if (assign
            ? assign->getAddress() == slot
            : DescribesMemory(intrinsic->getExpression(), isa<llvm::DbgDeclareInst>(intrinsic))) {
      return intrinsic->getVariable();
    }
  }
  return nullptr;
}

// Builds constants of type `struct __taskrace_variable`.
class Descriptors {
 public:
  explicit Descriptors(llvm::Function& function) : function_(function) {}

  // The constant for what is in `slot`; null when there is no debug information.
  llvm::Constant* For(llvm::Value* slot) {
    llvm::LLVMContext& context = function_.getContext();
    auto* pointer = llvm::PointerType::getUnqual(context);
    const llvm::DILocalVariable* variable = VariableIn(slot);
    const llvm::DISubprogram* subprogram =
        variable ? variable->getScope()->getSubprogram() : function_.getSubprogram();
    if (!subprogram) return llvm::ConstantPointerNull::get(pointer);
    const llvm::DIFile* file = variable ? variable->getFile() : subprogram->getFile();
    const unsigned line = variable ? variable->getLine() : subprogram->getLine();
    llvm::Constant* fields[] = {
        String(variable ? variable->getName() : ""),
        String(subprogram->getLinkageName().empty() ? subprogram->getName()
                                                    : subprogram->getLinkageName()),
        String(Path(file)),
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), line),
    };
    llvm::Constant* value = llvm::ConstantStruct::getAnon(fields);
    auto* descriptor =
        new llvm::GlobalVariable(*function_.getParent(), value->getType(), true,
                                 llvm::GlobalValue::PrivateLinkage, value, "__taskrace_variable");
    descriptor->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return descriptor;
  }

 private:
  static std::string Path(const llvm::DIFile* file) {
    if (!file) return "";
    llvm::StringRef name = file->getFilename();
    if (name.starts_with("/") || file->getDirectory().empty()) return name.str();
    return (file->getDirectory() + "/" + name).str();
  }

  llvm::Constant* String(const std::string& text) {
    llvm::Constant* value = llvm::ConstantDataArray::getString(function_.getContext(), text);
    auto* string =
        new llvm::GlobalVariable(*function_.getParent(), value->getType(), true,
                                 llvm::GlobalValue::PrivateLinkage, value, "__taskrace_string");
    string->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    string->setAlignment(llvm::Align(1));
    return string;
  }
  llvm::Constant* String(llvm::StringRef text) { return String(text.str()); }

  llvm::Function& function_;
};

// Bytes of a slot; an alloca of variable size computes it with `builder`.
llvm::Value* SizeOf(llvm::Value* slot, llvm::IRBuilderBase& builder,
                    const llvm::DataLayout& layout) {
  llvm::IntegerType* type = SizeType(builder);
  if (auto* argument = dyn_cast<llvm::Argument>(slot)) {
    return llvm::ConstantInt::get(type, layout.getTypeAllocSize(argument->getParamByValType()));
  }
  auto* alloca = cast<llvm::AllocaInst>(slot);
  llvm::Value* element =
      builder.CreateTypeSize(type, layout.getTypeAllocSize(alloca->getAllocatedType()));
  return builder.CreateMul(element, builder.CreateZExtOrTrunc(alloca->getArraySize(), type));
}

bool IsEmpty(llvm::Value* size) {
  auto* constant = dyn_cast<llvm::ConstantInt>(size);
  return constant && constant->isZero();
}

llvm::Value* SlotOfMarker(const llvm::IntrinsicInst& marker) {
  return marker.getArgOperand(1)->stripPointerCasts();
}

// The size in a marker may be unknown (-1): then the whole slot is meant.
llvm::Value* SizeInMarker(const llvm::IntrinsicInst& marker, llvm::IRBuilderBase& builder) {
  auto* size = cast<llvm::ConstantInt>(marker.getArgOperand(0));
  if (size->isMinusOne()) {
    return SizeOf(SlotOfMarker(marker), builder, marker.getModule()->getDataLayout());
  }
  return llvm::ConstantInt::get(SizeType(builder), size->getZExtValue());
}

// Where variables of a part of a parallel loop end. All its iterations are over then, and no other
// part knows of them: unlike other ends, these are not an access of the last iteration.
class EndsOfParts {
 public:
  explicit EndsOfParts(llvm::Function& function) {
    if (!RunsParts(function)) return;
    llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (llvm::BasicBlock& block : function) {
      if (!IsInIteration(block, loops)) blocks_.insert(&block);
    }
  }
  bool Contain(const llvm::Instruction& end) const { return blocks_.contains(end.getParent()); }

 private:
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> blocks_;
};

}  // namespace

bool AnnounceLifetimes(llvm::Function& function, const LocalMemory& local,
                       llvm::ArrayRef<llvm::Instruction*> exits) {
  if (local.announced().empty()) return false;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const llvm::SmallPtrSet<llvm::Value*, 8> announced_slots(local.announced().begin(),
                                                           local.announced().end());
  llvm::SmallVector<llvm::IntrinsicInst*, 16> markers;
  llvm::SmallPtrSet<llvm::Value*, 8> has_markers;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* marker = dyn_cast<llvm::LifetimeIntrinsic>(&instruction);
    if (!marker || !announced_slots.contains(SlotOfMarker(*marker))) continue;
    markers.push_back(marker);
    if (marker->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
      has_markers.insert(SlotOfMarker(*marker));
    }
  }

  bool announced = false;
  const EndsOfParts ends_of_parts(function);
  Descriptors descriptors(function);
  llvm::DenseMap<llvm::Value*, llvm::Constant*> descriptor_of;
  auto start = [&](llvm::IRBuilderBase& builder, llvm::Value* slot, llvm::Value* size) {
    llvm::Constant*& descriptor = descriptor_of[slot];
    if (!descriptor) descriptor = descriptors.For(slot);
    CallHook(builder, "lifetime_start", {slot, size, descriptor});
    ++Counters::kLifetimes;
    announced = true;
  };

  for (llvm::IntrinsicInst* marker : markers) {
    llvm::Value* slot = SlotOfMarker(*marker);
    if (marker->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
      BuilderAfter builder(marker);
      start(builder, slot, SizeInMarker(*marker, builder));
    } else if (has_markers.contains(slot) && !ends_of_parts.Contain(*marker)) {
      BuilderBefore builder(marker);
      CallHook(builder, "lifetime_end", {slot, SizeInMarker(*marker, builder)});
    }
  }

  llvm::Instruction* entry = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  auto stands_before_entry = [entry](const llvm::AllocaInst& alloca) {
    return alloca.getParent() == entry->getParent() && alloca.comesBefore(entry);
  };
  for (llvm::Value* slot : local.announced()) {
    if (has_markers.contains(slot)) continue;
    auto* alloca = dyn_cast<llvm::AllocaInst>(slot);
    llvm::Instruction* begin =
        alloca && !stands_before_entry(*alloca) ? alloca->getNextNode() : entry;
    BuilderBefore builder(begin);
    llvm::Value* size = SizeOf(slot, builder, layout);
    if (IsEmpty(size)) continue;
    start(builder, slot, size);
    if (alloca && !alloca->isStaticAlloca()) continue;
    for (llvm::Instruction* exit : exits) {
      if (ends_of_parts.Contain(*exit)) continue;
      BuilderBefore exit_builder(exit);
      CallHook(exit_builder, "lifetime_end", {slot, size});
    }
  }
  return announced;
}

}  // namespace taskrace
