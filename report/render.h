// Log in, report out: text to standard error, other formats to the files that the log's options name.
//
// Thread rule: one thread; writes files.
#pragma once

#include <string>

namespace taskrace::report {

enum class RenderMode {
  kFull,         // print, write, delete the log
  kKeepLog,      // print, write
  kVerdictOnly,  // only answer
};

// Beside a log: if there is such a folder, the report goes there, as JSON, and nowhere else. `taskrace run --merge` makes it.
inline constexpr char kMergeFolder[] = "merge";

// Leaves its verdict in the log. Returns the exit code of the reporter (log_format.h): 0, kReported, or 2 if it failed itself.
int Render(const std::string& log_path, RenderMode mode);

}  // namespace taskrace::report
