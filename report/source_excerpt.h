// Lines of the user's source files, for excerpts.
//
// Thread rule: one thread. Cost: each file is read once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace taskrace::report {

class SourceFiles {
 public:
  // The line as it is in the file; nothing if it cannot be read or has no such line.
  std::optional<std::string> Line(const std::string& file, uint32_t line);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

// `column` counts bytes from 1, as debug information does; the result counts characters. 0: unknown.
uint32_t CharacterColumn(const std::string& line, uint32_t column);

// A line made fit for `width` columns, and where its caret goes.
struct Excerpt {
  std::string text;
  size_t caret;  // columns before it
};
// `column` counts bytes from 1; 0: the first non-blank character.
Excerpt MakeExcerpt(const std::string& line, uint32_t column, size_t width);

}  // namespace taskrace::report
