#include "compiler/loop_facts.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/parallel_loops.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

LoopFacts::LoopFacts(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                     const Barriers& barriers, Marks marks)
    : evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
      dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
      loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
      barriers_(barriers),
      marks_(marks),
      expander_(evolution_, function.getParent()->getDataLayout(), "taskrace"),
      progresses_(Progresses(function)) {}

const LoopFacts::Shape& LoopFacts::ShapeOf(llvm::Loop& loop) {
  auto [found, inserted] = shapes_.try_emplace(&loop);
  if (inserted) found->second = ComputeShape(loop);
  return found->second;
}

LoopFacts::Shape LoopFacts::ComputeShape(llvm::Loop& loop) {
  using Kind = Obstacle::Kind;
  if (!loop.isLoopSimplifyForm()) return {{Kind::kUnusualLoop}, {}, nullptr};
  const llvm::Instruction* ignored = marks_ == Marks::kSeenPast ? MarkOf(loop) : nullptr;
  if (const llvm::Instruction* barrier = barriers_.FirstIn(loop, ignored)) {
    return {{Kind::kBarrier, barrier}, {}, nullptr};
  }
  if (!llvm::all_of(loop.getSubLoops(), [this](llvm::Loop* inner) { return Ends(*inner); })) {
    return {{Kind::kEndless}, {}, nullptr};
  }
  if (loop.getExitingBlock() == nullptr || loop.getExitingBlock() != loop.getLoopLatch()) {
    return {{}, {Kind::kEarlyExit}, nullptr};
  }
  const llvm::SCEV* turns = evolution_.getBackedgeTakenCount(&loop);
  llvm::Type* word = evolution_.getDataLayout().getIntPtrType(loop.getHeader()->getContext());
  if (isa<llvm::SCEVCouldNotCompute>(turns) ||
      evolution_.getTypeSizeInBits(turns->getType()) > evolution_.getTypeSizeInBits(word)) {
    return {{}, {Kind::kUnknownCount}, nullptr};
  }
  turns = evolution_.getNoopOrZeroExtend(turns, word);
  if (!CanExpand(turns, loop)) return {{}, {Kind::kUnknownCount}, nullptr};
  return {{}, {}, turns};
}

bool LoopFacts::Ends(llvm::Loop& loop) {
  if (!isa<llvm::SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(&loop))) return true;
  if (!progresses_ && !llvm::hasMustProgress(&loop)) return false;
  for (llvm::BasicBlock* block : loop.blocks()) {
    if (llvm::any_of(*block, IsObservable)) return false;
  }
  return llvm::all_of(loop.getSubLoops(), [this](llvm::Loop* inner) { return Ends(*inner); });
}

bool LoopFacts::CanExpand(const llvm::SCEV* expression, const llvm::Loop& loop) {
  llvm::BasicBlock* before = loop.getLoopPreheader();
  const bool elsewhere = llvm::SCEVExprContains(expression, [&](const llvm::SCEV* part) {
    const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(part);
    return walk != nullptr && !walk->getLoop()->contains(before);
  });
  return !elsewhere && expander_.isSafeToExpandAt(expression, before->getTerminator());
}

bool LoopFacts::IsAlwaysReached(const llvm::BasicBlock* block, const llvm::Loop& loop) const {
  llvm::SmallVector<llvm::BasicBlock*, 4> ends;
  loop.getExitingBlocks(ends);
  ends.push_back(loop.getLoopLatch());
  return llvm::all_of(ends,
                      [&](llvm::BasicBlock* end) { return dominators_.dominates(block, end); });
}

}  // namespace taskrace
