// Source files that are not the user's own code: headers from directories that the program was
// compiled with as -isystem, and what the user calls a library (option library, rules library:GLOB).
//
// Reports skip their frames where they look for the user's line. A glob is compared with the whole
// path and with any tail of it. Thread rule: one thread. Cost: globs x frames.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taskrace::report {

class Libraries {
 public:
  // Globs, separated by commas.
  void Add(std::string_view globs);
  // The -isystem directories of a recorded command line.
  void AddCommandLine(std::string_view line);

  bool Covers(const std::string& file) const;

 private:
  void AddDirectory(const std::string& directory);

  std::vector<std::string> globs_;
};

}  // namespace taskrace::report
