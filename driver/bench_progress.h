// What `taskrace bench` says while it works, on standard error: on a terminal one line that
// changes, elsewhere a line a program.
//
// Thread rule: any thread. Cost: a write.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace taskrace::driver {

class Progress {
 public:
  Progress();
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A new state of affairs; `step` only where the line can change.
  void Show(const std::string& what, const std::string& step = "");
  // A line that stays.
  void Say(const std::string& text);
  void Clear();

 private:
  void ClearLocked();

  std::mutex mutex_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool terminal_;
  bool shown_ = false;
  std::string last_;
};

}  // namespace taskrace::driver
