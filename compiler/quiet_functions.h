// Quiet functions: their call is not a barrier (barriers.h). They are found bottom-up over the module.
//
// A quiet function starts and ends no strand, neither locks, allocates, frees nor toggles ignoring,
// lets no address of a thread_local leave, does not throw, and returns; and so do all that it
// calls. It is marked with the attribute "taskrace-quiet". What is only declared here is never
// quiet, but for library functions that LLVM knows. Exceptions come from calls only, so a function
// whose calls are all quiet throws none, also an inline one, of which LLVM does not say so.
//
// Runs before any function is instrumented, so that the order of functions does not matter.
//
// Thread rule: as for the module that is changed. Cost: linear in the module, times the depth of
// calls that lead to a function that is not quiet.
#ifndef TASKRACE_COMPILER_QUIET_FUNCTIONS_H_
#define TASKRACE_COMPILER_QUIET_FUNCTIONS_H_

#include <llvm/IR/PassManager.h>

namespace taskrace {

bool IsQuiet(const llvm::Function& function);

class FindQuietFunctionsPass : public llvm::PassInfoMixin<FindQuietFunctionsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_QUIET_FUNCTIONS_H_
