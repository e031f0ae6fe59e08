// What llvm-symbolizer prints, read. A damaged answer gives less, and is never an error.
//
// Thread rule: pure functions. Cost: linear in the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/frame.h"

namespace taskrace::report {

struct GlobalSymbol {
  std::string name;  // demangled; empty if unknown
  uint64_t start = 0;
  uint64_t size = 0;
  std::string file;  // of its declaration, if there is debug information
  uint32_t line = 0;
};

// An answer of style JSON, for one code address: its frames, innermost first.
Stack ParseCodeAnswer(const std::string& line);
// Splits the answers of style LLVM, which end with an empty line each.
std::vector<std::vector<std::string>> SplitAnswers(const std::string& output);
// One of them, for one global: name, "start size", "file:line". (Style JSON leaves the declaration
// out.)
GlobalSymbol ParseGlobalAnswer(const std::vector<std::string>& lines);

}  // namespace taskrace::report
