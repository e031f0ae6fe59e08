// The report as JSON, for programs.
//
// docs/report.schema.json describes it; read_report.h reads it. Always valid JSON in UTF-8, whatever bytes names have. Thread rule: pure.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

// The number of the format: a change that readers must know of raises it.
inline constexpr int kReportSchema = 1;

std::string RenderJson(const Report& report);

}  // namespace taskrace::report
