// The closing line of the text: what was found, what that means, and which engine says so.
//
// Thread rule: a pure function. Cost: linear in the races and messages.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

// In one line, whatever its length; without "taskrace: ".
std::string Summary(const Report& report);

}  // namespace taskrace::report
