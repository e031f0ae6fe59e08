#include "driver/say.h"

#include <fmt/format.h>

#include <cstdio>

namespace taskrace::driver {

int Fail(std::string_view text) {
  fmt::print(stderr, "taskrace: error: {}\n", text);
  return kExitBad;
}

}  // namespace taskrace::driver
