#include "compiler/redundant_checks.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/STLExtras.h>

#include "compiler/check_flow.h"
#include "compiler/statistics.h"

namespace taskrace {

namespace {

llvm::BitVector FindRedundant(const Checks& checks, const CheckFlow& flow) {
  llvm::BitVector redundant(checks.size());
  for (const llvm::BasicBlock* block : flow.blocks()) {
    CheckFlow::Facts known = flow.AvailableAtBegin(block);
    flow.Forward(block, known, [&](unsigned check, bool after_barrier) {
      if (flow.IsCovered(checks[check], known) ||
          (!after_barrier && flow.IsCoveredWhicheverWay(checks[check], known))) {
        redundant.set(check);
      }
    });
    known = flow.AnticipatedAtEnd(block);
    flow.Backward(block, known, [&](unsigned read) {
      if (flow.WillBeCovered(checks[read], known)) redundant.set(read);
    });
  }
  return redundant;
}

}  // namespace

void DropRedundantChecks(Checks& checks, llvm::Function& function,
                         llvm::FunctionAnalysisManager& analyses, const Barriers& barriers) {
  if (checks.size() < 2) return;
  const llvm::BitVector redundant =
      FindRedundant(checks, CheckFlow(checks, function, analyses, barriers));
  Counters::kRedundant += redundant.count();
  unsigned index = 0;
  llvm::erase_if(checks, [&](const Check&) { return redundant.test(index++); });
}

}  // namespace taskrace
