// Variables of the module that only main uses.
//
// Main is the body of one task, the root, whose strands come one after the other: what it does itself
// does not race with what it does itself. So a variable that is local to the module, and whose
// address serves only for loads and stores in main, needs no checks. The bodies of tasks, the
// initialisation of variables and what runs at exit are other functions. And main must run once: it
// is not called, nor is its address passed on.
//
// Mark: "taskrace-of-main" on variables, set before any function is instrumented, but after inlining.
//
// Thread rule: as for the module that is changed. Cost: linear in the uses of local variables.
// Tested by:  test/lit/compiler/globals_of_main.ll
#ifndef TASKRACE_COMPILER_GLOBALS_OF_MAIN_H_
#define TASKRACE_COMPILER_GLOBALS_OF_MAIN_H_

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/PassManager.h>

namespace taskrace {

bool IsOfMain(const llvm::GlobalVariable& variable);

class FindGlobalsOfMainPass : public llvm::PassInfoMixin<FindGlobalsOfMainPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_GLOBALS_OF_MAIN_H_
