// Suppressions: rules for races that are not reported.
//
//   race:function_glob      a visible frame of either stack has this function
//   race:file_glob          ... or lies in this file
//   race:file_glob:line     ... on this line
//   race_var:name_glob      the variable has this name
//   task:function_glob      a frame of either chain of task creations has this function
//   library:file_glob       no suppression: frames in this file are not the user's code
//   # comment               also behind a rule and a blank
//
// `*` stands for any characters, `?` for one. A function is compared with and without its
// parameters and template arguments; a file by its whole path and by any tail of it ("src/a.cc"
// fits "/x/src/a.cc"). Thread rule: one thread. Cost: rules × frames per race.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/frame.h"
#include "report/result.h"

namespace taskrace::report {

bool GlobMatch(std::string_view glob, std::string_view text);
// The glob fits the whole path or a tail of it that begins with a name.
bool PathMatch(const std::string& glob, std::string_view path);

struct Suppression {
  enum class Kind { kRace, kVariable, kTask, kLibrary };
  Kind kind;
  std::string text;     // the rule as written
  std::string pattern;  // without the line
  std::optional<uint32_t> line;
  uint32_t rule_line;    // where in the file
  uint64_t reports = 0;  // suppressed by it
  uint64_t occurrences = 0;
  uint64_t frames = 0;  // covered by it, for a library
};

// What rules are compared with.
struct SuppressionSubject {
  std::vector<const Stack*> stacks;
  std::vector<const Stack*> creations;
  std::string variable;
};

// A rule for a race on this variable (empty: unknown) with an access in this frame (null: unknown);
// empty if nothing is known.
std::string RuleFor(const std::string& variable, const Frame* later);

class Suppressions {
 public:
  // The rules of a file's text; errors name `file` and the line.
  static Result<Suppressions> Parse(std::string_view text, const std::string& file);
  static Result<Suppressions> Read(const std::string& file);

  // The first rule that fits, or null.
  Suppression* Match(const SuppressionSubject& subject);

  // A rule calls this file a library's; it counts the frame.
  bool IsLibrary(const std::string& file);

  const std::vector<Suppression>& rules() const { return rules_; }

 private:
  std::vector<Suppression> rules_;
};

}  // namespace taskrace::report
