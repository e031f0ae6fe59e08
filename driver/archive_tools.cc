#include "driver/archive_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "driver/say.h"
#include "report/find_program.h"

namespace taskrace::driver {

int RunArchiveTool(const std::string& name, std::vector<std::string> arguments) {
  const std::string configured = name == "llvm-ar" ? TASKRACE_AR_PATH : TASKRACE_RANLIB_PATH;
  const char* variable = name == "llvm-ar" ? "TASKRACE_AR" : "TASKRACE_RANLIB";
  const std::string tool = report::FindProgram(variable, configured, {name + "-19", name});
  if (tool.empty()) return Fail(fmt::format("{}-19 was not found; install llvm-19", name));
  std::vector<char*> words = {const_cast<char*>(tool.c_str())};
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  execv(tool.c_str(), words.data());
  return Fail(fmt::format("cannot run {}: {}", tool, std::strerror(errno)));
}

}  // namespace taskrace::driver
