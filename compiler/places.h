// What a pointer points to, as far as that decides whether an access through it is checked.
//
// Looks backwards through address arithmetic only; what comes out of memory, a call or a merge is
// shared. Skipped places are those that provably cannot race.
//
// Thread rule: none, pure functions. Cost: the length of the chain of address arithmetic.
#ifndef TASKRACE_COMPILER_PLACES_H_
#define TASKRACE_COMPILER_PLACES_H_

#include <llvm/IR/GlobalVariable.h>

#include "compiler/local_memory.h"

namespace taskrace {

enum class Place {
  kShared,       // check it
  kPrivate,      // a stack slot that does not escape, or a variable that only main uses
  kConstant,     // memory that is never written: constants, vtables
  kThreadLocal,  // a thread_local named directly
  kForeign,      // of the compiler, another instrumentation or another address space
};

// The thread_local that `pointer` points into, null if it is not known to point into one.
llvm::GlobalVariable* ThreadLocalOf(llvm::Value* pointer);

Place PlaceOf(llvm::Value* pointer, const LocalMemory& local);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_PLACES_H_
