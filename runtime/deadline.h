// Deadline: the end of a wait on the monotonic clock, whatever clock the program gave it for.
//
// Thread rule: any; a value. Cost: two questions for the time.
#pragma once

#include <time.h>

namespace taskrace {

class Deadline {
 public:
  // until: on this clock; null: there is none.
  Deadline(clockid_t clock, const timespec* until) {
    if (until == nullptr) return;
    is_set_ = true;
    at_ = *until;
    if (clock == CLOCK_MONOTONIC) return;
    timespec now;
    clock_gettime(clock, &now);
    SetIn(until->tv_sec - now.tv_sec, until->tv_nsec - now.tv_nsec);
  }
  // In so much time.
  static Deadline After(const timespec* duration) {
    Deadline deadline(CLOCK_MONOTONIC, nullptr);
    if (duration != nullptr) deadline.SetIn(duration->tv_sec, duration->tv_nsec);
    return deadline;
  }

  const timespec* monotonic() const { return is_set_ ? &at_ : nullptr; }

 private:
  static constexpr long kSecond = 1'000'000'000;

  void SetIn(long seconds, long nanoseconds) {
    is_set_ = true;
    clock_gettime(CLOCK_MONOTONIC, &at_);
    at_.tv_sec += seconds + (at_.tv_nsec + nanoseconds + kSecond) / kSecond - 1;
    at_.tv_nsec = (at_.tv_nsec + nanoseconds + kSecond) % kSecond;
    if (at_.tv_sec < 0) at_ = {};
  }

  bool is_set_ = false;
  timespec at_ = {};
};

}  // namespace taskrace
