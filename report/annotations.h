// Races as one line each for programs that look for lines: compilers' messages for editors, and the
// commands that GitHub reads from the output of a workflow.
//
// Thread rule: pure. Cost: linear in the report.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

// "file:line:column: warning: ..." and notes, as gcc writes them.
std::string RenderGcc(const Report& report);
// "::error file=...,line=...::...": annotations of a GitHub workflow.
std::string RenderGithub(const Report& report);

}  // namespace taskrace::report
