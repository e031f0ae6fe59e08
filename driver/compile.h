// `taskrace c++` and `taskrace cc`: clang with the pass, the headers and the runtime added.
//
// Every argument of the user passes through unchanged and in its place; ours go in front, so that
// the user's win. Thread rule: none. Cost: a few system calls, then exec.
#pragma once

#include <string>
#include <vector>

#include "driver/parts.h"
#include "report/result.h"

namespace taskrace::driver {

// What clang is called with (without its name) for the user's arguments.
report::Result<std::vector<std::string>> ClangArguments(const std::vector<std::string>& user,
                                                        const Parts& parts);

// Does not return if clang could be started.
int Compile(const std::vector<std::string>& user, bool cxx);

}  // namespace taskrace::driver
