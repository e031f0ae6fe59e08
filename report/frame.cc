#include "report/frame.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "report/function_name.h"

namespace taskrace::report {

bool IsPlumbing(const Frame& frame) {
  if (BaseName(frame.module).starts_with("libtaskrace_") || frame.function == "_start") {
    return true;
  }
  constexpr std::string_view kBeginnings[] = {
      "__taskrace_",     "__libc_start_", "__asan_",      "__interceptor_",
      "___interceptor_", "__sanitizer::", "__sanitizer_", "__asan::"};
  const std::string name = QualifiedName(frame.function);
  return std::ranges::any_of(
      kBeginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

bool IsMachinery(const Frame& frame) {
  // Without a line, only the name shows whether a function is in our headers.
  return frame.file.find("/include/taskrace/") != std::string::npos ||
         frame.file.starts_with("include/taskrace/") ||
         QualifiedName(frame.function)
             .starts_with(frame.file.empty() ? "taskrace::" : "taskrace::detail::");
}

bool IsSystem(const Frame& frame) {
  if (frame.library) return true;
  if (frame.file.empty()) {
    return frame.function.empty() || QualifiedName(frame.function).starts_with("std::") ||
           frame.module.starts_with("/lib") || frame.module.starts_with("/usr/lib");
  }
  return frame.file.starts_with("/usr/include/") || frame.file.starts_with("/usr/lib/") ||
         frame.file.find("/include/c++/") != std::string::npos ||
         frame.file.find("/lib/clang/") != std::string::npos;
}

Stack Visible(const Stack& stack) {
  Stack compiled;  // by the user, templates of ours included
  Stack visible;
  for (const Frame& frame : stack) {
    if (!IsPlumbing(frame)) {
      // The body of a region and the function around it are one to the reader.
      if (!compiled.empty() && !frame.part.empty() && frame.part == compiled.back().part &&
          frame.function == compiled.back().function) {
        continue;
      }
      compiled.push_back(frame);
      if (!IsMachinery(frame)) visible.push_back(frame);
    }
    if (frame.function == "main") break;
  }
  return visible.empty() ? compiled : visible;
}

const Frame* UserFrame(const Stack& stack) {
  for (const Frame& frame : stack) {
    if (!frame.file.empty() && !IsSystem(frame)) return &frame;
  }
  for (const Frame& frame : stack) {
    if (!IsSystem(frame)) return &frame;
  }
  return stack.empty() ? nullptr : &stack.front();
}

bool LostItsLine(const Stack& stack) {
  const auto own = std::ranges::find_if_not(stack, IsSystem);
  return own != stack.end() && own->line == 0 && UserFrame(stack)->line != 0;
}

std::string CleanPath(const std::string& path) {
  return path.empty() ? path : std::filesystem::path(path).lexically_normal().string();
}

std::string ShownPath(const std::string& path) {
  static const std::string here = [] {
    std::error_code unknown;
    std::string directory = std::filesystem::current_path(unknown).string();
    if (!directory.ends_with('/')) directory += '/';
    return directory;
  }();
  return here.size() > 1 && path.starts_with(here) ? path.substr(here.size()) : path;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace taskrace::report
