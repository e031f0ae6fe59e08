// The report as text, for a person at a terminal of 100 columns.
//
// Thread rule: pure, but reads source files for excerpts.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

// Empty if there is nothing to say. The last line is the summary.
std::string RenderText(const Report& report, bool color);

// Whether the text on standard error is to be coloured: option `color`, NO_COLOR, the terminal.
bool WantsColor(const std::string& option);

}  // namespace taskrace::report
