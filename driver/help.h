// What `taskrace help` prints.
#pragma once

#include <string>

namespace taskrace::driver {

// The page of a subcommand, or of taskrace itself for "". Returns the exit code.
int Help(const std::string& topic);

}  // namespace taskrace::driver
