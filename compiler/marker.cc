#include "compiler/marker.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/hook_calls.h"
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

}  // namespace

void AddMarker(llvm::Module& module) {
  if (module.getNamedValue(kMarker)) return;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* word = llvm::Type::getInt32Ty(context);

  llvm::Constant* source = llvm::ConstantDataArray::getString(context, module.getSourceFileName());
  auto* name =
      new llvm::GlobalVariable(module, source->getType(), true, llvm::GlobalValue::PrivateLinkage,
                               source, "__taskrace_source");
  name->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  llvm::Constant* fields[] = {llvm::ConstantInt::get(word, TASKRACE_ABI_VERSION),
                              llvm::ConstantInt::get(word, 0), name};
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
