// Members: which member of a variable some of its bytes are, by the debug information of its module.
//
//   struct Row { int id; double at[2]; } rows[10];
//   Members members;  members.Path(program, "rows", 3, 56, 8)  ->  "[2].at[0]"
//
// Asks llvm-dwarfdump, one question for a variable and one for each type on the way. What a standard class is made
// of is not shown. Without debug information, or without llvm-dwarfdump, nothing is known.
// Thread rule: one thread. Cost: a process a question, 100 at most; answers are remembered.
// Tested by: test/report/members_test.cc
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taskrace::report {

// An entry of debug information, as llvm-dwarfdump prints it.
struct DebugEntry {
  uint64_t offset = 0;
  size_t depth = 0;                                            // columns
  std::string tag;                                             // without DW_TAG_
  std::map<std::string, std::string, std::less<>> attributes;  // without DW_AT_ and parentheses

  bool Has(std::string_view name) const { return attributes.contains(name); }
  // A number, an offset or, with a name behind it, a type; 0: none.
  uint64_t Number(std::string_view name) const;
  // What stands in quotation marks.
  std::string Text(std::string_view name) const;
};
std::vector<DebugEntry> ParseDebugEntries(const std::string& printed);

class Members {
 public:
  // What follows the name of the variable that is declared in this line (0: in any, if there is only one) for
  // `size` bytes from `offset` on. Empty: not known, or the variable as a whole.
  std::string Path(const std::string& module, const std::string& variable, uint64_t line,
                   uint64_t offset, uint64_t size);

 private:
  using Entries = std::vector<DebugEntry>;

  const Entries& Ask(const std::string& module, const std::string& question);
  // The type at this offset, with what it consists of; null: not there.
  const Entries* Type(const std::string& module, uint64_t offset);
  uint64_t SizeOf(const std::string& module, uint64_t type);
  std::string Inside(const std::string& module, uint64_t type, std::string_view type_name,
                     uint64_t offset, uint64_t size);
  std::string InArray(const std::string& module, const Entries& array, uint64_t offset,
                      uint64_t size);
  std::string InClass(const std::string& module, const Entries& entries, uint64_t offset,
                      uint64_t size);

  std::map<std::pair<std::string, std::string>, Entries> answers_;
};

}  // namespace taskrace::report
