// A report: a log with names and lines, deduplicated and suppressed; what text
// and JSON are made from.
//
// Thread rule: a value. Cost: see symbols.h; the rest is linear in the log.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/frame.h"
#include "report/log.h"
#include "report/result.h"
#include "report/suppressions.h"

namespace taskrace::report {

struct ReportedLocation {
  std::string what;  // global, heap, stack, tls, future, promise, unknown
  std::string name;
  std::string function;
  std::string
      member;  // what follows the name for the bytes at `offset`: "[2].count"; empty: not known
  uint64_t offset = 0;  // of the racy bytes in the object, or behind the block before unknown ones
  uint64_t size = 0;    // of the object; 0: unknown
  std::string file;
  uint64_t line = 0;
  Stack allocated_at;  // of a future or promise: where it was made

  // That of a future or promise.
  bool IsValue() const { return what == "future" || what == "promise"; }
};

// A lock that was held.
struct ReportedLock {
  uint64_t address = 0;
  ReportedLocation location;
};

struct ReportedAccess {
  std::string op;
  uint64_t size = 0;
  uint64_t task = 0;
  uint64_t strand = 0;
  std::vector<ReportedLock> locks;
  Stack stack;                             // without machinery
  std::vector<Stack> created;              // outward to main
  std::vector<uint64_t> ancestors;         // as long as `created`, or empty
  std::map<size_t, int64_t> iterations;    // by level: 0 is the task, 1 its creator, ...
  bool is_loop = false;                    // the task stands for all iterations of a loop
  std::map<size_t, ThreadOfTeam> threads;  // by level, those that are threads
};

// The first strand that begins with a join and that both accesses precede.
struct ReportedJoin {
  uint64_t task = 0;
  uint64_t strand = 0;
  Stack stack;
};

struct ReportedRace {
  std::string race_class;  // race, lock-order
  std::string kind;        // write-read, ...
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t count = 0;
  ReportedAccess accesses[2];
  ReportedLocation location;
  std::optional<ReportedJoin> joined;
  std::vector<std::string> also_on;  // other variables that the same two lines race on
  uint64_t cause = 0;                // equal for races that one missing join explains (cause.h)
  std::vector<size_t> runs;          // of Report::runs, those that it was seen in
  bool known = false;                // the baseline has it
};

// A task of a deadlock.
struct ReportedWait {
  uint64_t task = 0;
  std::string what;  // it waits for
  Stack stack;       // empty after main
  Stack made;        // what it waits for; empty: unknown
  std::vector<Stack> created;
  std::vector<uint64_t> ancestors;       // as long as `created`, or empty
  std::map<size_t, int64_t> iterations;  // by level, as for an access
  std::map<size_t, ThreadOfTeam> threads;
  size_t run = 0;  // of Report::runs
};

struct ReportedMessage {
  std::string severity;  // error, warning
  std::string text;
  std::vector<std::pair<std::string, Stack>> stacks;
};

// One run among those that a merged report was made of.
struct ReportedRun {
  std::string file;  // that its report was read from
  std::string program;
  int64_t pid = 0;
  std::optional<int> rank;  // among the processes that a launcher such as mpirun has started
  std::optional<int> exit_code;
  std::string exec;
  std::string engine;
  std::string why;
  std::string history;
  uint64_t reports = 0;
  bool complete = true;  // all of the run was checked, as far as it was instrumented
  std::string summary;
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, int64_t>> stats;

  // "rank 2 (process 7)": what tells it from other runs.
  std::string Name() const;
};

// Lines of source files by file and number.
using SourceLines = std::map<std::string, std::map<uint32_t, std::string>>;

struct Report {
  std::string program;
  int64_t pid = 0;
  bool forked = false;
  std::string engine;
  std::string why;  // the engine was taken; empty: the user named it
  std::string history;
  Options options;
  std::vector<ReportedRace> races;
  uint64_t occurrences = 0;  // of the races reported or left out
  uint64_t left_out = 0;     // reports beyond max_races
  uint64_t suppressed = 0;   // reports
  uint64_t waiting = 0;      // how many tasks; the first ones are in `deadlock`
  std::optional<std::vector<ReportedWait>> deadlock;
  std::vector<Suppression> rules;
  std::vector<ReportedMessage> messages;
  std::vector<std::pair<std::string, int64_t>> stats;
  // Of a run whose report is being made or was read, just itself.
  std::vector<ReportedRun> runs;
  // The lines that the report names and those around them, as they were when it was made.
  SourceLines sources;
  bool has_baseline = false;       // races that are not known are new
  std::string summary;             // the closing line, without "taskrace: "
  std::vector<std::string> notes;  // hints for the user
  // What follows is known only where the report is made; `summary` and `notes` say it to readers.
  std::optional<LoggedEnd> end;
  bool any_instrumented = true;  // a module with instrumentation was loaded
  bool warned = false;           // the run itself gave a warning
  bool blind_spots = false;      // a message lists code that was not instrumented
  bool foreign_tasks =
      false;  // a message warns of tasks that are not created by the task interface
  bool lines_missing = false;      // an access has no source line
  std::string symbolizer_problem;  // why no functions and lines are known; empty: they are

  uint64_t Reports() const { return races.size() + left_out; }
  // What the process exits with; none if it was killed. A deadlock goes over races.
  std::optional<int> ExitCode() const;
  // There is an error message: the list of races may be incomplete.
  bool HasErrors() const;
  // The run was checked from its beginning to its end, as far as it was instrumented.
  bool IsComplete() const;
  // A whole run was checked, and there was nothing to check.
  bool MadeNoTasks() const;
  // The counter's value, 0 if there is none.
  int64_t Stat(const std::string& name) const;
};

// The source line that an access is deduplicated by: the innermost line of the user, so that the
// many accesses inside one push_back are one site. Without lines, the code address.
std::string Site(const ReportedAccess& access);

// Makes a report of a log, with the suppressions that its options name. A suppression file that
// cannot be read becomes an error message in the report.
Report MakeReport(const Log& log);

}  // namespace taskrace::report
