// Which version a tool says it has.
//
// Thread rule: one thread. Cost: a run of the tool.
#pragma once

#include <string>

namespace taskrace::driver {

// The line of its --version that names the version, printable; the first one if none does.
std::string VersionOf(const std::string& program);

}  // namespace taskrace::driver
