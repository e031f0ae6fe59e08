// Barriers: instructions at which a strand may end, or memory be allocated or freed. Checks are neither
// moved nor dropped across them.
//
// Not barriers: instructions other than calls and atomic operations that order others, intrinsics, library functions that LLVM knows and
// that free nothing, and calls of quiet functions (quiet_functions.h). All other calls are: a callee
// may spawn, join, lock, allocate, free, toggle ignoring, throw, or never return. So is the lifetime
// of a variable that can be shared, and the address of a thread_local that leaves (thread_locals.h).
//
// Thread rule: none, immutable. Cost: constant an instruction.
#ifndef TASKRACE_COMPILER_BARRIERS_H_
#define TASKRACE_COMPILER_BARRIERS_H_

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>

#include "compiler/local_memory.h"

namespace taskrace {

// Is a call of it over before anything happens that matters to checks, and does it return? Without
// looking at the attribute that quiet_functions.h hands out.
bool IsQuietLibraryFunction(const llvm::Function& function, const llvm::TargetLibraryInfo& library);

// Can it last for ever, or be watched by someone else: volatile and atomic accesses.
bool IsObservable(const llvm::Instruction& instruction);

// Are loops of the function without anything observable sure to end?
bool Progresses(const llvm::Function& function);

class Barriers {
 public:
  Barriers(const llvm::TargetLibraryInfo& library, const LocalMemory& local)
      : library_(library), local_(local) {}

  bool IsBarrier(const llvm::Instruction& instruction) const;
  // The first barrier but `ignored` in the loop or a loop in it; null if there is none.
  const llvm::Instruction* FirstIn(const llvm::Loop& loop,
                                   const llvm::Instruction* ignored = nullptr) const;

 private:
  const llvm::TargetLibraryInfo& library_;
  const LocalMemory& local_;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_BARRIERS_H_
