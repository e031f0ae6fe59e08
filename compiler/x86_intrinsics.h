// Intrinsics of x86 that LLVM has no common form for, and what they read and write.
//
// The table is x86_intrinsics.def. An intrinsic that has a pointer and is not in it may touch anything
// there: objects with such a call are marked (marker.h), and reports say so.
//
// Thread rule: as for the module that is changed. Cost: a pass over the table a call.
#ifndef TASKRACE_COMPILER_X86_INTRINSICS_H_
#define TASKRACE_COMPILER_X86_INTRINSICS_H_

#include <llvm/IR/IntrinsicInst.h>

#include "compiler/access_checks.h"

namespace taskrace {

// Is it in the table? Then it touches what the table says, and keeps no address.
bool IsKnownX86Intrinsic(const llvm::Function& function);
// May it touch memory that no check covers?
bool IsUnknownX86Intrinsic(const llvm::Function& function);

// Adds the checks; none for an intrinsic that is not in the table.
void CheckX86Intrinsic(AccessChecks& checks, llvm::IntrinsicInst& call);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_X86_INTRINSICS_H_
