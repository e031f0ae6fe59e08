#include "report/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "report/bytes.h"

namespace taskrace::report {
namespace {

constexpr OptionRow kTable[] = {
#define TASKRACE_CHOICE(name, default_value, choices, help) \
  {#name, OptionRow::Type::kChoice, default_value, choices, 0, 0, help},
#define TASKRACE_NUMBER(name, default_value, least, most, help) \
  {#name, OptionRow::Type::kNumber, #default_value, "", least, most, help},
#define TASKRACE_TEXT(name, default_value, value_word, help) \
  {#name, OptionRow::Type::kText, default_value, value_word, 0, 0, help},
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Levenshtein's distance.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

Error UnknownOption(std::string_view name) {
  std::vector<std::string> names;
  for (const OptionRow& row : kTable) {
    if (!row.IsHidden()) names.emplace_back(row.name);
  }
  return Error{fmt::format("unknown option '{}'; {}", Printable(name), Suggestion(name, names))};
}

Error NoValue(std::string_view name) {
  return Error{fmt::format("option {} has no value; write {}=...", name, name)};
}

// One option is one member of Options; `visit(row name, member)` sees them all.
template <class O, class Visit>
void ForEachMember(O& options, Visit visit) {
#define TASKRACE_CHOICE(name, default_value, choices, help) visit(#name, options.name);
#define TASKRACE_NUMBER(name, default_value, least, most, help) visit(#name, options.name);
#define TASKRACE_TEXT(name, default_value, ...) visit(#name, options.name);
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
}

std::string AsText(const std::string& value) { return value; }
std::string AsText(uint64_t value) { return std::to_string(value); }
void Assign(std::string& member, std::string_view text) { member = text; }
void Assign(uint64_t& member, std::string_view text) {
  std::from_chars(text.data(), text.data() + text.size(), member);
}

Result<bool> CheckNumber(const OptionRow& row, std::string_view value) {
  uint64_t number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc() || end != value.data() + value.size() || number < row.least ||
      number > row.most) {
    return Error{fmt::format("option {}: '{}' is not a number from {} to {}", row.name,
                             Printable(value), row.least, row.most)};
  }
  return true;
}

}  // namespace

std::span<const OptionRow> OptionTable() { return kTable; }

const OptionRow* FindOption(std::string_view name) {
  const auto* row = std::ranges::find(kTable, name, &OptionRow::name);
  return row == std::end(kTable) ? nullptr : row;
}

std::string Suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  std::vector<std::string> near;
  for (const std::string& candidate : candidates) {
    const bool begins = !word.empty() && candidate.starts_with(word);
    if (begins || Distance(word, candidate) <= 1 + candidate.size() / 4) near.push_back(candidate);
  }
  return near.empty() ? fmt::format("valid names: {}", fmt::join(candidates, ", "))
                      : fmt::format("did you mean {}?", fmt::join(near, " or "));
}

Result<bool> Options::Set(std::string_view name, std::string_view value) {
  const OptionRow* row = FindOption(name);
  if (row == nullptr) return UnknownOption(name);
  if (row->type == OptionRow::Type::kNumber) {
    if (auto checked = CheckNumber(*row, value); !checked) return checked;
  }
  if (row->type == OptionRow::Type::kText && value.empty()) return NoValue(name);
  if (row->type == OptionRow::Type::kChoice) {
    const std::vector<std::string> choices = Split(row->choices, '|');
    if (std::ranges::find(choices, value) == choices.end()) {
      return Error{fmt::format("option {}: '{}' is not one of {}", name, Printable(value),
                               fmt::join(choices, ", "))};
    }
  }
  ForEachMember(*this, [&](std::string_view member_name, auto& member) {
    if (member_name == name) Assign(member, value);
  });
  return true;
}

Result<bool> Options::Parse(std::string_view text) {
  constexpr std::string_view kSeparators = ":, \t\n";
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
    if (text.empty()) return true;
    const size_t name_end = text.find_first_of("=:, \t\n");
    const std::string_view name = text.substr(0, name_end);
    if (name_end == std::string_view::npos || text[name_end] != '=') {
      const OptionRow* row = FindOption(name);
      if (row == nullptr) return UnknownOption(name);
      if (!row->IsSwitch()) return NoValue(name);
      if (auto set = Set(name, "1"); !set) return set;
      text.remove_prefix(name.size());
      continue;
    }
    text.remove_prefix(name_end + 1);
    std::string_view value;
    if (!text.empty() && (text[0] == '\'' || text[0] == '"')) {
      const size_t close = text.find(text[0], 1);
      if (close == std::string_view::npos) {
        return Error{fmt::format("option {}: the closing quote is missing", Printable(name))};
      }
      value = text.substr(1, close - 1);
      text.remove_prefix(close + 1);
    } else {
      value = text.substr(0, text.find_first_of(kSeparators));
      text.remove_prefix(value.size());
    }
    if (auto set = Set(name, value); !set) return set;
  }
}

Result<bool> Options::CheckTogether() const {
#define TASKRACE_CHOICE(name, default_value, choices, help)
#define TASKRACE_NUMBER(name, default_value, least, most, help)
#define TASKRACE_TEXT(name, default_value, ...)
#define TASKRACE_CONFLICT(condition, text) \
  if (condition) return Error{text};
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
  return true;
}

Result<std::string> Options::Text() const {
  std::string text;
  std::string problem;
  const Options defaults;
  ForEachMember(*this, [&](std::string_view name, const auto& member) {
    const std::string value = AsText(member);
    ForEachMember(defaults, [&](std::string_view default_name, const auto& default_member) {
      if (default_name != name || AsText(default_member) == value) return;
      const bool has_quote = value.find('\'') != std::string::npos;
      if (has_quote && value.find('"') != std::string::npos) {
        problem = fmt::format("option {}: a value cannot have both kinds of quotes", name);
      }
      const char quote = has_quote ? '"' : '\'';
      const bool bare = value.find_first_of(":, \t\n'\"") == std::string::npos && !value.empty();
      if (!text.empty()) text += ':';
      text += bare ? fmt::format("{}={}", name, value)
                   : fmt::format("{}={}{}{}", name, quote, value, quote);
    });
  });
  if (!problem.empty()) return Error{problem};
  return text;
}

}  // namespace taskrace::report
