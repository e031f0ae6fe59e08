// The sample program's log and source, for tests.
#pragma once

#include <string>

#include "report/log.h"

namespace taskrace::report {

// A directory that is gone when the object is.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

enum class Ending { kExit, kDeadlock };

// Has the sample program write its log to `path`.
void WriteSampleLog(const std::string& path, const std::string& options,
                    Ending ending = Ending::kExit);
// That log, read.
Log SampleLog(const std::string& options = "", Ending ending = Ending::kExit);
// The line of the sample program's source that has this comment.
unsigned SampleLine(const std::string& comment);

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& contents);

}  // namespace taskrace::report
