#include "compiler/remarks.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <string>

#include "compiler/parallel_loops.h"

namespace taskrace {

using llvm::dyn_cast;

namespace {

constexpr const char* kPass = "taskrace";

// A parallel loop begins at some line of the task interface; the check's own line says more.
std::string LineOf(const llvm::Loop& loop) {
  if (MarkOf(loop) != nullptr) return "the parallel loop";
  const llvm::DebugLoc location = loop.getStartLoc();
  return location ? "the loop at line " + std::to_string(location.getLine()) : "the loop";
}

std::string Number(const llvm::SCEV* expression, const char* otherwise) {
  const auto* constant = dyn_cast<llvm::SCEVConstant>(expression);
  return constant != nullptr ? std::to_string(constant->getAPInt().getSExtValue()) : otherwise;
}

const char* Verb(const Check& check) { return check.IsWrite() ? "write" : "read"; }

std::string ShapeOf(const Footprint& bytes) {
  if (bytes.rows == nullptr) {
    return "one range of " + Number(bytes.size, "a computed number of") + " bytes";
  }
  return Number(bytes.rows, "a computed number of") + " rows of " +
         Number(bytes.size, "a computed number of") + " bytes, " +
         Number(bytes.distance, "a computed number of") + " bytes apart";
}

std::string CalleeOf(const llvm::Instruction& culprit) {
  const auto* call = dyn_cast<llvm::CallBase>(&culprit);
  if (call == nullptr) return "it passes on the address of a thread_local";
  if (call->isLifetimeStartOrEnd())
    return "the lifetime of a variable that can be shared begins or ends in it";
  if (call->isInlineAsm()) return "it has inline assembler, whose effects are unknown";
  const llvm::Function* callee = call->getCalledFunction();
  if (callee == nullptr)
    return "it calls through a pointer, and the callee may start or end a strand";
  return "it calls " + llvm::demangle(callee->getName().str()) +
         ", which may start or end a strand";
}

std::string ReasonOf(const Obstacle& obstacle) {
  switch (obstacle.kind) {
    case Obstacle::Kind::kNone:
      break;
    case Obstacle::Kind::kUnusualLoop:
      return "it has no single entry";
    case Obstacle::Kind::kBarrier:
      return CalleeOf(*obstacle.culprit);
    case Obstacle::Kind::kEndless:
      return "a loop inside may never end";
    case Obstacle::Kind::kEarlyExit:
      return "it may exit early";
    case Obstacle::Kind::kUnknownCount:
      return "its number of iterations is not known on entry";
    case Obstacle::Kind::kConditional:
      return "not every iteration does the access";
    case Obstacle::Kind::kNotAffine:
      return "the address does not advance in equal steps";
    case Obstacle::Kind::kChangingSize:
      return "the number of iterations of the inner loop varies";
    case Obstacle::Kind::kNoRows:
      return "the rows are not evenly spaced";
    case Obstacle::Kind::kOtherNumbers:
      return "its iterations are not numbered one by one";
  }
  llvm_unreachable("there is an obstacle");
}

}  // namespace

void Remarks::Left(const Check& check, const llvm::Loop& loop) {
  emitter_.emit([&] {
    return llvm::OptimizationRemark(kPass, "LoopRange", check.access->getDebugLoc(),
                                    loop.getHeader())
           << Verb(check) << " is checked before " << LineOf(loop) << ", as "
           << ShapeOf(check.bytes);
  });
}

void Remarks::LeftParallel(const Check& check, const llvm::Loop& loop) {
  emitter_.emit([&] {
    return llvm::OptimizationRemark(kPass, "ParallelLoop", check.access->getDebugLoc(),
                                    loop.getHeader())
           << Verb(check) << " is checked before " << LineOf(loop) << ", as "
           << ShapeOf(check.bytes) << " an iteration, "
           << Number(check.iterations.step, "a computed number of") << " bytes apart";
  });
}

void Remarks::IsFree(const llvm::Loop& loop, const llvm::CallInst& mark) {
  emitter_.emit([&] {
    return llvm::OptimizationRemark(kPass, "FreeOfChecks", mark.getDebugLoc(), loop.getHeader())
           << "all checks were moved out of " << LineOf(loop);
  });
}

void Remarks::Waits(const Check& check, const llvm::Loop& loop) {
  emitter_.emit([&] {
    return llvm::OptimizationRemark(kPass, "AfterLoop", check.access->getDebugLoc(),
                                    loop.getHeader())
           << Verb(check) << " is checked after " << LineOf(loop) << ", as "
           << ShapeOf(check.bytes);
  });
}

void Remarks::Gathers(const Check& check, const llvm::Loop& loop) {
  emitter_.emit([&] {
    return llvm::OptimizationRemark(kPass, "InRuns", check.access->getDebugLoc(), loop.getHeader())
           << Verb(check) << " is checked once for every run of "
           << (check.expected_in_place ? "equal addresses" : "equal steps") << " in "
           << LineOf(loop);
  });
}

void Remarks::Stays(const Check& check, const llvm::Loop& loop, const llvm::Loop* left,
                    const Obstacle& obstacle) {
  emitter_.emit([&] {
    return llvm::OptimizationRemarkMissed(kPass, left != nullptr ? "OuterLoop" : "Loop",
                                          check.access->getDebugLoc(), loop.getHeader())
           << Verb(check) << " is checked in every iteration of " << LineOf(loop) << ": "
           << ReasonOf(obstacle);
  });
}

}  // namespace taskrace
