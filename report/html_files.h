// The files of html/, as the build has packed them (cmake/pack.cmake).
#pragma once

#include <string_view>

namespace taskrace::report {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;

}  // namespace taskrace::report
