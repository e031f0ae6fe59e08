// The report as SARIF 2.1.0 (OASIS), which build servers and editors show beside the source.
//
// A race is a result at the later access, with the other one as a related location, and a code flow of two
// threads: the creations and calls that lead to each access. Thread rule: pure. Cost: linear in the report.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

std::string RenderSarif(const Report& report);

}  // namespace taskrace::report
