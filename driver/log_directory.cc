// The directory of the logs of one run, and rendering of logs that processes have left there.
//
// A log may be in use by three processes: the program, its reporter, and `taskrace run`. The reporter and
// `taskrace run` lock a log before they read it, and see from the verdict at its end that it was rendered.
#include "driver/log_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "driver/say.h"
#include "report/bytes.h"
#include "report/log.h"
#include "report/log_format.h"
#include "report/render.h"

namespace taskrace::driver {
namespace {

constexpr std::string_view kPrefix = "taskrace-run-";

bool IsAlive(int64_t process) {
  return process > 0 && (kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM);
}

std::vector<std::string> Files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(directory, problem)) {
    if (entry.is_regular_file(problem)) files.push_back(entry.path().string());
  }
  return files;
}

}  // namespace

report::Result<LogDirectory> LogDirectory::Make(const std::string& parent) {
  const char* temporary = std::getenv("TMPDIR");
  std::string where = !parent.empty()                              ? parent
                      : temporary != nullptr && *temporary != '\0' ? temporary
                                                                   : "/tmp";
  where = std::filesystem::absolute(where).lexically_normal().string();
  std::string path = fmt::format("{}/{}{}-XXXXXX", where, kPrefix, getpid());
  if (mkdtemp(path.data()) == nullptr) {
    return report::Error{fmt::format("cannot make a directory for the log in {}: {}; set TMPDIR",
                                     report::Printable(where), std::strerror(errno))};
  }
  return LogDirectory(std::move(path));
}

Leftovers LogDirectory::RenderLeftovers(pid_t program) const {
  Leftovers left;
  for (const std::string& file : Files(path_)) {
    const LogClaim claim(file);
    // A log without its first line has no information. One whose process lives is still being written.
    const auto log = report::ReadLog(claim.path());
    if (log && !log->verdict && IsAlive(log->pid)) continue;
    if (log && log->verdict) {
      left.reported |= log->verdict->reports > 0 && log->pid == program;
    } else if (log) {
      const int rendered = report::Render(file, report::RenderMode::kFull);
      left.reported |= rendered == kReported;
      left.failed |= rendered == kExitBad;
      if (log->pid == program) {
        left.has_program = true;
        left.end = log->end;
      }
    }
    unlink(file.c_str());
  }
  return left;
}

LogClaim::LogClaim(const std::string& log_path)
    : descriptor_(open(log_path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
  while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
}

LogClaim::~LogClaim() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string LogClaim::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

void LogDirectory::Remove() const { rmdir(path_.c_str()); }

void LogDirectory::RemoveIfAbandoned(const std::string& log_path) {
  const std::filesystem::path directory = std::filesystem::path(log_path).parent_path();
  const std::string name = directory.filename().string();
  if (!name.starts_with(kPrefix)) return;
  int64_t owner = 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), owner);
  if (!IsAlive(owner)) rmdir(directory.c_str());
}

}  // namespace taskrace::driver
