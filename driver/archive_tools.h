// taskrace-llvm-ar and taskrace-llvm-ranlib: LLVM's own, by the names that CMake looks for beside a
// compiler called taskrace-c++ when link-time optimisation is asked for.
#pragma once

#include <string>
#include <vector>

namespace taskrace::driver {

// `name` is "llvm-ar" or "llvm-ranlib". Does not return if the tool could be started.
int RunArchiveTool(const std::string& name, std::vector<std::string> arguments);

}  // namespace taskrace::driver
