#include "report/log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/bytes.h"
#include "report/log_format.h"

namespace taskrace::report {
namespace {

// Ordered: counters are shown in the order that the runtime gives them in.
using json = nlohmann::ordered_json;

std::string String(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? "" : Unshield(found->get<std::string>());
}

// The log has whole numbers only: converting any other one may be undefined.
template <class T>
T Integer(const json& value) {
  if (!value.is_number_integer()) throw std::runtime_error("not a whole number");
  return value.get<T>();
}

template <class T>
T Number(const json& object, const char* key, T missing = 0) {
  const auto found = object.find(key);
  return found == object.end() ? missing : Integer<T>(*found);
}

std::vector<uint64_t> Numbers(const json& object, const char* key) {
  std::vector<uint64_t> numbers;
  if (const auto found = object.find(key); found != object.end()) {
    for (const json& number : *found) numbers.push_back(Integer<uint64_t>(number));
  }
  return numbers;
}

RawStack ReadStack(const json& value) {
  RawStack stack;
  for (const json& entry : value) {
    stack.push_back({Integer<int>(entry.at(0)), Integer<uint64_t>(entry.at(1))});
  }
  return stack;
}

std::vector<RawStack> ReadStacks(const json& object, const char* key) {
  std::vector<RawStack> stacks;
  if (const auto found = object.find(key); found != object.end()) {
    for (const json& stack : *found) stacks.push_back(ReadStack(stack));
  }
  return stacks;
}

LoggedLocation ReadLocation(const json& value) {
  LoggedLocation location;
  location.what = String(value, "what");
  location.start = Number<uint64_t>(value, "start");
  location.size = Number<uint64_t>(value, "size");
  location.name = String(value, "name");
  location.function = String(value, "function");
  location.file = String(value, "file");
  location.line = Number<uint64_t>(value, "line");
  if (const auto stack = value.find("stack"); stack != value.end()) {
    location.stack = ReadStack(*stack);
  }
  location.global = {Number(value, "module", -1), Number<uint64_t>(value, "offset")};
  return location;
}

// Pairs of level and number.
std::map<size_t, int64_t> ReadIterations(const json& value) {
  std::map<size_t, int64_t> iterations;
  const auto pairs = value.find("iterations");
  if (pairs == value.end() || !pairs->is_array()) return iterations;
  for (size_t i = 0; i + 1 < pairs->size(); i += 2) {
    const json &level = (*pairs)[i], &number = (*pairs)[i + 1];
    if (!level.is_number_integer() || !number.is_number_integer()) continue;
    iterations[level.get<size_t>()] = number.get<int64_t>();
  }
  return iterations;
}

// Triples of level, number and size of the team.
std::map<size_t, ThreadOfTeam> ReadThreads(const json& value) {
  std::map<size_t, ThreadOfTeam> threads;
  const std::vector<uint64_t> numbers =
      value.contains("threads") ? Numbers(value, "threads") : std::vector<uint64_t>();
  for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
    threads[numbers[i]] = {numbers[i + 1], numbers[i + 2]};
  }
  return threads;
}

LoggedAccess ReadAccess(const json& value) {
  LoggedAccess access;
  access.op = String(value, "op");
  access.size = Number<uint64_t>(value, "size");
  access.task = Number<uint64_t>(value, "task");
  access.strand = Number<uint64_t>(value, "strand");
  access.locks = Numbers(value, "locks");
  if (const auto found = value.find("lock_locations"); found != value.end()) {
    for (const json& location : *found) access.lock_locations.push_back(ReadLocation(location));
  }
  access.ancestors = Numbers(value, "ancestors");
  access.iterations = ReadIterations(value);
  access.threads = ReadThreads(value);
  access.is_loop = value.contains("loop");
  access.stack = ReadStack(value.at("stack"));
  access.created = ReadStacks(value, "created");
  return access;
}

LoggedWait ReadWait(const json& value) {
  LoggedWait wait;
  wait.task = Number<uint64_t>(value, "task");
  wait.what = String(value, "for");
  wait.ancestors = Numbers(value, "ancestors");
  wait.iterations = ReadIterations(value);
  wait.threads = ReadThreads(value);
  wait.stack = ReadStack(value.at("stack"));
  if (const auto made = value.find("made"); made != value.end()) wait.made = ReadStack(*made);
  wait.created = ReadStacks(value, "created");
  return wait;
}

void ReadEngine(const json& line, Log& log) {
  log.engine = String(line, "engine");
  log.why = String(line, "why");
}

void ReadStart(const json& line, Log& log) {
  log.version = String(line, "version");
  log.pid = Number<int64_t>(line, "pid");
  log.program = String(line, "program");
  ReadEngine(line, log);
  log.history = String(line, "history");
  log.forked = line.value("forked", false);
  for (const auto& [name, value] : line.at("options").items()) {
    const std::string text = value.is_string() ? Unshield(value.get<std::string>()) : value.dump();
    if (text.empty()) continue;  // not given
    if (auto set = log.options.Set(name, text); !set) {
      log.messages.push_back({"warning", "in the log: " + set.error(), {}});
    }
  }
}

LoggedRace ReadRace(const json& line) {
  LoggedRace race;
  race.id = Number<uint64_t>(line, "id");
  race.race_class = line.value("class", "race");
  race.address = Number<uint64_t>(line, "address");
  race.size = Number<uint64_t>(line, "size");
  race.accesses[0] = ReadAccess(line.at("accesses").at(0));
  race.accesses[1] = ReadAccess(line.at("accesses").at(1));
  if (const auto location = line.find("location"); location != line.end()) {
    race.location = ReadLocation(*location);
  }
  return race;
}

LoggedMessage ReadMessage(const json& line) {
  LoggedMessage message{String(line, "severity"), String(line, "text"), {}};
  if (const auto stacks = line.find("stacks"); stacks != line.end()) {
    for (const json& stack : *stacks) {
      message.stacks.emplace_back(String(stack, "label"), ReadStack(stack.at("stack")));
    }
  }
  return message;
}

// Takes one line; throws what the JSON library throws if it is damaged.
void ReadLine(const json& line, Log& log, std::unordered_map<uint64_t, uint64_t>& counts) {
  const std::string type = line.at("t").get<std::string>();
  if (type == "start") {
    ReadStart(line, log);
  } else if (type == "module") {
    log.modules[Integer<int>(line.at("id"))] = {String(line, "path"),
                                                line.value("instrumented", false)};
  } else if (type == "race") {
    log.races.push_back(ReadRace(line));
  } else if (type == "count") {
    counts[Integer<uint64_t>(line.at("id"))] = Integer<uint64_t>(line.at("n"));
  } else if (type == "joined") {
    // The race stands before its join.
    const auto id = Integer<uint64_t>(line.at("id"));
    const auto race = std::find_if(log.races.rbegin(), log.races.rend(),
                                   [&](const LoggedRace& race) { return race.id == id; });
    if (race == log.races.rend()) throw std::runtime_error("no such race");
    race->joined = {Number<uint64_t>(line, "task"), Number<uint64_t>(line, "strand"),
                    ReadStack(line.at("stack"))};
  } else if (type == "deadlock") {
    std::vector<LoggedWait> waiting;
    for (const json& wait : line.at("waiting")) waiting.push_back(ReadWait(wait));
    log.waiting = Number<uint64_t>(line, "count");
    log.deadlock = std::move(waiting);
  } else if (type == "message") {
    log.messages.push_back(ReadMessage(line));
  } else if (type == "stats") {
    for (const auto& [name, value] : line.items()) {
      if (value.is_number_integer()) log.stats.emplace_back(name, value.get<int64_t>());
    }
  } else if (type == "engine") {
    ReadEngine(line, log);
  } else if (type == "verdict") {
    log.verdict = {Number<uint64_t>(line, "reports"), line.value("complete", false)};
  } else if (type == "end") {
    const std::string how = line.value("how", "exit");
    log.end = {how == "signal", how == "stop", Number(line, "code", 0)};
  }
}

}  // namespace

Result<Log> ReadLog(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{fmt::format("cannot read the log {}: {}", Printable(path), std::strerror(errno))};
  }
  return ReadLog(file, path);
}

Result<Log> ReadLog(std::istream& stream, const std::string& path) {
  Log log;
  std::unordered_map<uint64_t, uint64_t> counts;
  std::string text;
  size_t number = 0;
  size_t damaged = 0;
  while (std::getline(stream, text) && !text.starts_with('\0')) {
    ++number;
    const bool complete = !stream.eof();
    log.text_bytes += text.size() + complete;
    try {
      const json line = json::parse(Shield(text));
      if (number == 1 && line.at("t") != "start") throw std::runtime_error("no start");
      ReadLine(line, log, counts);
    } catch (const std::exception&) {
      if (number == 1) {
        return Error{fmt::format("{} is not a log of taskrace: its first line is not a start line",
                                 Printable(path))};
      }
      damaged += complete;
    }
  }
  if (number == 0) return Error{fmt::format("the log {} is empty", Printable(path))};
  if (log.version != kVersion) {
    return Error{
        fmt::format("the log {} was written by version {}, this is {}; rebuild the program",
                    Printable(path), Printable(log.version), kVersion)};
  }
  if (damaged > 0) {
    log.messages.push_back(
        {"warning", fmt::format("{} damaged lines in the log skipped", damaged), {}});
  }
  for (LoggedRace& race : log.races) {
    if (const auto count = counts.find(race.id); count != counts.end()) race.count = count->second;
  }
  std::ranges::sort(log.races, {}, &LoggedRace::id);
  return log;
}

bool WriteVerdict(const std::string& path, const Log& log, LoggedVerdict verdict) {
  const std::string line = fmt::format("{}{}{}\n", kVerdictPrefix, verdict.reports,
                                       verdict.complete ? kVerdictComplete : kVerdictIncomplete);
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t written =
      pwrite(file, line.data(), line.size(), static_cast<off_t>(log.text_bytes));
  const bool closed = close(file) == 0;
  return closed && written == static_cast<ssize_t>(line.size());
}

}  // namespace taskrace::report
