#include "report/log.h"

#include <fmt/format.h>

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

template <class T>
T Number(const json& object, const char* key, T missing = 0) {
  return object.value(key, missing);
}

RawStack ReadStack(const json& value) {
  RawStack stack;
  for (const json& entry : value) {
    stack.push_back({entry.at(0).get<int>(), entry.at(1).get<uint64_t>()});
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

LoggedAccess ReadAccess(const json& value) {
  LoggedAccess access;
  access.op = String(value, "op");
  access.size = Number<uint64_t>(value, "size");
  access.task = Number<uint64_t>(value, "task");
  access.strand = Number<uint64_t>(value, "strand");
  access.locks = value.value("locks", access.locks);
  access.ancestors = value.value("ancestors", access.ancestors);
  access.stack = ReadStack(value.at("stack"));
  access.created = ReadStacks(value, "created");
  return access;
}

LoggedWait ReadWait(const json& value) {
  LoggedWait wait;
  wait.task = Number<uint64_t>(value, "task");
  wait.what = String(value, "for");
  wait.ancestors = value.value("ancestors", wait.ancestors);
  wait.stack = ReadStack(value.at("stack"));
  if (const auto made = value.find("made"); made != value.end()) wait.made = ReadStack(*made);
  wait.created = ReadStacks(value, "created");
  return wait;
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
    log.modules[line.at("id").get<int>()] = {String(line, "path"),
                                             line.value("instrumented", false)};
  } else if (type == "race") {
    log.races.push_back(ReadRace(line));
  } else if (type == "count") {
    counts[line.at("id").get<uint64_t>()] = line.at("n").get<uint64_t>();
  } else if (type == "deadlock") {
    std::vector<LoggedWait> waiting;
    for (const json& wait : line.at("waiting")) waiting.push_back(ReadWait(wait));
    log.waiting = Number<uint64_t>(line, "count");
    log.deadlock = std::move(waiting);
  } else if (type == "message") {
    log.messages.push_back(ReadMessage(line));
  } else if (type == "stats") {
    for (const auto& [name, value] : line.items()) {
      if (value.is_number()) log.stats.emplace_back(name, value.get<int64_t>());
    }
  } else if (type == "engine") {
    ReadEngine(line, log);
  } else if (type == "end") {
    log.end = {line.value("how", "exit") == "signal", Number(line, "code", 0)};
  }
}

}  // namespace

Result<Log> ReadLog(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{fmt::format("cannot read the log {}: {}", Printable(path), std::strerror(errno))};
  }
  Log log;
  std::unordered_map<uint64_t, uint64_t> counts;
  std::string text;
  size_t number = 0;
  size_t damaged = 0;
  while (std::getline(file, text)) {
    ++number;
    const bool complete = !file.eof();
    try {
      const json line = json::parse(Shield(text));
      if (number == 1 && line.at("t") != "start") throw std::runtime_error("no start");
      ReadLine(line, log, counts);
    } catch (const std::exception&) {
      if (number == 1) {
        return Error{fmt::format("{} is no log of taskrace: its first line is no start line",
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

}  // namespace taskrace::report
