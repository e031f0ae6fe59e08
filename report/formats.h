// The formats of a report, by the names that options have for them.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace taskrace::report {

// `format`: one of json, html, sarif, github, gcc; anything else is text without colour.
std::string RenderAs(std::string_view format, const Report& report);

// The options of a run that name a file; each has the name of its format.
struct OutputOption {
  std::string_view name;
  std::string Options::* file;
};
inline constexpr OutputOption kOutputOptions[] = {
    {"json", &Options::json}, {"html", &Options::html}, {"sarif", &Options::sarif}};

}  // namespace taskrace::report
