#include "compiler/prepare.h"

#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>

#include "compiler/allocation_functions.h"
#include "compiler/ignore_list.h"
#include "compiler/marker.h"
#include "compiler/openmp_loops.h"
#include "compiler/ordered_regions.h"
#include "compiler/simd_loops.h"
#include "compiler/thread_accumulators.h"
#include "compiler/thread_locals.h"

namespace taskrace {

namespace {

llvm::cl::opt<bool> only_constructs_option("taskrace-only-constructs",
                                           llvm::cl::desc("check no accesses, only constructs"));

// A resolver runs while the module is being relocated: no hook can be called yet.
bool IsResolver(const llvm::Function& function) {
  return llvm::any_of(function.users(),
                      [](const llvm::User* user) { return llvm::isa<llvm::GlobalIFunc>(user); });
}

bool IsInstrumented(const llvm::Function& function, IgnoreList& ignored) {
  return !only_constructs_option &&
         !function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) &&
         !function.hasFnAttribute(llvm::Attribute::Naked) &&
         !function.getName().starts_with("__taskrace_") && !IsResolver(function) &&
         !IsOfThreadAccumulator(function) && !ignored.Covers(function);
}

// An always_inline function goes into instrumented ones whatever its attributes say.
void HideAccesses(llvm::Function& function) {
  llvm::MDNode* nothing = llvm::MDNode::get(function.getContext(), {});
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.mayReadOrWriteMemory()) {
      instruction.setMetadata(llvm::LLVMContext::MD_nosanitize, nothing);
    }
  }
}

}  // namespace

llvm::PreservedAnalyses PreparePass::run(llvm::Module& module,
                                         llvm::ModuleAnalysisManager& analyses) {
  IgnoreList ignored = IgnoreList::FromCommandLine(module.getContext());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (IsInstrumented(function, ignored)) {
      function.addFnAttr(llvm::Attribute::SanitizeThread);
      MarkOrderedRegions(function);
      MarkAllocationFunction(function);
      MarkThreadAccumulators(function);
      MarkOwners(function);
    } else if (function.hasFnAttribute(llvm::Attribute::AlwaysInline)) {
      HideAccesses(function);
    }
  }
  if (!only_constructs_option) {
    MarkOpenMpLoops(module);
    for (llvm::Function& function : module) {
      if (function.hasFnAttribute(llvm::Attribute::SanitizeThread)) MarkSimdLoops(function);
    }
  }
  ignored.RemarkOnUnusedRules(module);
  AddMarker(module, !only_constructs_option);
  return llvm::PreservedAnalyses::none();
}

}  // namespace taskrace
