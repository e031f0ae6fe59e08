#include "report/find_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace taskrace::report {

bool IsExecutableFile(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

std::string SearchPath(const std::string& name) {
  if (name.find('/') != std::string::npos) return IsExecutableFile(name) ? name : "";
  const char* variable = std::getenv("PATH");
  std::string_view path = variable != nullptr ? variable : "/usr/bin:/bin";
  for (;;) {
    const size_t end = path.find(':');
    const std::string directory(path.substr(0, end));
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (IsExecutableFile(candidate)) return candidate;
    if (end == std::string_view::npos) return "";
    path.remove_prefix(end + 1);
  }
}

std::string FindProgram(const char* override_variable, const std::string& configured,
                        const std::vector<std::string>& names) {
  if (const char* chosen = secure_getenv(override_variable); chosen != nullptr && *chosen != '\0') {
    return SearchPath(chosen);
  }
  if (!configured.empty() && IsExecutableFile(configured)) return configured;
  for (const std::string& name : names) {
    if (std::string found = SearchPath(name); !found.empty()) return found;
  }
  return "";
}

}  // namespace taskrace::report
