#include "compiler/instrument.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/accesses.h"
#include "compiler/barriers.h"
#include "compiler/checks.h"
#include "compiler/hook_calls.h"
#include "compiler/invariant_loads.h"
#include "compiler/iteration_checks.h"
#include "compiler/last_reads.h"
#include "compiler/library_calls.h"
#include "compiler/lifetimes.h"
#include "compiler/local_memory.h"
#include "compiler/loop_ranges.h"
#include "compiler/neighbours.h"
#include "compiler/redundant_checks.h"
#include "compiler/shadow_stack.h"
#include "compiler/thread_locals.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr llvm::StringLiteral kInstrumented = "taskrace-instrumented";

#if defined(TASKRACE_CHECKED) || !defined(NDEBUG)
constexpr bool kAlwaysVerify = true;
#else
constexpr bool kAlwaysVerify = false;
#endif

llvm::cl::opt<bool> verify_option("taskrace-verify", llvm::cl::init(kAlwaysVerify),
                                  llvm::cl::desc("verify every function after instrumentation"));

// The instructions before which the function ends: what the frame does last goes before them. After
// a musttail call only the return may follow, so there it is the call.
llvm::SmallVector<llvm::Instruction*, 8> ExitsOf(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*, 8> exits;
  for (llvm::BasicBlock& block : function) {
    llvm::Instruction* terminator = block.getTerminator();
    if (llvm::CallInst* call = block.getTerminatingMustTailCall()) {
      exits.push_back(call);
    } else if (isa<llvm::ReturnInst>(terminator) || isa<llvm::ResumeInst>(terminator)) {
      exits.push_back(terminator);
    }
  }
  return exits;
}

// May this call lead to code that asks for the stack of callers?
bool NeedsFrame(const llvm::CallBase& call) {
  if (isa<llvm::IntrinsicInst>(call) || call.isInlineAsm() || call.isMustTailCall()) return false;
  return !(call.doesNotAccessMemory() && call.doesNotThrow());
}

bool IsMain(const llvm::Function& function) {
  return function.getName() == "main" && !function.hasLocalLinkage();
}

void AnnounceEndOfMain(llvm::ArrayRef<llvm::Instruction*> exits) {
  for (llvm::Instruction* exit : exits) {
    if (isa<llvm::ResumeInst>(exit)) continue;
    BuilderBefore builder(exit);
    CallHook(builder, "main_end", {});
  }
}

// Inserts as few checks as will do for the plain loads, stores and copies; adds those to `checked`.
void CheckPlainAccesses(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                        const LocalMemory& local, const Barriers& barriers, const MovedLoads& moved,
                        InstructionSet& checked, UnneededMarks& unneeded) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  Checks checks = PlanChecks(function, evolution, analyses.getResult<llvm::LoopAnalysis>(function),
                             local, moved);
  for (const Check& check : checks) checked.insert(check.access);
  DropRedundantChecks(checks, function, analyses, barriers);
  LeaveReadsToLastIterations(checks, function, analyses, barriers);
  MergeNeighbours(checks, function, analyses, barriers);
  MoveChecksOutOfLoops(checks, function, analyses, barriers);
  // Again, because ranges before loops stand for more, and lie beside others.
  DropRedundantChecks(checks, function, analyses, barriers);
  MergeNeighbours(checks, function, analyses, barriers);
  unneeded = MoveChecksOutOfParallelLoops(checks, checked, function, analyses, barriers, local);
  InsertChecks(checks, evolution);
}

void Instrument(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  MovedLoads moved;
  if (!function.hasOptNone()) moved = MoveInvariantLoads(function, analyses);
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  const LocalMemory local(function, library);
  const Barriers barriers(library, local);
  const llvm::SmallVector<llvm::Instruction*, 8> exits = ExitsOf(function);
  llvm::SmallVector<llvm::Instruction*, 64> originals;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    originals.push_back(&instruction);
  }

  InstructionSet checked;
  UnneededMarks unneeded;
  if (!function.hasOptNone()) {
    CheckPlainAccesses(function, analyses, local, barriers, moved, checked, unneeded);
  }

  bool needs_frame = !checked.empty();
  needs_frame |= AnnounceOwners(originals, barriers);
  for (llvm::Instruction* instruction : originals) {
    needs_frame |= AnnounceThreadLocals(instruction);
    needs_frame |= !checked.contains(instruction) && CheckAccesses(instruction, local);
    if (auto* call = dyn_cast<llvm::CallBase>(instruction)) {
      needs_frame |= NeedsFrame(*call);
      needs_frame |= CheckLibraryCall(call, local);
    }
  }
  if (IsMain(function)) AnnounceEndOfMain(exits);
  needs_frame |= AnnounceLifetimes(function, local, exits);
  if (needs_frame) MaintainShadowStack(function, exits);
  for (llvm::CallInst* mark : unneeded) mark->eraseFromParent();
}

}  // namespace

bool IsToBeInstrumented(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::SanitizeThread) &&
         !function.hasFnAttribute(kInstrumented);
}

llvm::PreservedAnalyses InstrumentPass::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager& analyses) {
  const bool wanted = function.hasFnAttribute(llvm::Attribute::SanitizeThread);
  if (function.hasFnAttribute(kInstrumented) || (!wanted && !IsMain(function)) ||
      function.isPresplitCoroutine()) {
    return llvm::PreservedAnalyses::all();
  }
  function.addFnAttr(kInstrumented);
  if (wanted) {
    Instrument(function, analyses);
  } else {
    AnnounceEndOfMain(ExitsOf(function));
  }
  if (verify_option && llvm::verifyFunction(function, &llvm::errs())) {
    llvm::report_fatal_error("taskrace: the pass broke function " + function.getName() +
                             "; please report this with the preprocessed source");
  }
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses ForgetMemoryEffectsPass::run(llvm::Module& module,
                                                     llvm::ModuleAnalysisManager& analyses) {
  llvm::AttributeMask effects;
  effects.addAttribute(llvm::Attribute::Memory);
  effects.addAttribute(llvm::Attribute::Speculatable);
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (llvm::Function& function : module) {
    if (function.isIntrinsic()) continue;
    if (function.isDeclaration()) {
      const auto& library = functions.getResult<llvm::TargetLibraryAnalysis>(function);
      if (llvm::LibFunc known; library.getLibFunc(function, known)) continue;
    }
    function.removeFnAttrs(effects);
    for (llvm::User* user : function.users()) {
      auto* call = dyn_cast<llvm::CallBase>(user);
      if (call && call->getCalledFunction() == &function) call->removeFnAttrs(effects);
    }
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace taskrace
