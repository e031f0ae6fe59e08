#include "driver/log_directory.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

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
    files.push_back(entry.path().string());
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

bool LogDirectory::HasReportedBeforeExec(pid_t process) const {
  return std::filesystem::exists(fmt::format("{}/{}.{}", path_, kReportedBeforeExec, process));
}

bool LogDirectory::RenderLeftovers() const {
  bool reported = false;
  for (const std::string& file : Files(path_)) {
    // A log without even its first line has nothing to tell.
    const auto log = report::ReadLog(file);
    if (log && IsAlive(log->pid)) continue;
    if (log) reported |= report::Render(file, report::RenderMode::kFull) == kReported;
    unlink(file.c_str());
  }
  return reported;
}

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
