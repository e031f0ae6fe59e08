// Saved reports: what json.h has written, read again.
//
// A report that is read renders to the same text as the one that was written. Thread rule: values.
// Cost: linear in the file.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"
#include "report/result.h"

namespace taskrace::report {

// The error names the file and says whether it is truncated, not a report, or of a newer version.
Result<Report> ReadReport(const std::string& path);
// The same of its text.
Result<Report> ParseReport(std::string_view text, const std::string& path);

}  // namespace taskrace::report
