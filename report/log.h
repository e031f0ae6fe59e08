// The log of one process, read (log_format.h says how it is written).
//
// Thread rule: a value. Cost: one pass over the file, everything in memory.
#pragma once

#include <compare>
#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/options.h"
#include "report/result.h"

namespace taskrace::report {

// A place in a module's file; module -1: the offset is an address outside all modules.
struct CodeAddress {
  int module = -1;
  uint64_t offset = 0;
  auto operator<=>(const CodeAddress&) const = default;
};
using RawStack = std::vector<CodeAddress>;  // return addresses, innermost first

struct LoggedLocation {
  std::string what = "unknown";
  uint64_t start = 0;
  uint64_t size = 0;
  RawStack stack;
  std::string name;
  std::string function;
  std::string file;
  uint64_t line = 0;
  CodeAddress global;
};

// What a task does between two barriers for one thread of a team, or a thread that the program has started.
struct ThreadOfTeam {
  uint64_t number = 0;
  uint64_t team_size = 0;  // 0: it is in no team
};

struct LoggedAccess {
  std::string op;
  uint64_t size = 0;
  uint64_t task = 0;
  uint64_t strand = 0;
  std::vector<uint64_t> locks;
  std::vector<LoggedLocation> lock_locations;  // as long as `locks`, or empty
  RawStack stack;
  std::vector<RawStack> created;         // where the task was created, its creator, ... out to main
  std::vector<uint64_t> ancestors;       // the creators' numbers; may be missing
  std::map<size_t, int64_t> iterations;  // by level: 0 is the task, 1 its creator, ...
  bool is_loop = false;                  // the task stands for all iterations of a loop
  std::map<size_t, ThreadOfTeam> threads;  // by level, those that are threads
};

// Where two accesses are joined: the strand that begins there, and its task.
struct LoggedJoin {
  uint64_t task = 0;
  uint64_t strand = 0;
  RawStack stack;
};

struct LoggedRace {
  uint64_t id = 0;
  std::string race_class;
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t count = 1;
  LoggedAccess accesses[2];
  LoggedLocation location;
  std::optional<LoggedJoin> joined;
};

struct LoggedMessage {
  std::string severity;
  std::string text;
  std::vector<std::pair<std::string, RawStack>> stacks;
};

// A task of a deadlock.
struct LoggedWait {
  uint64_t task = 0;
  std::string what;  // it waits for
  RawStack stack;
  RawStack made;  // what it waits for; may be missing
  std::vector<RawStack> created;
  std::vector<uint64_t> ancestors;
  std::map<size_t, int64_t> iterations;
  std::map<size_t, ThreadOfTeam> threads;
};

struct LoggedModule {
  std::string path;
  bool instrumented = false;
};

struct LoggedEnd {
  bool signal = false;   // the code is its number
  bool stopped = false;  // by the runtime: the code stands, whatever was found
  int code = 0;
};

// What a reporter has left behind that rendered the log.
struct LoggedVerdict {
  uint64_t reports = 0;
  bool complete = true;
};

struct Log {
  std::string version;
  int64_t pid = 0;
  std::string program;
  std::string engine;  // the last one, if auto went on with another
  std::string why;     // the engine was taken; empty: the user named it
  std::string history;
  Options options;
  bool forked = false;
  std::map<int, LoggedModule> modules;
  std::vector<LoggedRace> races;  // in the order of their numbers
  uint64_t waiting = 0;           // how many tasks; the first ones are in `deadlock`
  std::optional<std::vector<LoggedWait>> deadlock;  // the waiting tasks, if all tasks wait
  std::vector<LoggedMessage> messages;
  std::vector<std::pair<std::string, int64_t>> stats;
  std::optional<LoggedEnd> end;          // none: the process was killed
  std::optional<LoggedVerdict> verdict;  // none: the log was not rendered
  uint64_t text_bytes = 0;               // of the file; what follows is room
};

// Reads a log. Damaged lines become a warning in `messages`; an incomplete last one is ignored.
Result<Log> ReadLog(const std::string& path);
// The same of a stream; errors call it `path`.
Result<Log> ReadLog(std::istream& stream, const std::string& path);

// Adds a verdict to the log that was read from there. False: it could not be written.
bool WriteVerdict(const std::string& path, const Log& log, LoggedVerdict verdict);

}  // namespace taskrace::report
