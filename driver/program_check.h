// Is there anything in a program that taskrace can watch? Asked before it runs, without running it.
//
// Thread rule: none needed. Cost: the program's section headers; for a program that is not
// instrumented itself also its libraries.
#pragma once

#include <string>

#include "report/result.h"

namespace taskrace::driver {

// The path of the program to run for `name`, as the shell would find it; or why it cannot be run
// under detection: not there, not a program, not instrumented, instrumented for another version.
report::Result<std::string> CheckProgram(const std::string& name);

}  // namespace taskrace::driver
