// Hints beside a report: what is missing in it, and what to do about that.
//
// Thread rule: a pure function.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace taskrace::report {

// One sentence each, in lower case.
std::vector<std::string> Notes(const Report& report);

}  // namespace taskrace::report
