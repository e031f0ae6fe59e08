// Which memory an instruction touches by itself (not through a library function), and its checks.
//
// Loads, stores and atomics of any size; memory intrinsics; vectors under a mask, exact to the
// active lane; arguments that the caller copies (byval); operands of inline assembler that are in
// memory. Not: prefetches; what inline assembler touches beyond its operands.
//
// Thread rule: as for the module that is changed. Cost: constant an instruction, plus its lanes.
#ifndef TASKRACE_COMPILER_ACCESSES_H_
#define TASKRACE_COMPILER_ACCESSES_H_

#include <llvm/IR/Instructions.h>

#include "compiler/local_memory.h"

namespace taskrace {

// Inserts the checks directly before `instruction`; says whether there are any.
bool CheckAccesses(llvm::Instruction* instruction, const LocalMemory& local);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_ACCESSES_H_
