#include "report/frame.h"

#include <filesystem>

#include "report/function_name.h"

namespace taskrace::report {

bool IsMachinery(const Frame& frame) {
  return BaseName(frame.module).starts_with("libtaskrace_rt.so") ||
         frame.file.find("/include/taskrace/") != std::string::npos ||
         frame.file.starts_with("include/taskrace/") ||
         QualifiedName(frame.function).starts_with("taskrace::detail::") ||
         frame.function.starts_with("__taskrace_");
}

bool IsSystem(const Frame& frame) {
  if (frame.file.empty()) {
    return frame.function.empty() || QualifiedName(frame.function).starts_with("std::");
  }
  return frame.file.starts_with("/usr/include/") || frame.file.starts_with("/usr/lib/") ||
         frame.file.find("/include/c++/") != std::string::npos ||
         frame.file.find("/lib/clang/") != std::string::npos;
}

Stack Visible(const Stack& stack) {
  Stack visible;
  for (const Frame& frame : stack) {
    if (!IsMachinery(frame)) visible.push_back(frame);
    if (frame.function == "main") break;
  }
  return visible.empty() ? stack : visible;
}

const Frame* UserFrame(const Stack& stack) {
  for (const Frame& frame : stack) {
    if (!frame.file.empty() && !IsSystem(frame)) return &frame;
  }
  return stack.empty() ? nullptr : &stack.front();
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
