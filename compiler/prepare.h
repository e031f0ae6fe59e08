// What must happen to a module before any optimisation.
//
// Functions that are to be instrumented get the attribute sanitize_thread. By itself it adds
// nothing; it keeps the optimiser from inventing loads and stores that the source does not have,
// and from inlining functions that are not instrumented into those that are, or the other way
// round. Then the marker (marker.h), the regions of shared_ptr (ordered_regions.h), and
// the program's own allocation functions (allocation_functions.h).
//
// Thread rule: one module at a time. Cost: linear in functions.
#ifndef TASKRACE_COMPILER_PREPARE_H_
#define TASKRACE_COMPILER_PREPARE_H_

#include <llvm/IR/PassManager.h>

namespace taskrace {

class PreparePass : public llvm::PassInfoMixin<PreparePass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_PREPARE_H_
