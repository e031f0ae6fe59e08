// The report as JSON, for programs.
//
// Always valid JSON in UTF-8, whatever bytes names have. Thread rule: pure.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

std::string RenderJson(const Report& report);

}  // namespace taskrace::report
