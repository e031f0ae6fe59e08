// The private directory that one `taskrace run` keeps its logs in.
//
// A process renders its own log when it ends and deletes it. What is left belongs to a process that
// was killed, which is rendered here, or that still runs, which is left alone. Thread rule: one
// thread. Cost: a few system calls.
#pragma once

#include <sys/types.h>

#include <string>

#include "report/result.h"

namespace taskrace::driver {

class LogDirectory {
 public:
  // Makes one in `parent`, or in TMPDIR or /tmp if that is empty.
  static report::Result<LogDirectory> Make(const std::string& parent);

  const std::string& path() const { return path_; }
  // Races of the process were reported before it replaced itself with another program.
  bool HasReportedBeforeExec(pid_t process) const;
  // Renders the logs of processes that are gone; true if one of them had races to report.
  bool RenderLeftovers() const;
  // Removes the directory, unless a process still writes to it.
  void Remove() const;

  // For whoever rendered `log_path`: removes its directory if it was the last log there and the run
  // that made the directory is over.
  static void RemoveIfAbandoned(const std::string& log_path);

 private:
  explicit LogDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace taskrace::driver
