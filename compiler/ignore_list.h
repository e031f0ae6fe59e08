// Functions that the user wants left alone: `-mllvm -taskrace-ignorelist=FILE`, any number of them.
//
// The sanitizers' format, section [taskrace] or none: `fun:GLOB` against the mangled and the
// demangled name, `src:GLOB` against the file that the function is in (from debug information;
// without it, the file that is compiled), `mainfile:GLOB` against the file that is compiled.
//
// Thread rule: none, immutable. Cost: a match of each rule a function.
#ifndef TASKRACE_COMPILER_IGNORE_LIST_H_
#define TASKRACE_COMPILER_IGNORE_LIST_H_

#include <llvm/IR/Function.h>
#include <llvm/Support/SpecialCaseList.h>

#include <memory>

namespace taskrace {

class IgnoreList {
 public:
  // Reads the files; one that is not readable or not well formed is an error of the compilation.
  static IgnoreList FromCommandLine(llvm::LLVMContext& context);

  bool Covers(const llvm::Function& function) const;

 private:
  explicit IgnoreList(std::unique_ptr<llvm::SpecialCaseList> rules) : rules_(std::move(rules)) {}

  std::unique_ptr<llvm::SpecialCaseList> rules_;  // null: no file was given
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_IGNORE_LIST_H_
