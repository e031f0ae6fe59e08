#include "report/read_report.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/bytes.h"
#include "report/cause.h"
#include "report/json.h"
#include "report/race.h"

namespace taskrace::report {
namespace {

// Ordered: counters are shown in the order that the runtime gives them in.
using Json = nlohmann::ordered_json;

// Why a report cannot be used, for the user.
struct Damaged {
  std::string why;
};

const Json& At(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) {
    throw Damaged{fmt::format("the key '{}' is missing", key)};
  }
  return *found;
}

const Json& Array(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (!value.is_array()) throw Damaged{fmt::format("'{}' is not a list", key)};
  return value;
}

template <class T>
T As(const Json& value, const char* key) {
  if (!value.is_number_integer()) throw Damaged{fmt::format("'{}' is not a whole number", key)};
  return value.get<T>();
}

template <class T>
T Number(const Json& object, const char* key) {
  return As<T>(At(object, key), key);
}

std::string String(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (!value.is_string()) throw Damaged{fmt::format("'{}' is not a string", key)};
  return value.get<std::string>();
}

bool Bool(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (!value.is_boolean()) throw Damaged{fmt::format("'{}' is neither true nor false", key)};
  return value.get<bool>();
}

uint64_t Hex(const Json& value, const char* key) {
  uint64_t number = 0;
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const char* end = text.data() + text.size();
  if (!text.starts_with("0x") || std::from_chars(text.data() + 2, end, number, 16).ptr != end) {
    throw Damaged{fmt::format("'{}' is not an address", key)};
  }
  return number;
}

std::vector<std::string> Strings(const Json& object, const char* key) {
  std::vector<std::string> strings;
  for (const Json& value : Array(object, key)) {
    if (!value.is_string()) throw Damaged{fmt::format("'{}' is not a list of strings", key)};
    strings.push_back(value.get<std::string>());
  }
  return strings;
}

template <class T>
std::vector<T> Numbers(const Json& object, const char* key) {
  std::vector<T> numbers;
  for (const Json& value : Array(object, key)) numbers.push_back(As<T>(value, key));
  return numbers;
}

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json), directory_(String(json, "directory")) {}

  Report Read() {
    ReadRuns();
    for (const Json& race : Array(json_, "races")) report_.races.push_back(Race(race));
    report_.occurrences = Number<uint64_t>(json_, "occurrences");
    report_.left_out = Number<uint64_t>(json_, "left_out");
    report_.suppressed = Number<uint64_t>(json_, "suppressed");
    for (const Json& rule : Array(json_, "suppressions")) report_.rules.push_back(Rule(rule));
    ReadDeadlock(At(json_, "deadlock"));
    for (const Json& message : Array(json_, "messages")) {
      report_.messages.push_back({String(message, "severity"), String(message, "text"), {}});
      for (const Json& labelled : Array(message, "stacks")) {
        report_.messages.back().stacks.emplace_back(String(labelled, "label"),
                                                    Frames(Array(labelled, "stack")));
      }
    }
    ReadSources();
    report_.summary = String(json_, "summary");
    report_.notes = Strings(json_, "notes");
    // A report that was asked for has an end, even if there is nothing to report.
    report_.options.hidden_summary = 1;
    return std::move(report_);
  }

 private:
  void ReadRuns() {
    if (json_.contains("runs")) {
      for (const Json& run : Array(json_, "runs")) {
        report_.runs.push_back(Run(run));
        report_.runs.back().file = String(run, "file");
      }
    } else {
      report_.runs.push_back(Run(json_));
    }
    if (report_.runs.empty()) throw Damaged{"the list of runs is empty"};
    for (const ReportedRun& run : report_.runs) {
      if (run.exec == "parallel") report_.options.exec = run.exec;
    }
  }

  static ReportedRun Run(const Json& json) {
    ReportedRun run;
    run.program = String(json, "program");
    run.pid = Number<int64_t>(json, "pid");
    if (!At(json, "exit_code").is_null()) run.exit_code = Number<int>(json, "exit_code");
    if (!At(json, "rank").is_null()) run.rank = Number<int>(json, "rank");
    run.exec = String(json, "exec");
    run.reports = Number<uint64_t>(json, "reports");
    run.complete = Bool(json, "complete");
    run.summary = String(json, "summary");
    run.notes = Strings(json, "notes");
    const Json& stats = At(json, "stats");
    run.engine = String(stats, "engine");
    if (stats.contains("engine_reason")) run.why = String(stats, "engine_reason");
    run.history = String(stats, "history");
    for (const auto& [name, value] : stats.items()) {
      if (value.is_number_integer()) run.stats.emplace_back(name, value.get<int64_t>());
    }
    return run;
  }

  // Paths are relative to the directory that the report was made in.
  std::string Path(const std::string& path) const {
    return path.empty() || path.starts_with('/') ? path : CleanPath(directory_ + "/" + path);
  }

  Stack Frames(const Json& frames) const {
    Stack stack;
    for (const Json& json : frames) {
      Frame frame;
      frame.function = String(json, "function");
      frame.file = Path(String(json, "file"));
      frame.line = Number<uint32_t>(json, "line");
      frame.column = Number<uint32_t>(json, "column");
      if (json.contains("module")) frame.module = String(json, "module");
      if (json.contains("offset")) frame.offset = Hex(At(json, "offset"), "offset");
      if (json.contains("library")) frame.library = Bool(json, "library");
      if (json.contains("part")) frame.part = String(json, "part");
      stack.push_back(std::move(frame));
    }
    return stack;
  }

  std::vector<Stack> Creations(const Json& object) const {
    std::vector<Stack> created;
    for (const Json& stack : Array(object, "task_created_at")) created.push_back(Frames(stack));
    return created;
  }

  static std::map<size_t, int64_t> Iterations(const Json& object) {
    std::map<size_t, int64_t> iterations;
    for (const Json& json : Array(object, "loop_iterations")) {
      const std::string kind = String(json, "kind");
      const auto number = Number<int64_t>(json, "number");
      iterations[Number<size_t>(json, "level")] =
          kind == "single" ? kSingleBlock
          // A number that is too large would not be one of a section or a lane.
          : number < 0 || number >= kFirstLane ? number
          : kind == "section"                  ? kFirstSection + number
          : kind == "lane"                     ? kFirstLane + number
                                               : number;
    }
    return iterations;
  }

  static std::map<size_t, ThreadOfTeam> Threads(const Json& object) {
    std::map<size_t, ThreadOfTeam> threads;
    for (const Json& json : Array(object, "threads")) {
      const bool is_in_team = !At(json, "team_size").is_null();
      threads[Number<size_t>(json, "level")] = {
          Number<uint64_t>(json, "number"), is_in_team ? Number<uint64_t>(json, "team_size") : 0};
    }
    return threads;
  }

  ReportedLocation Location(const Json& json) const {
    return {.what = String(json, "what"),
            .name = String(json, "name"),
            .function = String(json, "function"),
            .member = String(json, "member"),
            .offset = Number<uint64_t>(json, "offset"),
            .size = Number<uint64_t>(json, "size"),
            .file = Path(String(json, "file")),
            .line = Number<uint64_t>(json, "line"),
            .allocated_at = Frames(Array(json, "allocated_at"))};
  }

  ReportedAccess Access(const Json& json) const {
    ReportedAccess access;
    access.op = String(json, "op");
    access.size = Number<uint64_t>(json, "size");
    access.task = Number<uint64_t>(json, "task");
    access.strand = Number<uint64_t>(json, "strand");
    const Json& locks = Array(json, "locks");
    const Json& locations = Array(json, "lock_locations");
    if (locks.size() != locations.size()) throw Damaged{"'locks' and 'lock_locations' differ"};
    for (size_t i = 0; i < locks.size(); ++i) {
      access.locks.push_back({Hex(locks[i], "locks"), Location(locations[i])});
    }
    access.stack = Frames(Array(json, "stack"));
    access.created = Creations(json);
    access.ancestors = Numbers<uint64_t>(json, "creators");
    access.iterations = Iterations(json);
    access.is_loop = Bool(json, "is_loop");
    access.threads = Threads(json);
    return access;
  }

  ReportedRace Race(const Json& json) const {
    ReportedRace race;
    race.race_class = String(json, "class");
    race.kind = String(json, "kind");
    race.address = Hex(At(json, "address"), "address");
    race.size = Number<uint64_t>(json, "size");
    race.count = Number<uint64_t>(json, "count");
    race.location = Location(At(json, "location"));
    race.also_on = Strings(json, "also_on");
    race.cause = Number<uint64_t>(json, "cause");
    const Json& accesses = Array(json, "accesses");
    if (accesses.size() != 2) throw Damaged{"a race does not have two accesses"};
    for (size_t i : {0, 1}) race.accesses[i] = Access(accesses[i]);
    if (const Json& joined = At(json, "joined_at"); !joined.is_null()) {
      race.joined = {Number<uint64_t>(joined, "task"), Number<uint64_t>(joined, "strand"),
                     Frames(Array(joined, "stack"))};
    }
    race.runs = json.contains("runs") ? Numbers<size_t>(json, "runs") : std::vector<size_t>{0};
    if (race.runs.empty()) throw Damaged{"a race was seen in no run"};
    for (size_t run : race.runs) CheckRun(run);
    return race;
  }

  void CheckRun(size_t run) const {
    if (run >= report_.runs.size()) throw Damaged{"a race names a run that is not listed"};
  }

  static Suppression Rule(const Json& json) {
    const std::string text = String(json, "rule");
    return {.kind = text.starts_with("library:") ? Suppression::Kind::kLibrary
                                                 : Suppression::Kind::kRace,
            .text = text,
            .pattern = "",
            .line = std::nullopt,
            .rule_line = Number<uint32_t>(json, "line"),
            .reports = Number<uint64_t>(json, "races"),
            .occurrences = Number<uint64_t>(json, "occurrences"),
            .frames = Number<uint64_t>(json, "frames")};
  }

  void ReadDeadlock(const Json& json) {
    if (json.is_null()) return;
    report_.waiting = Number<uint64_t>(json, "tasks");
    report_.deadlock.emplace();
    for (const Json& wait : Array(json, "waiting")) {
      report_.deadlock->push_back({.task = Number<uint64_t>(wait, "task"),
                                   .what = String(wait, "for"),
                                   .stack = Frames(Array(wait, "stack")),
                                   .made = Frames(Array(wait, "made_at")),
                                   .created = Creations(wait),
                                   .ancestors = Numbers<uint64_t>(wait, "creators"),
                                   .iterations = Iterations(wait),
                                   .threads = Threads(wait),
                                   .run = Number<size_t>(wait, "run")});
      CheckRun(report_.deadlock->back().run);
    }
  }

  void ReadSources() {
    for (const Json& source : Array(json_, "sources")) {
      std::map<uint32_t, std::string>& lines = report_.sources[Path(String(source, "file"))];
      for (const auto& [number, text] : At(source, "lines").items()) {
        uint32_t line = 0;
        std::from_chars(number.data(), number.data() + number.size(), line);
        if (line == 0 || !text.is_string()) throw Damaged{"a line of 'sources' has no number"};
        lines[line] = text.get<std::string>();
      }
    }
  }

  const Json& json_;
  const std::string directory_;
  Report report_;
};

// Why the text is not JSON. A report begins with "{" and ends with "}".
std::string NotJson(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "is empty";
  const size_t last = text.find_last_not_of(" \t\r\n");
  if (text[first] != '{') return "is not a report of taskrace: it is not JSON";
  return text[last] == '}' ? "is damaged: it is not JSON"
                           : "is truncated: the end of the report is missing";
}

// Why a JSON file cannot be read by this version; empty: it can.
std::string NotOurs(const Json& json) {
  if (!json.is_object() || !json.contains("taskrace")) return "is not a report of taskrace";
  if (!json.contains("schema")) {
    return "was written by an older taskrace, whose reports cannot be read: run the program again";
  }
  if (!json["schema"].is_number_integer()) return "is damaged: 'schema' is not a whole number";
  const auto schema = json["schema"].get<int64_t>();
  if (schema <= kReportSchema) return "";
  return fmt::format("was written by a newer taskrace: it has schema {}, this one reads up to {}",
                     schema, kReportSchema);
}

}  // namespace

Result<Report> ParseReport(std::string_view text, const std::string& path) {
  const std::string name = Printable(path);
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Error{fmt::format("{} {}", name, NotJson(text))};
  if (const std::string why = NotOurs(json); !why.empty()) return Error{name + " " + why};
  try {
    return Reader(json).Read();
  } catch (const Damaged& damage) {
    return Error{fmt::format("{} is damaged: {}", name, damage.why)};
  }
}

Result<Report> ReadReport(const std::string& path) {
  const auto fail = [&](const char* why) {
    return Error{fmt::format("cannot read {}: {}", Printable(path), why)};
  };
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) return fail("it is a directory");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(std::strerror(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) return fail(std::strerror(errno));
  return ParseReport(text.view(), path);
}

}  // namespace taskrace::report
