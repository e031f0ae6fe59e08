#include "driver/bench_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "report/bytes.h"
#include "report/options.h"

namespace taskrace::driver {
namespace {

using report::Error;
using report::Printable;
using report::Result;

// What option --config asks for if it is not given, and what is measured in any case.
constexpr std::string_view kDefaultConfigs = "plain,native,parallel,reach,instrument,full";
constexpr std::string_view kMoreConfigs = "full-parallel";
constexpr std::string_view kBaseline = "plain";

std::vector<std::string> Words(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (;;) {
    const size_t end = text.find(separator);
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

Result<bool> TakeNumber(std::string_view name, const std::string& text, int most, int& number) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end || value < 1 || value > most) {
    return Error{
        fmt::format("option {}: '{}' is not a number from 1 to {}", name, Printable(text), most)};
  }
  number = value;
  return true;
}

Result<bool> TakeOneOf(std::string_view name, const std::string& text,
                       const std::vector<std::string>& choices, std::string& value) {
  if (std::ranges::find(choices, text) == choices.end()) {
    return Error{fmt::format("option {}: unknown value '{}'; {}", name, Printable(text),
                             report::Suggestion(text, choices))};
  }
  value = text;
  return true;
}

// An option of the runtime has the same values here.
Result<bool> TakeRunOption(std::string_view name, const std::string& text, std::string& value) {
  if (auto set = report::Options().Set(name, text); !set) return set;
  value = text;
  return true;
}

Result<bool> TakePath(std::string_view name, const std::string& text, std::string& value) {
  if (text.empty()) return Error{fmt::format("option {} has no value; name a file", name)};
  value = text;
  return true;
}

// Reads the arguments from left to right.
class Reader {
 public:
  using Setter = Result<bool> (Reader::*)(const std::string& value);
  struct Row {
    std::string_view name;
    std::string_view value;  // what the help calls it; empty: a switch
    Setter set;
    std::string_view help;
  };
  static const std::vector<Row>& Table();

  Result<BenchRequest> Read(const std::vector<std::string>& arguments);

 private:
  Result<bool> TakeOption(const std::vector<std::string>& arguments, size_t& at);
  Result<bool> TakeConfigs(std::string_view name, const std::string& value,
                           const std::vector<std::string>& known);
  Result<bool> SetTask(BenchRequest::Task task);
  Result<bool> CheckTogether() const;

  Result<bool> SetSize(const std::string& value) {
    return TakeOneOf("size", value, {"test", "small", "paper"}, request_.size);
  }
  Result<bool> SetConfig(const std::string& value) {
    configs_given_ = true;
    std::vector<std::string> known = Words(kDefaultConfigs, ',');
    known.emplace_back(kMoreConfigs);
    return TakeConfigs("config", value, known);
  }
  Result<bool> SetPeer(const std::string& value) {
    return TakeConfigs("peer", value, {"tsan", "tsan-serial"});
  }
  Result<bool> SetEngine(const std::string& value) {
    return TakeRunOption("engine", value, request_.engine);
  }
  Result<bool> SetHistory(const std::string& value) {
    return TakeRunOption("history", value, request_.history);
  }
  Result<bool> SetRepeat(const std::string& value) {
    request_.repeat_is_exact = true;
    return TakeNumber("repeat", value, 1000, request_.repeat);
  }
  Result<bool> SetTimeout(const std::string& value) {
    return TakeNumber("timeout", value, 1000000, request_.timeout_s);
  }
  Result<bool> SetJobs(const std::string& value) {
    return TakeNumber("jobs", value, 1000, request_.jobs);
  }
  Result<bool> SetJson(const std::string& value) { return TakePath("json", value, request_.json); }
  Result<bool> SetPlot(const std::string& value) { return TakePath("plot", value, request_.plot); }
  Result<bool> SetWork(const std::string& value) { return TakePath("work", value, request_.work); }
  Result<bool> SetCompare(const std::string& value) {
    return TakePath("compare", value, request_.compare);
  }
  Result<bool> SetList(const std::string&) { return SetTask(BenchRequest::Task::kList); }
  Result<bool> SetCount(const std::string&) { return SetTask(BenchRequest::Task::kCount); }
  Result<bool> SetCheck(const std::string&) { return SetTask(BenchRequest::Task::kCheck); }
  Result<bool> SetHelp(const std::string&) {
    request_.task = BenchRequest::Task::kHelp;
    return true;
  }

  BenchRequest request_;
  std::set<std::string> asked_;  // values of --config and --peer
  bool configs_given_ = false;
  bool size_given_ = false;
};

const std::vector<Reader::Row>& Reader::Table() {
  static const std::vector<Row> table = {
      {"size", "small", &Reader::SetSize, "test (milliseconds), small, or paper (the papers' own)"},
      {"config", kDefaultConfigs, &Reader::SetConfig, "what to measure; plain is always measured"},
      {"engine", "auto", &Reader::SetEngine,
       "as for taskrace run; programs of other classes are left out"},
      {"history", "auto", &Reader::SetHistory, "as for taskrace run"},
      {"peer", "tsan", &Reader::SetPeer,
       "also measure ThreadSanitizer: on the oneTBB build; tsan-serial: on plain"},
      {"repeat", "5", &Reader::SetRepeat, "rounds; if not given, long runs are repeated less"},
      {"timeout", "300", &Reader::SetTimeout, "seconds after which a run is stopped"},
      {"json", "FILE", &Reader::SetJson, "also write the results as JSON; -: to standard output"},
      {"plot", "FILE.svg", &Reader::SetPlot, "also draw a plot of the overheads"},
      {"work", "DIR", &Reader::SetWork, "where executables are kept; default: the user's cache"},
      {"jobs", "N", &Reader::SetJobs, "compilers at once; default: one per core"},
      {"list", "", &Reader::SetList, "list the programs"},
      {"count", "", &Reader::SetCount, "count checks, hook calls and queries instead (size test)"},
      {"compare", "FILE", &Reader::SetCompare, "with --count: fail if a count is above this table"},
      {"check", "", &Reader::SetCheck,
       "check results and seeded races instead, with every engine (size test)"},
      {"help", "", &Reader::SetHelp, "this text"},
  };
  return table;
}

Result<bool> Reader::SetTask(BenchRequest::Task task) {
  if (request_.task != BenchRequest::Task::kMeasure && request_.task != task) {
    return Error{"options list, count and check exclude each other; give one of them"};
  }
  request_.task = task;
  return true;
}

Result<bool> Reader::TakeConfigs(std::string_view name, const std::string& value,
                                 const std::vector<std::string>& known) {
  for (const std::string& word : Words(value, ',')) {
    std::string taken;
    if (auto one = TakeOneOf(name, word, known, taken); !one) return one;
    asked_.insert(taken);
  }
  return true;
}

Result<bool> Reader::TakeOption(const std::vector<std::string>& arguments, size_t& at) {
  const std::string& word = arguments[at];
  const size_t equals = word.find('=');
  const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
  const auto row = std::ranges::find(Table(), name, &Row::name);
  if (row == Table().end()) {
    std::vector<std::string> names;
    for (const Row& known : Table()) names.emplace_back(known.name);
    return Error{
        fmt::format("unknown option '{}'; {}", Printable(word), report::Suggestion(name, names))};
  }
  size_given_ |= name == "size";
  const bool has_value = equals != std::string::npos;
  if (row->value.empty()) {
    if (has_value) return Error{fmt::format("option {} takes no value", name)};
    return (this->*row->set)("");
  }
  if (!has_value && at + 1 == arguments.size()) {
    return Error{fmt::format("option {} has no value; write --{}={}", name, name, row->value)};
  }
  return (this->*row->set)(has_value ? word.substr(equals + 1) : arguments[++at]);
}

Result<bool> Reader::CheckTogether() const {
  using Task = BenchRequest::Task;
  if (!request_.compare.empty() && request_.task != Task::kCount) {
    return Error{"option compare is for counts; add --count"};
  }
  if (!request_.plot.empty() && request_.task != Task::kMeasure) {
    return Error{"option plot is for measured times; leave out --list, --count and --check"};
  }
  if (!request_.json.empty() && (request_.task == Task::kCheck || request_.task == Task::kList)) {
    return Error{"option json is for times and counts; leave out --list and --check"};
  }
  return true;
}

Result<BenchRequest> Reader::Read(const std::vector<std::string>& arguments) {
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (word == "-h") {
      request_.task = BenchRequest::Task::kHelp;
    } else if (word.starts_with("--")) {
      if (auto taken = TakeOption(arguments, at); !taken) return Error{taken.error()};
    } else if (word.starts_with('-')) {
      return Error{fmt::format("unknown option '{}'; see taskrace help bench", Printable(word))};
    } else {
      request_.names.push_back(word);
    }
    if (request_.task == BenchRequest::Task::kHelp) return request_;
  }
  if (auto checked = CheckTogether(); !checked) return Error{checked.error()};
  if (!size_given_ && request_.task != BenchRequest::Task::kMeasure) request_.size = "test";
  if (!configs_given_) {
    for (std::string& word : Words(kDefaultConfigs, ',')) asked_.insert(std::move(word));
  }
  if (request_.task == BenchRequest::Task::kMeasure) asked_.emplace(kBaseline);
  // What these are held against.
  if (asked_.contains("tsan") || asked_.contains("full-parallel")) asked_.insert("parallel");
  for (const ConfigRow& row : kConfigTable) {
    if (asked_.contains(std::string(row.option))) request_.configs.push_back(row.config);
  }
  return request_;
}

}  // namespace

bool BenchRequest::Runs(Config config) const {
  return std::ranges::find(configs, config) != configs.end();
}

Result<BenchRequest> ReadBenchRequest(const std::vector<std::string>& arguments) {
  return Reader().Read(arguments);
}

std::string BenchOptionsHelp() {
  std::string text;
  for (const auto& row : Reader::Table()) {
    const std::string left = row.value.empty()      ? fmt::format("--{}", row.name)
                             : row.name == "config" ? std::string("--config=NAME,...")
                                                    : fmt::format("--{}={}", row.name, row.value);
    text += fmt::format("  {:<20} {}\n", left, row.help);
    if (row.name == "config") {
      text += fmt::format("  {:<20} {}; also {}\n", "", kDefaultConfigs, kMoreConfigs);
    }
  }
  return text;
}

}  // namespace taskrace::driver
