#include "compiler/marker.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/hook_calls.h"
#include "compiler/scope_nesting.h"
#include "compiler/x86_intrinsics.h"
#include "taskrace/hooks.h"

namespace taskrace {

namespace {

constexpr llvm::StringLiteral kMarker = "__taskrace_object";
constexpr llvm::StringLiteral kConstructor = "__taskrace_register_module";
constexpr llvm::StringLiteral kSection = "taskrace_objects";
// 0 to 100 are the implementation's; 0 is left to runtimes that must come before this one.
constexpr int kPriority = 1;

llvm::GlobalVariable* DeclareBound(llvm::Module& module, llvm::StringRef which, llvm::Type* type) {
  const std::string name = ("__" + which + "_" + kSection).str();
  auto* bound = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::ExternalLinkage,
                                         nullptr, name);
  // Hidden: each executable and each shared library has its own.
  bound->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return bound;
}

// What the module can do, by the hooks that it calls.
uint32_t ConstructsOf(const llvm::Module& module) {
  static constexpr struct {
    llvm::StringLiteral hook;
    __taskrace_construct construct;
  } kConstructs[] = {
      {"__taskrace_scope_begin", TASKRACE_USES_SCOPE},
      {"__taskrace_nest_begin", TASKRACE_USES_NEST},
      {"__taskrace_loop", TASKRACE_USES_NEST},
      {"__taskrace_async", TASKRACE_USES_FINISH},
      {"__taskrace_finish_begin", TASKRACE_USES_FINISH},
      {"__taskrace_make_future", TASKRACE_USES_FUTURE},
      {"__taskrace_fork", TASKRACE_USES_FORK},
      {"__taskrace_stage", TASKRACE_USES_STAGE},
      {"__taskrace_promise_begin", TASKRACE_USES_PROMISE},
      {"__taskrace_happens_before", TASKRACE_USES_EDGE},
      {"__taskrace_happens_after", TASKRACE_USES_EDGE},
      {"pthread_create", TASKRACE_USES_THREAD},
      {"thrd_create", TASKRACE_USES_THREAD},
      {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
       TASKRACE_USES_THREAD},
      // Of OpenMP, by what its runtime makes of them (frontend/openmp/).
      {"__kmpc_fork_call", TASKRACE_USES_FINISH},
      {"__kmpc_fork_teams", TASKRACE_USES_FINISH},
      {"__kmpc_taskgroup", TASKRACE_USES_FINISH},
      {"__kmpc_omp_task", TASKRACE_USES_FUTURE},
      {"__kmpc_omp_task_with_deps", TASKRACE_USES_FUTURE},
      {"__kmpc_taskloop", TASKRACE_USES_FUTURE},
      {"__taskrace_paired_units", TASKRACE_USES_FUTURE},
      {"__kmpc_ordered", TASKRACE_USES_EDGE},
      {"__kmpc_doacross_init", TASKRACE_USES_EDGE},
      {"__kmpc_flush", TASKRACE_USES_EDGE},
      {"__taskrace_wait", TASKRACE_USES_EDGE},
      {"__kmpc_task_allow_completion_event", TASKRACE_USES_EDGE},
  };
  uint32_t constructs = 0;
  for (const auto& [hook, construct] : kConstructs) {
    const llvm::Function* called = module.getFunction(hook);
    if (called != nullptr && !called->use_empty()) constructs |= construct;
  }
  if ((constructs & TASKRACE_USES_SCOPE) != 0 && !AllScopesNest(module)) {
    constructs |= TASKRACE_USES_LOOSE_SCOPE;
  }
  return constructs;
}

// Is it called where accesses are checked? What is always inlined belongs to its callers.
bool IsUsedByCheckedCode(const llvm::Function& function) {
  return llvm::any_of(function.users(), [](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call == nullptr) return false;
    const llvm::Function& caller = *call->getFunction();
    return caller.hasFnAttribute(llvm::Attribute::AlwaysInline)
               ? IsUsedByCheckedCode(caller)
               : caller.hasFnAttribute(llvm::Attribute::SanitizeThread);
  });
}

bool HasUnknownAccesses(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return IsUnknownX86Intrinsic(function) && IsUsedByCheckedCode(function);
  });
}

}  // namespace

void AddMarker(llvm::Module& module, bool checks_accesses) {
  if (module.getNamedValue(kMarker)) return;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* word = llvm::Type::getInt32Ty(context);

  llvm::Constant* source = llvm::ConstantDataArray::getString(context, module.getSourceFileName());
  auto* name =
      new llvm::GlobalVariable(module, source->getType(), true, llvm::GlobalValue::PrivateLinkage,
                               source, "__taskrace_source");
  name->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  const uint32_t constructs = ConstructsOf(module) | (checks_accesses ? 0 : TASKRACE_UNCHECKED) |
                              (HasUnknownAccesses(module) ? TASKRACE_UNKNOWN_ACCESSES : 0);
  llvm::Constant* fields[] = {llvm::ConstantInt::get(word, TASKRACE_ABI_VERSION),
                              llvm::ConstantInt::get(word, constructs), name};
  llvm::Constant* value = llvm::ConstantStruct::getAnon(fields);
  // Not a constant: objects of one program may be relocatable or not, and the section must have the
  // same flags in all of them.
  auto* marker = new llvm::GlobalVariable(module, value->getType(), false,
                                          llvm::GlobalValue::InternalLinkage, value, kMarker);
  marker->setSection(kSection);
  marker->setAlignment(llvm::Align(alignof(__taskrace_object)));
  // Used: section garbage collection keeps it, too.
  llvm::appendToUsed(module, {marker});

  auto* constructor =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                             llvm::GlobalValue::LinkOnceODRLinkage, kConstructor, module);
  constructor->setVisibility(llvm::GlobalValue::HiddenVisibility);
  constructor->setComdat(module.getOrInsertComdat(kConstructor));
  constructor->setDoesNotThrow();
  constructor->addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", constructor));
  llvm::Instruction* exit = builder.CreateRetVoid();
  builder.SetInsertPoint(exit);
  CallHook(builder, "module",
           {DeclareBound(module, "start", value->getType()),
            DeclareBound(module, "stop", value->getType())});
  llvm::appendToGlobalCtors(module, constructor, kPriority, constructor);
}

}  // namespace taskrace
