// The report as one HTML file that works without a network.
//
// html/ has the page: markup, style and script, as files that the build packs into this library. Here the report
// becomes data for the script; every word that comes from the program is data and reaches the page as
// text only. Thread rule: pure. Cost: linear in the report.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

std::string RenderHtml(const Report& report);

}  // namespace taskrace::report
