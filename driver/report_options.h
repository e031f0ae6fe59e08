// The command line of `taskrace report`.
//
// Thread rule: values. Cost: linear in the arguments.
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace taskrace::driver {

struct ReportRequest {
  std::vector<std::string> files;
  std::string format = "text";
  std::string output;  // empty: standard output
  std::string baseline;
  std::string known = "mark";
  std::string fail_on = "any";
  bool help = false;
};

report::Result<ReportRequest> ReadReportRequest(const std::vector<std::string>& arguments);

// All options, for `taskrace help report`.
std::string ReportOptionsHelp();

}  // namespace taskrace::driver
