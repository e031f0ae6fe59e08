#include "compiler/parts.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace taskrace {

namespace {

// A second description of the function of the source: each belongs to one function of the module.
llvm::DISubprogram* CopyOf(const llvm::DISubprogram& original) {
  return llvm::DISubprogram::getDistinct(
      original.getContext(), original.getScope(), original.getName(), original.getLinkageName(),
      original.getFile(), original.getLine(), original.getType(), original.getScopeLine(),
      original.getContainingType(), original.getVirtualIndex(), original.getThisAdjustment(),
      original.getFlags(), original.getSPFlags(), original.getUnit(), original.getTemplateParams(),
      original.getDeclaration(), nullptr);
}

// The same place of the source, in `function`.
llvm::DILocation* LocationIn(llvm::DISubprogram* function, const llvm::DILocation* location) {
  llvm::LLVMContext& context = function->getContext();
  if (location == nullptr) return llvm::DILocation::get(context, 0, 0, function);
  if (const llvm::DILocation* caller = location->getInlinedAt()) {
    return llvm::DILocation::getDistinct(context, location->getLine(), location->getColumn(),
                                         location->getScope(), LocationIn(function, caller));
  }
  return llvm::DILocation::get(context, location->getLine(), location->getColumn(), function);
}

}  // namespace

llvm::Function* MakePartsFunction(const Check& check) {
  llvm::Function& checked = *check.access->getFunction();
  llvm::LLVMContext& context = checked.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* nothing = llvm::Type::getVoidTy(context);
  // With a symbol: without, symbolizers take that of another function before it.
  auto* parts = llvm::Function::Create(
      llvm::FunctionType::get(nothing, {pointer, pointer, pointer}, false),
      llvm::GlobalValue::InternalLinkage, checked.getName() + ".parts", checked.getParent());
  parts->setComdat(checked.getComdat());
  parts->addFnAttr(llvm::Attribute::NoUnwind);
  parts->addFnAttr(llvm::Attribute::NoInline);
  parts->addFnAttr(llvm::Attribute::Cold);
  parts->addFnAttr(llvm::Attribute::DisableSanitizerInstrumentation);
  parts->setUWTableKind(checked.getUWTableKind());

  llvm::DISubprogram* description = CopyOf(*checked.getSubprogram());
  parts->setSubprogram(description);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", parts));
  llvm::Type* size = builder.getIntPtrTy(checked.getParent()->getDataLayout());
  const auto part_type = llvm::FunctionType::get(nothing, {pointer, pointer, size}, false);
  for (const Part& part : check.parts) {
    builder.SetCurrentDebugLocation(LocationIn(description, part.access->getDebugLoc().get()));
    llvm::CallInst* call = builder.CreateCall(
        part_type, parts->getArg(2),
        {parts->getArg(1), builder.CreatePtrAdd(parts->getArg(0), builder.getInt64(part.offset)),
         llvm::ConstantInt::get(size, part.size)});
    call->setTailCallKind(llvm::CallInst::TCK_NoTail);
  }
  builder.CreateRetVoid();
  return parts;
}

}  // namespace taskrace
