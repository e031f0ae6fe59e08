#include "compiler/ignore_list.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace taskrace {

namespace {

constexpr llvm::StringLiteral kSection = "taskrace";

llvm::cl::list<std::string> ignorelist_option(
    "taskrace-ignorelist", llvm::cl::value_desc("file"),
    llvm::cl::desc("leave the functions and files alone that this list names"));

}  // namespace

IgnoreList IgnoreList::FromCommandLine(llvm::LLVMContext& context) {
  if (ignorelist_option.empty()) return IgnoreList(nullptr);
  std::string error;
  const std::vector<std::string> paths(ignorelist_option.begin(), ignorelist_option.end());
  std::unique_ptr<llvm::SpecialCaseList> rules =
      llvm::SpecialCaseList::create(paths, *llvm::vfs::getRealFileSystem(), error);
  if (!rules) context.emitError("taskrace: ignore list: " + error);
  return IgnoreList(std::move(rules));
}

bool IgnoreList::Covers(const llvm::Function& function) const {
  if (!rules_) return false;
  const std::string mangled = function.getName().str();
  const llvm::StringRef main_file = function.getParent()->getSourceFileName();
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  const llvm::StringRef file = subprogram ? subprogram->getFilename() : main_file;
  return rules_->inSection(kSection, "fun", mangled) ||
         rules_->inSection(kSection, "fun", llvm::demangle(mangled)) ||
         rules_->inSection(kSection, "src", file) ||
         rules_->inSection(kSection, "mainfile", main_file);
}

}  // namespace taskrace
