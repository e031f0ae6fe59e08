// The options of a run (options.def): parsing, checking, and writing them for the runtime.
//
// Used by the driver (command line and environment) and by the reporter (from the log). The runtime
// has a parser of its own for the same table. Thread rule: a value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace taskrace::report {

// One row of the table.
struct OptionRow {
  enum class Type { kChoice, kNumber, kText };
  std::string_view name;
  Type type;
  std::string_view default_text;  // numbers too
  std::string_view choices;       // "a|b|c" for kChoice; what help calls the value for kText
  uint64_t least = 0;             // for kNumber
  uint64_t most = 0;
  std::string_view help;

  bool IsSwitch() const { return type == Type::kNumber && least == 0 && most == 1; }
  bool IsHidden() const { return name.substr(0, 7) == "hidden_"; }
};
std::span<const OptionRow> OptionTable();
// Null if there is none of this name.
const OptionRow* FindOption(std::string_view name);
// "did you mean ...?" with those of `candidates` that `word` is probably a slip of; "valid names: ..."
// with all of them if none is near.
std::string Suggestion(std::string_view word, const std::vector<std::string>& candidates);

struct Options {
#define TASKRACE_CHOICE(name, default_value, choices, help) std::string name = default_value;
#define TASKRACE_NUMBER(name, default_value, least, most, help) uint64_t name = default_value;
#define TASKRACE_TEXT(name, default_value, ...) std::string name = default_value;
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT

  // Sets one option; the error names it and the values that would do.
  Result<bool> Set(std::string_view name, std::string_view value);
  // Takes name=value:name='va:lue':switch; the sanitizers' convention.
  Result<bool> Parse(std::string_view text);
  // The error says which options do not go together.
  Result<bool> CheckTogether() const;
  // What differs from the defaults, as Parse takes it.
  Result<std::string> Text() const;
};

}  // namespace taskrace::report
