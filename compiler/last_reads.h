// Reads that a write covers in every iteration of a loop but the last one.
//
//   while (Node* node = *link) { Node* next = node->next;  ...;  *link = node;  link = &node->next; }
//
// Each link is read, and written when the loop comes back to it; the last one is read only. The write
// stands for the read (redundant_checks.h), and what was read last is checked where the loop is left.
//
// So a read leaves its loop if on every way from it, before a barrier (barriers.h), its bytes are
// written or the loop is left; and if the read comes again before that, then they are written
// whether the loop is left or not, for only the last one is remembered. What is checked after the
// loop has been read, even if it has been written as well. A read of which ranges may be made
// (loop_ranges.h) is left to them.
//
// Thread rule: as for the module that is changed. Cost: that of the flow (check_flow.h), for each read
// in a loop through a pointer that the loop changes.
// Tested by:  test/lit/compiler/read_before_write_but_the_last.ll, test/compiler/
#ifndef TASKRACE_COMPILER_LAST_READS_H_
#define TASKRACE_COMPILER_LAST_READS_H_

#include <llvm/IR/PassManager.h>

#include "compiler/barriers.h"
#include "compiler/checks.h"

namespace taskrace {

// Requires: all checks are at their accesses.
void LeaveReadsToLastIterations(Checks& checks, llvm::Function& function,
                                llvm::FunctionAnalysisManager& analyses, const Barriers& barriers);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LAST_READS_H_
