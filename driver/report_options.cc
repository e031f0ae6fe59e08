#include "driver/report_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "report/bytes.h"
#include "report/options.h"

namespace taskrace::driver {
namespace {

using report::Error;
using report::Printable;
using report::Result;

struct Row {
  std::string_view name;
  std::string_view
      values;  // "a|b|c": one of these, the first is the default; else what help calls the value
  std::string ReportRequest::* member;
  std::string_view help;

  bool IsChoice() const { return values.find('|') != std::string_view::npos; }
};

std::span<const Row> Table() {
  static constexpr Row kRows[] = {
      {"format", "text|json|html|sarif|github|gcc", &ReportRequest::format,
       "what to write; sarif, github: for build servers; gcc: for editors"},
      {"output", "FILE", &ReportRequest::output,
       "write it to this file (also: -o FILE); default: standard output"},
      {"baseline", "FILE", &ReportRequest::baseline, "a saved report: its races are known already"},
      {"known", "mark|hide", &ReportRequest::known, "what to do with the races of the baseline"},
      {"fail_on", "any|new|none", &ReportRequest::fail_on,
       "exit with 66 if there is any race, one that is not in the baseline, or never"},
  };
  return kRows;
}

std::vector<std::string> Choices(std::string_view values) {
  std::vector<std::string> choices;
  for (size_t begin = 0; begin <= values.size();) {
    const size_t end = std::min(values.find('|', begin), values.size());
    choices.emplace_back(values.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

std::string Spelled(std::string_view name) {
  std::string word(name);
  std::ranges::replace(word, '_', '-');
  return word;
}

// "--fail_on" and "--fail-on" -> "fail-on"; "-o" -> "output".
std::string NameOf(const std::string& word) {
  return word == "-o" ? "output" : Spelled(word.substr(std::min<size_t>(2, word.size())));
}

Result<bool> Set(ReportRequest& request, const std::string& name, const std::string& value) {
  const auto rows = Table();
  const auto row = std::ranges::find(rows, name, [](const Row& row) { return Spelled(row.name); });
  if (row == rows.end()) {
    std::vector<std::string> names;
    for (const Row& known : rows) names.push_back(Spelled(known.name));
    return Error{
        fmt::format("unknown option '{}'; {}", Printable(name), report::Suggestion(name, names))};
  }
  if (value.empty())
    return Error{fmt::format("option {} has no value; write --{}=...", name, name)};
  const std::vector<std::string> choices = Choices(row->values);
  if (row->IsChoice() && std::ranges::find(choices, value) == choices.end()) {
    return Error{fmt::format("option {}: unknown value '{}'; {}", name, Printable(value),
                             report::Suggestion(value, choices))};
  }
  request.*(row->member) = value;
  return true;
}

}  // namespace

Result<ReportRequest> ReadReportRequest(const std::vector<std::string>& arguments) {
  ReportRequest request;
  bool options_end = false;
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (options_end || !word.starts_with('-')) {
      request.files.push_back(word);
      continue;
    }
    if (word == "--") {
      options_end = true;
      continue;
    }
    if (word == "-h" || word == "--help") {
      request.help = true;
      return request;
    }
    if (word != "-o" && !word.starts_with("--")) {
      return Error{fmt::format("unknown option '{}'; see taskrace help report", Printable(word))};
    }
    const size_t equals = word.find('=');
    const std::string name = NameOf(word.substr(0, equals));
    const bool has_next = at + 1 < arguments.size();
    const std::string value = equals != std::string::npos ? word.substr(equals + 1)
                              : has_next                  ? arguments[++at]
                                                          : "";
    if (auto set = Set(request, name, value); !set) return Error{set.error()};
  }
  if (request.files.empty()) {
    return Error{"no report to read; usage: taskrace report [options] FILE..."};
  }
  if (request.baseline.empty() && (request.known == "hide" || request.fail_on == "new")) {
    return Error{"without a baseline every race is new: name one with --baseline=FILE"};
  }
  return request;
}

std::string ReportOptionsHelp() {
  std::string text;
  for (const Row& row : Table()) {
    const std::string_view value =
        row.IsChoice() ? row.values.substr(0, row.values.find('|')) : row.values;
    text +=
        fmt::format("  {:<22} {}\n", fmt::format("--{}={}", Spelled(row.name), value), row.help);
    if (row.IsChoice()) text += fmt::format("  {:<22} one of {}\n", "", row.values);
  }
  return text;
}

}  // namespace taskrace::driver
