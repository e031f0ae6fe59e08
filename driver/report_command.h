// `taskrace report`: saved reports in, one report out.
#pragma once

#include <string>
#include <vector>

namespace taskrace::driver {

// Returns the exit code: 0, 66 if there are races and the options ask for it, 2 if a file could not be read.
int ReportCommand(const std::vector<std::string>& arguments);

}  // namespace taskrace::driver
