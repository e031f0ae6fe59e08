// `taskrace run`: checks everything, runs the program under detection, and renders what it could
// not render itself.
#pragma once

#include <string>
#include <vector>

namespace taskrace::driver {

// The program's exit code, 128 + signal, or 2 with nothing run.
int Run(const std::vector<std::string>& arguments);

}  // namespace taskrace::driver
