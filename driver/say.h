// What the driver says about its own failures.
#pragma once

#include <string_view>

namespace taskrace::driver {

// A user's mistake or a missing part.
inline constexpr int kExitBad = 2;

// One line on standard error, "taskrace: error: ..."; returns kExitBad.
int Fail(std::string_view text);

}  // namespace taskrace::driver
