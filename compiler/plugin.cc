// Where in clang's pipeline the passes run.
//
//   start of the pipeline   prepare      every -O level
//   before the vectoriser   instrument   -O1 and up: accesses are few by then, loops still whole
//   end of the pipeline     instrument   whatever has not been: -O0, and the compile step of LTO,
//                                        which has no vectoriser (so the linker needs no plugin)
//
// Until instrumentation, source lines of accesses are kept (source_lines.h), and no reads are invented
// (conditional_loads.h).
// Before instrumentation, and again not part of it, memory effects are forgotten (instrument.h).
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/conditional_loads.h"
#include "compiler/globals_of_main.h"
#include "compiler/instrument.h"
#include "compiler/passed_memory.h"
#include "compiler/prepare.h"
#include "compiler/quiet_functions.h"
#include "compiler/source_lines.h"
#include "compiler/statistics.h"

namespace taskrace {

namespace {

llvm::cl::opt<bool> stats_option(
    "taskrace-stats", llvm::cl::desc("print counts of what was instrumented and what was not"));

class PrintStatisticsPass : public llvm::PassInfoMixin<PrintStatisticsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    if (stats_option) PrintCounters(llvm::errs(), module.getSourceFileName());
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Ranges are checked before loops (loop_ranges.h), which must have a place for that.
void AddInstrumentation(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(InstrumentPass());
}

void Register(llvm::PassBuilder& builder) {
  if (llvm::PassInstrumentationCallbacks* callbacks = builder.getPassInstrumentationCallbacks()) {
    KeepSourceLines(*callbacks);
    KeepConditionalLoads(*callbacks);
  }
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        passes.addPass(PreparePass());
      });
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        passes.addPass(ForgetMemoryEffectsPass());
        passes.addPass(FindPassedMemoryPass());
        passes.addPass(FindGlobalsOfMainPass());
        passes.addPass(FindQuietFunctionsPass());
      });
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
        // At -O0 this point comes before coroutines are split.
        if (level != llvm::OptimizationLevel::O0) AddInstrumentation(passes);
      });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        llvm::FunctionPassManager functions;
        if (level == llvm::OptimizationLevel::O0) {
          functions.addPass(InstrumentPass());
        } else {
          AddInstrumentation(functions);
        }
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
        passes.addPass(PrintStatisticsPass());
      });

  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name == "taskrace-prepare") {
      passes.addPass(PreparePass());
    } else if (name == "taskrace-calls") {
      passes.addPass(ForgetMemoryEffectsPass());
    } else if (name == "taskrace-passed") {
      passes.addPass(FindPassedMemoryPass());
    } else if (name == "taskrace-globals") {
      passes.addPass(FindGlobalsOfMainPass());
    } else if (name == "taskrace-quiet") {
      passes.addPass(FindQuietFunctionsPass());
    } else if (name == "taskrace-stats") {
      passes.addPass(PrintStatisticsPass());
    } else {
      return false;
    }
    return true;
  });
  builder.registerPipelineParsingCallback([](llvm::StringRef name,
                                             llvm::FunctionPassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "taskrace") return false;
    passes.addPass(InstrumentPass());
    return true;
  });
}

}  // namespace

}  // namespace taskrace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "taskrace", "0.1", taskrace::Register};
}
