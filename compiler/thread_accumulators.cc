#include "compiler/thread_accumulators.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/hook_calls.h"

namespace taskrace {

namespace {

// Members of the classes tbb::detail::dN::NAME, as the linker knows them; the version of the namespace
// is part of the name.
bool IsMemberOf(llvm::StringRef symbol, llvm::ArrayRef<llvm::StringRef> classes) {
  if (!symbol.consume_front("_ZN")) return false;
  symbol.consume_front("K");
  if (!symbol.consume_front("3tbb6detail2d")) return false;
  symbol = symbol.drop_front();
  return llvm::any_of(classes, [&](llvm::StringRef name) { return symbol.starts_with(name); });
}

// local() and local(bool&).
bool IsLocal(const llvm::Function& function) {
  const llvm::StringRef symbol = function.getName();
  return IsMemberOf(symbol, {"26enumerable_thread_specificI", "10combinableI"}) &&
         (symbol.ends_with("E5localEv") || symbol.ends_with("E5localERb"));
}

}  // namespace

bool IsOfThreadAccumulator(const llvm::Function& function) {
  return IsMemberOf(function.getName(),
                    {"8ets_baseI", "26enumerable_thread_specificI", "10combinableI"});
}

void MarkThreadAccumulators(llvm::Function& function) {
  llvm::SmallVector<llvm::CallBase*, 4> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && call->getCalledFunction() != nullptr &&
        IsLocal(*call->getCalledFunction())) {
      calls.push_back(call);
    }
  }
  for (llvm::CallBase* call : calls) {
    BuilderAfter after(call);
    CallHook(after, "thread_local",
             {call, llvm::ConstantInt::get(SizeType(after), call->getRetDereferenceableBytes())});
  }
}

}  // namespace taskrace
