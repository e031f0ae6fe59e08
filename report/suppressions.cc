#include "report/suppressions.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "report/bytes.h"
#include "report/function_name.h"

namespace taskrace::report {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// A `#` begins a comment at the start of a line and behind a blank; inside a word it is part of a
// name, as in `{lambda()#1}`.
std::string_view WithoutComment(std::string_view line) {
  for (size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

bool MatchesFunction(const std::string& pattern, const Frame& frame) {
  return !frame.function.empty() && (GlobMatch(pattern, frame.function) ||
                                     GlobMatch(pattern, NameWithArguments(frame.function)) ||
                                     GlobMatch(pattern, QualifiedName(frame.function)));
}

bool MatchesFile(const Suppression& rule, const Frame& frame) {
  if (frame.file.empty() || (rule.line && *rule.line != frame.line)) return false;
  return PathMatch(rule.pattern, frame.file);
}

bool Matches(const Suppression& rule, const SuppressionSubject& subject) {
  const auto any_frame = [](const std::vector<const Stack*>& stacks, auto fits) {
    return std::ranges::any_of(
        stacks, [&](const Stack* stack) { return std::ranges::any_of(*stack, fits); });
  };
  switch (rule.kind) {
    case Suppression::Kind::kRace:
      return any_frame(subject.stacks, [&](const Frame& frame) {
        return MatchesFile(rule, frame) || (!rule.line && MatchesFunction(rule.pattern, frame));
      });
    case Suppression::Kind::kVariable:
      return !subject.variable.empty() && GlobMatch(rule.pattern, subject.variable);
    case Suppression::Kind::kTask:
      return any_frame(subject.creations,
                       [&](const Frame& frame) { return MatchesFunction(rule.pattern, frame); });
    case Suppression::Kind::kLibrary:
      return false;
  }
  return false;
}

// "file:12" -> "file" and 12. A function's "::" is no such colon.
void TakeLine(Suppression& rule) {
  const size_t colon = rule.pattern.rfind(':');
  if (colon == std::string::npos || colon == 0 || rule.pattern[colon - 1] == ':') return;
  const char* begin = rule.pattern.data() + colon + 1;
  const char* end = rule.pattern.data() + rule.pattern.size();
  uint32_t line = 0;
  const auto [stop, problem] = std::from_chars(begin, end, line);
  if (begin == end || stop != end || problem != std::errc()) return;
  rule.line = line;
  rule.pattern.resize(colon);
}

}  // namespace

bool GlobMatch(std::string_view glob, std::string_view text) {
  size_t g = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;  // the last one seen, and how far it has eaten
  size_t eaten = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      eaten = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++eaten;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

bool PathMatch(const std::string& glob, std::string_view path) {
  return GlobMatch(glob, path) || GlobMatch("*/" + glob, path);
}

Result<Suppressions> Suppressions::Parse(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Suppressions parsed;
  uint32_t number = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view rule_text = Trim(WithoutComment(line));
    if (rule_text.empty()) continue;
    const auto fail = [&](std::string_view why) {
      return Error{fmt::format("{}:{}: {}", Printable(file), number, why)};
    };
    const size_t colon = rule_text.find(':');
    const std::string_view kind = Trim(rule_text.substr(0, colon));
    Suppression rule{};
    if (kind == "race") {
      rule.kind = Suppression::Kind::kRace;
    } else if (kind == "race_var") {
      rule.kind = Suppression::Kind::kVariable;
    } else if (kind == "task") {
      rule.kind = Suppression::Kind::kTask;
    } else if (kind == "library") {
      rule.kind = Suppression::Kind::kLibrary;
    } else {
      return fail(
          fmt::format("'{}' is not a rule; a rule begins with race:, race_var:, task: or library:",
                      Printable(rule_text)));
    }
    if (colon == std::string_view::npos) return fail("a ':' and a pattern are missing");
    rule.text = rule_text;
    rule.pattern = SourceName(Trim(rule_text.substr(colon + 1)));
    rule.rule_line = number;
    if (rule.pattern.empty()) return fail("the pattern is missing");
    if (rule.kind == Suppression::Kind::kRace) TakeLine(rule);
    parsed.rules_.push_back(std::move(rule));
  }
  return parsed;
}

std::string RuleFor(const std::string& variable, const Frame* later) {
  if (!variable.empty()) return "race_var:" + variable;
  if (later == nullptr) return "";
  if (!later->file.empty()) {
    return fmt::format("race:{}:{}", BaseName(later->file), later->line);
  }
  return later->function.empty() ? "" : "race:" + QualifiedName(later->function);
}

Result<Suppressions> Suppressions::Read(const std::string& file) {
  const auto fail = [&](std::string_view why) {
    return Error{fmt::format("cannot read the suppressions {}: {}", Printable(file), why)};
  };
  // A pipe could be read only once, and the file is read again for the report.
  struct stat status;
  if (stat(file.c_str(), &status) != 0) return fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return fail(std::strerror(EISDIR));
  if (!S_ISREG(status.st_mode)) return fail("it is not a regular file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(std::strerror(errno));
  std::stringstream text;
  text << stream.rdbuf();
  return Parse(text.str(), file);
}

bool Suppressions::IsLibrary(const std::string& file) {
  const auto found = std::ranges::find_if(rules_, [&](const Suppression& rule) {
    return rule.kind == Suppression::Kind::kLibrary && PathMatch(rule.pattern, file);
  });
  if (found == rules_.end()) return false;
  ++found->frames;
  return true;
}

Suppression* Suppressions::Match(const SuppressionSubject& subject) {
  const auto found =
      std::ranges::find_if(rules_, [&](const Suppression& rule) { return Matches(rule, subject); });
  return found == rules_.end() ? nullptr : &*found;
}

}  // namespace taskrace::report
