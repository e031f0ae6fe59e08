// Instruments one function: all its checks, lifetimes and its shadow frame.
//
// A function is instrumented when it has the attribute sanitize_thread, which prepare.h hands out,
// and only once: it is then marked "taskrace-instrumented". A coroutine is left alone until it is
// split: its parts are called and return, it does not.
//
// Thread rule: as for the module that is changed. Cost: linear in the function.
#ifndef TASKRACE_COMPILER_INSTRUMENT_H_
#define TASKRACE_COMPILER_INSTRUMENT_H_

#include <llvm/IR/PassManager.h>

namespace taskrace {

// Will its accesses be checked, and are not yet?
bool IsToBeInstrumented(const llvm::Function& function);

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  // At -O0 and in optnone functions as well.
  static bool isRequired() { return true; }
};

// Removes the memory effects that LLVM has found or was given for functions: a function
// that calls hooks accesses their memory, and the shadow frames of its callers must be in memory when it
// runs. Library functions that LLVM knows keep theirs: they call no hook.
class ForgetMemoryEffectsPass : public llvm::PassInfoMixin<ForgetMemoryEffectsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_INSTRUMENT_H_
