#include "compiler/ways_to_blocks.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace taskrace {

using llvm::dyn_cast;

const llvm::SCEV* Ways::IterationWithout(const llvm::Value* condition, bool wanted,
                                         llvm::Loop& loop) {
  const auto* comparison = dyn_cast<llvm::ICmpInst>(condition);
  const llvm::SCEV* turns = facts_.ShapeOf(loop).turns;
  if (comparison == nullptr || turns == nullptr || !comparison->isEquality() ||
      (comparison->getPredicate() == llvm::ICmpInst::ICMP_NE) != wanted ||
      !comparison->getOperand(0)->getType()->isIntegerTy()) {
    return nullptr;
  }
  const llvm::SCEV* one = evolution_.getSCEV(comparison->getOperand(0));
  const llvm::SCEV* other = evolution_.getSCEV(comparison->getOperand(1));
  if (evolution_.isLoopInvariant(one, &loop)) std::swap(one, other);
  const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(one);
  if (walk == nullptr || walk->getLoop() != &loop || !walk->isAffine() ||
      !evolution_.isLoopInvariant(other, &loop)) {
    return nullptr;
  }
  // No value occurs twice if there are at most as many iterations as values.
  llvm::Type* word = turns->getType();
  const uint64_t bits = evolution_.getTypeSizeInBits(walk->getType());
  if (bits > evolution_.getTypeSizeInBits(word) ||
      evolution_.getTypeSizeInBits(evolution_.getBackedgeTakenCount(&loop)->getType()) > bits) {
    return nullptr;
  }
  const llvm::SCEV* step = walk->getStepRecurrence(evolution_);
  const llvm::SCEV* number = nullptr;
  if (step->isOne()) {
    number = evolution_.getMinusSCEV(other, walk->getStart());
  } else if (step->isAllOnesValue()) {
    number = evolution_.getMinusSCEV(walk->getStart(), other);
  } else {
    return nullptr;
  }
  return evolution_.getNoopOrZeroExtend(number, word);
}

std::optional<Reached> Ways::WhenReached(const llvm::BasicBlock* block, llvm::Loop& loop) {
  Reached reached;
  while (!facts_.IsAlwaysReached(block, loop)) {
    const auto* node = dominators_.getNode(block)->getIDom();
    const llvm::BasicBlock* before = node != nullptr ? node->getBlock() : nullptr;
    if (before == nullptr || !loop.contains(before)) return std::nullopt;
    if (post_dominators_.dominates(block, before)) {
      // Whoever comes there comes here: at once if the end of the loop is its only exit, else
      // some day.
      if (facts_.ShapeOf(loop).turns == nullptr && !facts_.Ends(loop)) return std::nullopt;
      block = before;
      continue;
    }
    const auto* branch = dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (branch == nullptr || block->getSinglePredecessor() != before) return std::nullopt;
    // Conditional: else it would have been followed above.
    const bool wanted = branch->getSuccessor(0) == block;
    if (loop.isLoopInvariant(branch->getCondition())) {
      reached.guards.push_back({branch->getCondition(), wanted});
    } else if (reached.except == nullptr) {
      reached.except = IterationWithout(branch->getCondition(), wanted, loop);
      if (reached.except == nullptr) return std::nullopt;
    } else {
      return std::nullopt;
    }
    block = before;
  }
  return reached;
}

bool Ways::WhenFirstReached(const llvm::BasicBlock* block, llvm::Loop& loop,
                            llvm::SmallVectorImpl<FirstGuard>& guards) {
  while (!facts_.IsAlwaysReached(block, loop)) {
    const llvm::BasicBlock* before = block->getSinglePredecessor();
    const auto* branch =
        before != nullptr ? dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
    if (branch == nullptr || !loop.contains(before)) return false;
    if (branch->isConditional()) {
      llvm::Value* condition = branch->getCondition();
      const bool wanted = branch->getSuccessor(0) == block;
      const llvm::SCEV* except = IterationWithout(condition, wanted, loop);
      if (loop.isLoopInvariant(condition)) {
        guards.push_back({condition, wanted});
      } else if (except == nullptr || !evolution_.isKnownNonZero(except)) {
        std::optional<FirstGuard> guard = GuardThatStaysFalse(condition, wanted, loop);
        if (!guard) return false;
        guards.push_back(*guard);
      }
    }
    block = before;
  }
  return true;
}

std::optional<FirstGuard> Ways::GuardThatStaysFalse(llvm::Value* condition, bool wanted,
                                                    llvm::Loop& loop) {
  const auto* comparison = dyn_cast<llvm::ICmpInst>(condition);
  if (comparison == nullptr || !comparison->getOperand(0)->getType()->isIntegerTy()) return {};
  llvm::ICmpInst::Predicate predicate =
      wanted ? comparison->getPredicate() : comparison->getInversePredicate();
  const llvm::SCEV* left = evolution_.getSCEV(comparison->getOperand(0));
  const llvm::SCEV* right = evolution_.getSCEV(comparison->getOperand(1));
  if (evolution_.isLoopInvariant(left, &loop)) {
    std::swap(left, right);
    predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
  }
  const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(left);
  if (walk == nullptr || walk->getLoop() != &loop || !walk->isAffine() ||
      !evolution_.isLoopInvariant(right, &loop) || !facts_.CanExpand(walk->getStart(), loop) ||
      !facts_.CanExpand(right, loop) ||
      !evolution_.isKnownPositive(walk->getStepRecurrence(evolution_))) {
    return {};
  }
  const bool is_less = (llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate));
  const bool stays_in_order =
      llvm::ICmpInst::isSigned(predicate) ? walk->hasNoSignedWrap() : walk->hasNoUnsignedWrap();
  if (!is_less || !stays_in_order) return {};
  return FirstGuard{condition, true, predicate, walk->getStart(), right};
}

Guard Ways::InFirst(const FirstGuard& guard, llvm::Instruction* position) {
  if (guard.left == nullptr) return {guard.condition, guard.wanted};
  llvm::SCEVExpander expander(evolution_, evolution_.getDataLayout(), "taskrace");
  llvm::Type* type = guard.left->getType();
  llvm::Value* left = expander.expandCodeFor(guard.left, type, position);
  llvm::Value* right = expander.expandCodeFor(guard.right, type, position);
  BuilderBefore builder(position);
  return {builder.CreateICmp(guard.predicate, left, right), true};
}

}  // namespace taskrace
