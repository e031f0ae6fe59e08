// An ignore list of any bytes is rules, or an error of the compilation.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "compiler/ignore_list.h"

namespace {

int file = -1;

void IgnoreError(const llvm::DiagnosticInfo*, void*) {}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  file = memfd_create("ignore list", 0);
  const std::string option = "-taskrace-ignorelist=/proc/self/fd/" + std::to_string(file);
  const char* arguments[] = {"fuzz", option.c_str()};
  llvm::cl::ParseCommandLineOptions(2, arguments);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static llvm::LLVMContext context;
  static llvm::Module module("deep/inner/../main.cpp", context);
  static llvm::Function* function = [] {
    context.setDiagnosticHandlerCallBack(IgnoreError);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    return llvm::Function::Create(type, llvm::Function::ExternalLinkage, "_ZN2ns4fastEi", module);
  }();
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) < 0) return 0;
  taskrace::IgnoreList::FromCommandLine(context).Covers(*function);
  return 0;
}
