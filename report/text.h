// The report as text, for a person.
//
// Thread rule: pure, but reads source files for excerpts.
#pragma once

#include <string>

#include "report/report.h"
#include "report/wrap.h"

namespace taskrace::report {

// Empty if there is nothing to say. The last line is the summary.
std::string RenderText(const Report& report, bool color, size_t width = kWidth);
// That of the terminal on standard error, at most kWidth; kWidth if there is none.
size_t TerminalWidth();

// Whether the text on standard error is to be coloured: option `color`, NO_COLOR, the terminal.
bool WantsColor(const std::string& option);

}  // namespace taskrace::report
