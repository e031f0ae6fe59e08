#include "report/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "report/bytes.h"

namespace taskrace::report {
namespace {

// O_NONBLOCK: a pipe without a reader is an error, not a wait.
constexpr int kFlags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

Error CannotWrite(const std::string& path) {
  const bool link = errno == ELOOP;
  return Error{
      fmt::format("cannot write {}: {}", Printable(path),
                  link ? "it is a symbolic link; name the file itself" : std::strerror(errno))};
}

mode_t NewFileMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0644 & ~mask;
}

bool WriteAndClose(int descriptor, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t n = write(descriptor, contents.data(), contents.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int problem = errno;
      close(descriptor);
      errno = problem;
      return false;
    }
    contents.remove_prefix(static_cast<size_t>(n));
  }
  return close(descriptor) == 0;
}

}  // namespace

std::string OutputPath(const std::string& name, int64_t pid, bool forked, std::optional<int> rank) {
  std::string path;
  bool has_pid = false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '%' && i + 1 < name.size() && name[i + 1] == 'p') {
      path += std::to_string(pid);
      has_pid = true;
      ++i;
    } else {
      path += name[i];
    }
  }
  if (rank && !has_pid) path += fmt::format(".rank{}", *rank);
  if (forked && !has_pid) path += fmt::format(".{}", pid);
  return path;
}

Result<bool> WriteOutputFile(const std::string& path, std::string_view contents) {
  struct stat status;
  const bool exists = lstat(path.c_str(), &status) == 0;
  const bool may_replace = !exists || S_ISREG(status.st_mode);
  std::string beside = path + ".XXXXXX";
  const int replacement = may_replace ? mkostemp(beside.data(), O_CLOEXEC) : -1;
  if (replacement < 0) {
    const int descriptor = open(path.c_str(), kFlags | O_CREAT | O_TRUNC, 0644);
    return descriptor >= 0 && WriteAndClose(descriptor, contents) ? Result<bool>(true)
                                                                  : CannotWrite(path);
  }
  const bool is_ready = fchmod(replacement, exists ? status.st_mode & 0777 : NewFileMode()) == 0;
  if (WriteAndClose(replacement, contents) && is_ready &&
      rename(beside.c_str(), path.c_str()) == 0) {
    return true;
  }
  Error error = CannotWrite(path);
  unlink(beside.c_str());
  return error;
}

Result<bool> ProbeOutputFile(const std::string& path) {
  int descriptor = open(path.c_str(), kFlags);
  if (descriptor < 0 && errno == ENOENT) {
    descriptor = open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0644);
    if (descriptor >= 0) unlink(path.c_str());
  }
  if (descriptor < 0) return CannotWrite(path);
  close(descriptor);
  return true;
}

}  // namespace taskrace::report
