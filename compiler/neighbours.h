// One check for accesses that lie side by side: fields of a structure, unrolled code.
//
// Of one kind, at constant distances, in blocks of which either all are executed or none, with no
// barrier (barriers.h) between, nor a loop that might not end. The merged check stands where the first of them stood and covers
// exactly their bytes. A report names the line of every byte: if they are of several lines, the check
// says which bytes are whose (parts.h).
//
// Thread rule: as for the module that is changed. Cost: a sort of each block's checks.
// Tested by:  test/lit/compiler/neighbours_*.ll
#ifndef TASKRACE_COMPILER_NEIGHBOURS_H_
#define TASKRACE_COMPILER_NEIGHBOURS_H_

#include <llvm/IR/PassManager.h>

#include "compiler/barriers.h"
#include "compiler/checks.h"

namespace taskrace {

void MergeNeighbours(Checks& checks, llvm::Function& function,
                     llvm::FunctionAnalysisManager& analyses, const Barriers& barriers);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_NEIGHBOURS_H_
