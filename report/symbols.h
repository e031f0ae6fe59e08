// From addresses to functions, files and lines: asks llvm-symbolizer, one process for all code
// addresses and one for all globals.
//
// Without a symbolizer, and for what it does not know, frames keep module and offset.
// Thread rule: one thread. Cost: a process or two, in all; answers are remembered.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/frame.h"
#include "report/log.h"
#include "report/symbolizer_answers.h"

namespace taskrace::report {

class Symbols {
 public:
  explicit Symbols(const std::map<int, LoggedModule>& modules) : modules_(modules) {}

  // Say everything that will be asked for, then Resolve once.
  void Want(const RawStack& stack);
  void WantGlobal(CodeAddress address);
  // Empty, or a sentence why the symbolizer gave no answers, and what to do.
  std::string Resolve();

  Stack Frames(const RawStack& stack) const;
  GlobalSymbol Global(CodeAddress address) const;

 private:
  std::string Path(int module) const;
  // Its output; empty if there is none, and problem_ says why.
  std::string Ask(std::vector<std::string> command, const std::string& queries);
  // Ask the symbolizer for everything that is wanted; false if an answer is missing.
  bool ResolveCode(const std::string& symbolizer);
  bool ResolveGlobals(const std::string& symbolizer);

  const std::map<int, LoggedModule>& modules_;
  std::set<CodeAddress> wanted_code_;
  std::set<CodeAddress> wanted_globals_;
  std::map<CodeAddress, Stack> code_;
  std::map<CodeAddress, GlobalSymbol> globals_;
  std::string problem_;
};

// The symbolizer's path, or empty.
std::string FindSymbolizer();

}  // namespace taskrace::report
