// Functions that the user wants left alone: `-mllvm -taskrace-ignorelist=FILE`, any number of them.
//
// The sanitizers' format, section [taskrace] or none: `fun:GLOB` against the mangled and the
// demangled name, `src:GLOB` against the file that the function is in (from debug information;
// without it, the file that is compiled), `mainfile:GLOB` against the file that is compiled. A file
// is matched as the compiler names it, without dots, and as an absolute path: the rule may use any
// name that a report shows.
//
// Thread rule: one module at a time. Cost: a match of each rule a function.
#ifndef TASKRACE_COMPILER_IGNORE_LIST_H_
#define TASKRACE_COMPILER_IGNORE_LIST_H_

#include <llvm/IR/Function.h>
#include <llvm/Support/SpecialCaseList.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace taskrace {

class IgnoreList {
 public:
  // Reads the files; one that is not readable or not well formed is an error of the compilation.
  static IgnoreList FromCommandLine(llvm::LLVMContext& context);

  bool Covers(const llvm::Function& function);

  // -Rpass-missed=taskrace: which rules have covered nothing so far, but what others cover.
  void RemarkOnUnusedRules(const llvm::Module& module) const;

 private:
  struct File {
    std::string path;
    std::unique_ptr<llvm::SpecialCaseList> rules;
    std::set<unsigned> used;  // lines
  };

  bool Matches(llvm::StringRef prefix, llvm::StringRef name);

  std::vector<File> files_;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_IGNORE_LIST_H_
