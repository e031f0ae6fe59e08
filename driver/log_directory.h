// The private directory that one `taskrace run` keeps its logs in.
//
// A process has its own log rendered when it ends, and deletes it. What is left belongs to a process
// that was killed or whose reporter was, which is rendered here; to one that has replaced itself
// with another program, which has its verdict; or to one that still runs, which is left alone. Thread
// rule: one thread. Cost: a few system calls.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "report/log.h"
#include "report/result.h"

namespace taskrace::driver {

// What the logs say that were left behind.
struct Leftovers {
  bool reported = false;  // races
  bool failed = false;    // a report could not be written
  // Of the program itself, if its log is among those that were rendered here.
  bool has_program = false;
  std::optional<report::LoggedEnd> end;
};

// The right to render a log: the reporter that a killed program has left may still be at it.
class LogClaim {
 public:
  // Waits for it.
  explicit LogClaim(const std::string& log_path);
  ~LogClaim();
  LogClaim(const LogClaim&) = delete;
  LogClaim& operator=(const LogClaim&) = delete;
  // A path of the file, even if it was deleted meanwhile.
  std::string path() const;

 private:
  int descriptor_;
};

class LogDirectory {
 public:
  // Makes one in `parent`, or in TMPDIR or /tmp if that is empty.
  static report::Result<LogDirectory> Make(const std::string& parent);

  const std::string& path() const { return path_; }
  // Renders the logs of processes that are gone. `program`: the one that was run.
  Leftovers RenderLeftovers(pid_t program) const;
  // Removes the directory, unless a process still writes to it.
  void Remove() const;

  // To be called after `log_path` was rendered: removes its directory if it was the last log there and the run
  // that made the directory is over.
  static void RemoveIfAbandoned(const std::string& log_path);

 private:
  explicit LogDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace taskrace::driver
