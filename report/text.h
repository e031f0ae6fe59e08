// The report as text, for a person.
//
// Thread rule: pure.
#pragma once

#include <string>

#include "report/report.h"
#include "report/wrap.h"

namespace taskrace::report {

// Empty if there is nothing to say. The last line is the summary.
std::string RenderText(const Report& report, bool color, size_t width = kWidth);
// That of the terminal there, at most kWidth; kWidth if there is none.
size_t TerminalWidth(int descriptor = 2);

// Whether the text that is written there is to be coloured: option `color`, NO_COLOR, the terminal.
bool WantsColor(const std::string& option, int descriptor = 2);

}  // namespace taskrace::report
