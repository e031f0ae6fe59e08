#include "report/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

}  // namespace

std::string OutputPath(const std::string& name, int64_t pid, bool forked) {
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
  if (forked && !has_pid) path += fmt::format(".{}", pid);
  return path;
}

Result<bool> WriteOutputFile(const std::string& path, std::string_view contents) {
  const int descriptor = open(path.c_str(), kFlags | O_CREAT | O_TRUNC, 0644);
  if (descriptor < 0) return CannotWrite(path);
  while (!contents.empty()) {
    const ssize_t n = write(descriptor, contents.data(), contents.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      Error error = CannotWrite(path);
      close(descriptor);
      return error;
    }
    contents.remove_prefix(static_cast<size_t>(n));
  }
  if (close(descriptor) != 0) return CannotWrite(path);
  return true;
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
