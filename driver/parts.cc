#include "driver/parts.h"

#include <filesystem>

#include "report/find_program.h"

namespace taskrace::driver {

Parts FindParts() {
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return {self.parent_path().parent_path().string()};
}

std::string FindClang(bool cxx) {
  return cxx ? report::FindProgram("TASKRACE_CLANGXX", TASKRACE_CLANGXX_PATH, {"clang++-19"})
             : report::FindProgram("TASKRACE_CLANG", TASKRACE_CLANG_PATH, {"clang-19"});
}

std::string FindLinker() {
  return report::FindProgram("TASKRACE_LLD", TASKRACE_LLD_PATH, {"ld.lld-19"});
}

}  // namespace taskrace::driver
