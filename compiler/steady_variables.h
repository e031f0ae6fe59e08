// Variables that a loop moves in small steps only: how each value follows from the one before.
//
// An address is cut into a variable of a loop (a phi) and what stays the same in the loop; then all
// ways from the variable round the loop, and round those inside, back to it are added up. None may
// lead around the variable, or from a value that it had earlier than just before.
//
// Thread rule: none, pure functions. Cost: a bounded walk over the function.
#ifndef TASKRACE_COMPILER_STEADY_VARIABLES_H_
#define TASKRACE_COMPILER_STEADY_VARIABLES_H_

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace taskrace {

// An address is a variable, widened and times `scale`, plus what stays the same in a loop.
struct SteadyAddress {
  enum class Widening { kNone, kSigned, kUnsigned };

  llvm::PHINode* variable = nullptr;
  Widening widening = Widening::kNone;
  int64_t scale = 1;
  // Its first value is entry + entry_offset, before it is widened.
  llvm::Value* entry = nullptr;
  int64_t entry_offset = 0;
  // Each next value is the one before plus something from here to there.
  int64_t least_step = 0, most_step = 0;
};

// Takes `address` apart. Requires: it is computed in `loop`. The variable's value is new whenever the
// innermost loop around it comes to it; all its steps lie within `loop`.
std::optional<SteadyAddress> FindSteadyAddress(llvm::Value* address, const llvm::Loop& loop,
                                               const llvm::LoopInfo& loops,
                                               const llvm::DataLayout& layout);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_STEADY_VARIABLES_H_
