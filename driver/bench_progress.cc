#include "driver/bench_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace taskrace::driver {
namespace {

size_t TerminalColumns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::Show(const std::string& what, const std::string& step) {
  const std::lock_guard lock(mutex_);
  if (!terminal_) {
    if (what != last_) fmt::print(stderr, "taskrace: {}\n", what);
    last_ = what;
    return;
  }
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_)
          .count();
  std::string line = fmt::format("{}:{:02} {}{}{}", seconds / 60, seconds % 60, what,
                                 step.empty() ? "" : ": ", step);
  // A longer line would break, and could not be cleared.
  if (line.size() >= TerminalColumns()) line.resize(TerminalColumns() - 1);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::Say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  ClearLocked();
  fmt::print(stderr, "{}\n", text);
}

void Progress::Clear() {
  const std::lock_guard lock(mutex_);
  ClearLocked();
}

void Progress::ClearLocked() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace taskrace::driver
