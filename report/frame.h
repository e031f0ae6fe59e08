// A stack frame for people, and the judgements about frames: is it ours, is it the system's, is it
// the user's code.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace taskrace::report {

struct Frame {
  std::string function;  // demangled; empty if unknown
  std::string file;      // absolute and without dots where known; empty if there is no line
  uint32_t line = 0;
  uint32_t column = 0;
  std::string module{};  // path of the executable or library; empty if unknown
  uint64_t offset = 0;   // in the module, or the address itself if there is none
  bool library = false;  // Libraries covers its file
  // What of the function it is, if the compiler has split it: "parallel region", "task".
  std::string part{};
  bool operator==(const Frame&) const = default;
};
using Stack = std::vector<Frame>;  // innermost first, inlined frames expanded

// Never shown: the inside of our runtime and of sanitizers, and what starts a process.
bool IsPlumbing(const Frame& frame);
// Part of our headers, compiled into the program.
bool IsMachinery(const Frame& frame);
// Part of the standard library, or of another header or library of the system or the user's choice.
bool IsSystem(const Frame& frame);

// `stack` without plumbing, without what called main, and without machinery, unless nothing else
// would be left: a task's body may be inlined there.
Stack Visible(const Stack& stack);
// The innermost frame that is the user's own, if possible with a line; the innermost one if none
// is. Null: no frame at all.
const Frame* UserFrame(const Stack& stack);

// The user's innermost frame has no line, though one further out has: the optimiser has lost it.
bool LostItsLine(const Stack& stack);

// "a/./b/../c" -> "a/c".
std::string CleanPath(const std::string& path);
// How a report writes a path: relative to the current directory if it lies inside.
std::string ShownPath(const std::string& path);
std::string BaseName(const std::string& path);

}  // namespace taskrace::report
