// Finding the programs that taskrace calls: clang, the symbolizer, the linker.
//
// Thread rule: reads the environment. Cost: a few access(2) calls.
#pragma once

#include <string>
#include <vector>

namespace taskrace::report {

// An executable file: `override_variable` in the environment if set (even if nothing is there, so
// that a wrong setting is seen), else `configured` (the path found when taskrace was built), else
// the first of `names` in PATH. Empty: none.
std::string FindProgram(const char* override_variable, const std::string& configured,
                        const std::vector<std::string>& names);

// `name` as the shell would find it: a path if it has a slash, else looked up in PATH. Empty: none.
std::string SearchPath(const std::string& name);

bool IsExecutableFile(const std::string& path);

}  // namespace taskrace::report
