// Running a program and taking what it prints.
//
// Thread rule: one thread.
#pragma once

#include <string>
#include <vector>

namespace taskrace::driver {

struct Output {
  int exit_code = -1;  // -1: could not be run, or ended by a signal
  std::string text;    // standard output and standard error
};
// Runs `command` with nothing on its standard input.
Output RunForOutput(std::vector<std::string> command);

}  // namespace taskrace::driver
