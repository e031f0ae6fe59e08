// Files that a report is written to. Symbolic links are not followed: another user may have put one there.
//
// Thread rule: none needed. Cost: a few system calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/result.h"

namespace taskrace::report {

// `%p` becomes the process id. A forked process must not write over its parent's file: without %p
// in the name, ".PID" is appended. A process with a rank appends ".rankN" then.
std::string OutputPath(const std::string& name, int64_t pid, bool forked,
                       std::optional<int> rank = std::nullopt);

// Replaces the file's contents, or leaves them if that fails; creates it if need be. What is not a
// regular file, or in a directory that cannot be written, is written in place.
Result<bool> WriteOutputFile(const std::string& path, std::string_view contents);

// Whether WriteOutputFile would work; leaves nothing behind.
Result<bool> ProbeOutputFile(const std::string& path);

}  // namespace taskrace::report
