// Drops checks that another one of the same strand stands for.
//
// *Available* (check_flow.h): on every way to a check the same bytes have been checked already, for the
// same kind of access or for a write. The earlier one finds every race that this one would find. A
// pointer that is another one on each way (`link` of a list that is walked and changed) is followed
// along them. *Anticipated*: on every way from a check of a read, the same bytes are checked for a
// write: the write races with all that the read races with, and more. Here, too, a pointer is followed
// along the ways: a link that is read now and written when the loop comes back to it.
//
// Thread rule: as for the module that is changed. Cost: that of the flow.
// Tested by:  test/lit/compiler/redundant_*.ll, read_before_write_*.ll
#ifndef TASKRACE_COMPILER_REDUNDANT_CHECKS_H_
#define TASKRACE_COMPILER_REDUNDANT_CHECKS_H_

#include <llvm/IR/PassManager.h>

#include "compiler/barriers.h"
#include "compiler/checks.h"

namespace taskrace {

void DropRedundantChecks(Checks& checks, llvm::Function& function,
                         llvm::FunctionAnalysisManager& analyses, const Barriers& barriers);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_REDUNDANT_CHECKS_H_
