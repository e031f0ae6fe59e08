// The reporter, run on a log: `taskrace render`, which stands beside this library.
//
// It runs apart (apart.h). How it ended is for messages only: what counts is the verdict that it
// leaves in the log. Thread rule: any thread, also in signal handlers. Cost: a process or two.
#pragma once

#include "detect/ds/check.h"

namespace taskrace {

enum class Rendering {
  kFull,         // the report; then the log is deleted
  kKeepLog,      // the report; the log stays for `taskrace run` to see its verdict
  kVerdictOnly,  // nothing but the verdict
};

// Runs the reporter to its end. `is_secure` (a set-uid program): with the rights of the user who started the
// program, and in a clean environment.
struct ReporterEnd {
  int problem;  // the errno for which it could not be started, or 0
  int status;   // as of waitpid; -1: not known
};
ReporterEnd RunReporter(const char* log, Rendering rendering, bool is_secure);

// Adds a clause about the end of a reporter that gave no verdict.
void Describe(ReporterEnd end, FixedLine& line);

}  // namespace taskrace
