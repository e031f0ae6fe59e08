// Numbers of things in a sentence: "1 race", "3 races".
//
// Thread rule: a pure function.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace taskrace::report {

inline std::string Counted(uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace taskrace::report
