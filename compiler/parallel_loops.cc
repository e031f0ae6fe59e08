#include "compiler/parallel_loops.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Module.h>

#include "compiler/loop_facts.h"

namespace taskrace {

using llvm::dyn_cast;

namespace {

constexpr llvm::StringLiteral kMark = "__taskrace_iteration";

bool IsLaneMark(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName() == kLaneMark && call.arg_size() == 1;
}
bool IsMark(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return IsUnitMark(call) || IsLaneMark(call) ||
         (callee != nullptr && callee->getName() == kMark && call.arg_size() == 1 &&
          call.getType()->isIntegerTy());
}

bool Calls(const llvm::Function& function, llvm::StringRef name) {
  const llvm::Function* callee = function.getParent()->getFunction(name);
  return callee != nullptr && llvm::any_of(callee->users(), [&](const llvm::User* user) {
           const auto* call = dyn_cast<llvm::CallInst>(user);
           return call != nullptr && call->getFunction() == &function;
         });
}

// Is it called with a number that counts up by one, as wide as a size?
bool CountsIterations(const llvm::CallInst& mark, const llvm::Loop& loop,
                      llvm::ScalarEvolution& evolution) {
  llvm::Value* number = mark.getArgOperand(0);
  if (number->getType() != evolution.getDataLayout().getIntPtrType(mark.getContext())) return false;
  const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(number));
  return walk != nullptr && walk->getLoop() == &loop && walk->isAffine() &&
         walk->getStepRecurrence(evolution)->isOne();
}

}  // namespace

bool IsUnitMark(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || callee->getName() != kUnitMark || call.arg_size() != 2) return false;
  const auto* is_run = dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
  return is_run != nullptr && is_run->isOne();
}

llvm::CallInst* MarkOf(const llvm::Loop& loop) {
  for (llvm::Instruction& instruction : *loop.getHeader()) {
    auto* call = dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && IsMark(*call)) return call;
    if (instruction.mayReadOrWriteMemory()) return nullptr;
  }
  return nullptr;
}

bool AreUnits(const llvm::Loop& loop) {
  const llvm::CallInst* mark = MarkOf(loop);
  return mark != nullptr && (IsUnitMark(*mark) || IsLaneMark(*mark));
}

bool EndsIterations(const llvm::BasicBlock& block, const llvm::LoopInfo& loops) {
  return llvm::any_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* before) {
    const llvm::Loop* loop = loops.getLoopFor(before);
    for (; loop != nullptr && !loop->contains(&block); loop = loop->getParentLoop()) {
      if (MarkOf(*loop) != nullptr) return true;
    }
    return false;
  });
}

bool HasMarks(const llvm::Function& function) {
  return Calls(function, kMark) || Calls(function, kUnitMark) || Calls(function, kLaneMark);
}

bool RunsParts(const llvm::Function& function) { return Calls(function, kMark); }

bool IsInIteration(const llvm::BasicBlock& block, const llvm::LoopInfo& loops) {
  const auto is_mark = [](const llvm::Instruction& instruction) {
    const auto* call = dyn_cast<llvm::CallInst>(&instruction);
    return call != nullptr && IsMark(*call);
  };
  const llvm::Loop* loop = loops.getLoopFor(&block);
  for (; loop != nullptr; loop = loop->getParentLoop()) {
    if (llvm::any_of(loop->blocks(),
                     [&](const llvm::BasicBlock* one) { return llvm::any_of(*one, is_mark); })) {
      return true;
    }
  }
  return false;
}

llvm::SmallVector<llvm::Loop*, 2> OpenParallelLoops(LoopFacts& facts) {
  llvm::SmallVector<llvm::Loop*, 2> open;
  for (llvm::Loop* loop : facts.loops().getLoopsInPreorder()) {
    const llvm::CallInst* mark = MarkOf(*loop);
    if (mark == nullptr || !CountsIterations(*mark, *loop, facts.evolution())) continue;
    const LoopFacts::Shape& shape = facts.ShapeOf(*loop);
    if (shape.closed.kind != Obstacle::Kind::kNone) continue;
    // Before units, the runtime is told how many there are.
    if (AreUnits(*loop) && shape.uncounted.kind != Obstacle::Kind::kNone) continue;
    open.push_back(loop);
  }
  return open;
}

}  // namespace taskrace
