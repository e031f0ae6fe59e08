#include "compiler/simd_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/hook_calls.h"
#include "compiler/parallel_loops.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// The safelen that metadata of a loop says; 0: any; nullopt: it is no simd loop of OpenMP.
std::optional<uint64_t> SafelenOf(const llvm::MDNode* of_loop) {
  if (of_loop == nullptr) return std::nullopt;
  bool is_enabled = false, is_parallel = false, is_of_clang = false;
  uint64_t width = 0;
  for (const llvm::MDOperand& operand : of_loop->operands()) {
    const auto* node = dyn_cast<llvm::MDNode>(operand);
    if (node == nullptr || node->getNumOperands() < 2) continue;
    const auto* name = dyn_cast<llvm::MDString>(node->getOperand(0));
    if (name == nullptr) continue;
    const auto* value = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(1));
    if (name->getString() == "llvm.loop.vectorize.enable") {
      is_enabled = value != nullptr && !value->isZero();
    } else if (name->getString() == "llvm.loop.vectorize.width") {
      width = value == nullptr ? 0 : value->getZExtValue();
    } else if (name->getString() == "llvm.loop.vectorize.scalable.enable") {
      is_of_clang = true;
    } else if (name->getString() == "llvm.loop.parallel_accesses") {
      is_parallel = true;
    }
  }
  if (!is_enabled || is_of_clang) return std::nullopt;
  if (is_parallel) return 0;
  return width == 0 ? std::nullopt : std::optional(width);
}

bool HasSimdLoops(const llvm::Function& function) {
  return llvm::any_of(function, [](const llvm::BasicBlock& block) {
    return SafelenOf(block.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop)).has_value();
  });
}

// The variable that counts the iterations, and where the body begins, if the loop's header compares it.
struct Counter {
  llvm::LoadInst* load = nullptr;
  llvm::AllocaInst* variable = nullptr;
  llvm::BasicBlock* body = nullptr;
  bool is_signed = false;
};
Counter CounterOf(const llvm::Loop& loop) {
  auto* branch = dyn_cast<llvm::BranchInst>(loop.getHeader()->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return {};
  auto* compare = dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr) return {};
  llvm::Value* compared = compare->getOperand(0);
  const bool is_signed = compare->isSigned() || isa<llvm::SExtInst>(compared);
  if (auto* cast = dyn_cast<llvm::CastInst>(compared)) compared = cast->getOperand(0);
  auto* load = dyn_cast<llvm::LoadInst>(compared);
  if (load == nullptr) return {};
  auto* variable = dyn_cast<llvm::AllocaInst>(load->getPointerOperand());
  llvm::BasicBlock* body = branch->getSuccessor(0);
  if (variable == nullptr || !loop.contains(body) || body->getSinglePredecessor() == nullptr) {
    return {};
  }
  return {load, variable, body, is_signed};
}

// Is it the loop of a taskloop? Then it begins with an argument of the function.
bool IsOfTaskloop(const llvm::Loop& loop, const Counter& counter) {
  return llvm::any_of(counter.variable->users(), [&](const llvm::User* user) {
    const auto* store = dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || loop.contains(store)) return false;
    const llvm::Value* first = store->getValueOperand();
    if (const auto* cast = dyn_cast<llvm::CastInst>(first)) first = cast->getOperand(0);
    const auto* load = dyn_cast<llvm::LoadInst>(first);
    return load != nullptr && llvm::any_of(load->getPointerOperand()->users(), [](auto* of_bound) {
             const auto* copy = dyn_cast<llvm::StoreInst>(of_bound);
             return copy != nullptr && isa<llvm::Argument>(copy->getValueOperand());
           });
  });
}

// What the loop does with a variable of the function.
struct Use {
  bool is_used = false;
  bool is_written = false;
  bool is_passed_on = false;  // the address, anywhere in the function
};
void AddUses(const llvm::Value& pointer, const llvm::Loop& loop, Use& use) {
  for (const llvm::User* user : pointer.users()) {
    const auto* instruction = dyn_cast<llvm::Instruction>(user);
    if (instruction == nullptr || instruction->isLifetimeStartOrEnd() ||
        instruction->isDebugOrPseudoInst()) {
      continue;
    }
    const bool is_inside = loop.contains(instruction);
    use.is_used |= is_inside;
    if (isa<llvm::GetElementPtrInst>(instruction)) {
      AddUses(*instruction, loop, use);
    } else if (const auto* store = dyn_cast<llvm::StoreInst>(instruction)) {
      use.is_passed_on |= store->getValueOperand() == &pointer;
      use.is_written |= is_inside && store->getPointerOperand() == &pointer;
    } else if (isa<llvm::MemIntrinsic>(instruction)) {
      use.is_written |= is_inside;
    } else if (!isa<llvm::LoadInst>(instruction)) {
      use.is_passed_on = true;
    }
  }
}

class SimdLoops {
 public:
  explicit SimdLoops(llvm::Function& function)
      : function_(function), dominators_(function), loops_(dominators_) {}

  void Mark() {
    for (llvm::Loop* loop : loops_.getLoopsInPreorder()) {
      const std::optional<uint64_t> safelen = SafelenOf(loop->getLoopID());
      const Counter counter = CounterOf(*loop);
      // With a safelen of 1 the lanes are in order.
      if (!safelen || *safelen == 1 || counter.variable == nullptr || HasUnits(*counter.body)) {
        continue;
      }
      MarkLoop(*loop, counter, *safelen);
    }
  }

 private:
  // Is it a worksharing loop, each iteration of which is a unit?
  static bool HasUnits(const llvm::BasicBlock& body) {
    return llvm::any_of(body, [](const llvm::Instruction& instruction) {
      const auto* call = dyn_cast<llvm::CallInst>(&instruction);
      return call != nullptr && IsUnitMark(*call);
    });
  }

  void MarkLoop(llvm::Loop& loop, const Counter& counter, uint64_t safelen) {
    if (loop.getLoopPreheader() == nullptr) {
      llvm::InsertPreheaderForLoop(&loop, &dominators_, &loops_, nullptr, false);
    }
    llvm::formDedicatedExitBlocks(&loop, &dominators_, &loops_, nullptr, false);
    if (loop.getLoopPreheader() == nullptr) return;
    llvm::Instruction* before = loop.getLoopPreheader()->getTerminator();
    const llvm::DebugLoc line = loop.getStartLoc();
    {
      llvm::IRBuilder<> builder(before);
      if (function_.getSubprogram() != nullptr) builder.SetCurrentDebugLocation(line);
      CallHook(builder, "simd_begin", {builder.getInt64(safelen)});
      TellVariables(loop, counter, builder);
    }
    {
      llvm::IRBuilder<> builder(counter.body, counter.body->getFirstInsertionPt());
      builder.SetCurrentDebugLocation(counter.load->getDebugLoc());
      llvm::Value* number = builder.CreateLoad(counter.load->getType(), counter.variable);
      CallHook(builder, "lane",
               {builder.CreateIntCast(number, builder.getInt64Ty(), counter.is_signed)});
    }
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop.getUniqueExitBlocks(exits);
    for (llvm::BasicBlock* exit : exits) {
      llvm::IRBuilder<> builder(exit, exit->getFirstInsertionPt());
      if (function_.getSubprogram() != nullptr) builder.SetCurrentDebugLocation(line);
      CallHook(builder, "simd_end", {});
    }
    MarkOrderedBlocks(loop);
  }

  // Clang makes a function of each `ordered simd` block.
  static void MarkOrderedBlocks(const llvm::Loop& loop) {
    llvm::SmallVector<llvm::CallInst*, 2> blocks;
    for (llvm::BasicBlock* block : loop.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        auto* call = dyn_cast<llvm::CallInst>(&instruction);
        const llvm::Function* called = call == nullptr ? nullptr : call->getCalledFunction();
        if (called != nullptr && called->hasLocalLinkage() &&
            called->getName().starts_with("__captured_stmt")) {
          blocks.push_back(call);
        }
      }
    }
    for (llvm::CallInst* call : blocks) {
      BuilderBefore before(call);
      CallHook(before, "lane_ordered", {before.getInt32(1)});
      BuilderAfter after(call);
      CallHook(after, "lane_ordered", {after.getInt32(0)});
    }
  }

  // Was the variable made after that of the loop?
  bool IsOwn(const llvm::AllocaInst& variable, const llvm::Loop& loop,
             const Counter& counter) const {
    if (variable.isStaticAlloca()) {
      return &variable == counter.variable || counter.variable->comesBefore(&variable);
    }
    return llvm::any_of(counter.variable->users(), [&](const llvm::User* user) {
      const auto* store = dyn_cast<llvm::StoreInst>(user);
      return store != nullptr && !loop.contains(store) && dominators_.dominates(store, &variable);
    });
  }

  // The private variables of a task are in its descriptor, and its copies of reduction variables are the runtime's. What
  // is shared is elsewhere.
  void TellVariablesOfTask(llvm::IRBuilderBase& builder) const {
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* call = dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr &&
          call->getCalledFunction()->getName() == "__kmpc_task_reduction_get_th_data" &&
          dominators_.dominates(call, &*builder.GetInsertPoint())) {
        CallHook(builder, "lane_owns_state", {call});
      }
    }
    constexpr unsigned kPrivates = 2;
    for (const llvm::User* user : function_.users()) {
      const auto* call = dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != &function_ ||
          call->arg_size() <= kPrivates) {
        continue;
      }
      const auto* member = dyn_cast<llvm::GetElementPtrInst>(call->getArgOperand(kPrivates));
      if (member == nullptr) continue;
      const uint64_t size =
          function_.getParent()->getDataLayout().getTypeAllocSize(member->getResultElementType());
      CallHook(builder, "lane_owns", {function_.getArg(kPrivates), builder.getInt64(size)});
    }
  }

  void TellVariables(const llvm::Loop& loop, const Counter& counter,
                     llvm::IRBuilderBase& builder) const {
    if (IsOfTaskloop(loop, counter)) return TellVariablesOfTask(builder);
    const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* variable = dyn_cast<llvm::AllocaInst>(&instruction);
      // One in the body lies below the stack pointer of the loop.
      if (variable == nullptr || !dominators_.dominates(variable, &*builder.GetInsertPoint())) {
        continue;
      }
      Use use;
      AddUses(*variable, loop, use);
      if (IsOwn(*variable, loop, counter)) {
        if (!use.is_used || !use.is_passed_on) continue;
        llvm::Value* size = builder.getInt64(layout.getTypeAllocSize(variable->getAllocatedType()));
        if (variable->isArrayAllocation()) {
          size = builder.CreateMul(
              size, builder.CreateIntCast(variable->getArraySize(), builder.getInt64Ty(), false));
        }
        CallHook(builder, "lane_owns", {variable, size});
      } else if (IsArray(*variable) ? use.is_used || use.is_passed_on : use.is_written) {
        CallHook(builder, "lanes_share", {variable});
      }
    }
  }
  static bool IsArray(const llvm::AllocaInst& variable) {
    return variable.isArrayAllocation() || variable.getAllocatedType()->isAggregateType();
  }

  llvm::Function& function_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
};

}  // namespace

void MarkSimdLoops(llvm::Function& function) {
  if (HasSimdLoops(function)) SimdLoops(function).Mark();
}

}  // namespace taskrace
