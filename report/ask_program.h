// Runs a program on an input, for its output, and not for ever.
//
// A program that says nothing for longer than the limit is killed. Ctrl-C ends the program and not
// the caller, which still has a report to print. Thread rule: one thread. Cost: a process.
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace taskrace::report {

// What the program prints when it gets `input`; or a clause that says why there is nothing.
// `silence`: seconds without a byte of output.
Result<std::string> AskProgram(std::vector<std::string> command, const std::string& input,
                               int silence);

}  // namespace taskrace::report
