// Numbers of workers, for tasks that ask for theirs (taskrace::this_worker).
//
// In a parallel run two tasks on one worker do not run at the same time, and which tasks those are
// is up to the schedule. Here tasks that ask get numbers in turn, and hold a lock that stands for
// their number until they end: slots that are indexed by the number do not race among tasks of one
// number, and race with everything else.
// Missed: a race between two tasks that have the same number by chance. Thread rule: the worker of
// a serial run. Cost: O(locks held).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace taskrace {

class WorkerNumbers {
 public:
  static constexpr unsigned kWorkers = 8;  // the same on every machine, so that reports are, too
  static constexpr unsigned kNone = kWorkers;

  // The number that this lock stands for; kNone: it is a lock of the program.
  unsigned NumberOf(uintptr_t lock) const {
    const uintptr_t number = lock - reinterpret_cast<uintptr_t>(locks_);
    return number < kWorkers ? static_cast<unsigned>(number) : kNone;
  }
  uintptr_t LockOf(unsigned number) const { return reinterpret_cast<uintptr_t>(&locks_[number]); }

  // That of a task which holds these locks, below `workers`; kNone: it has none yet.
  unsigned NumberOf(std::span<const uintptr_t> held, unsigned workers) const {
    for (uintptr_t lock : held) {
      const unsigned number = NumberOf(lock);
      if (number != kNone && number < workers) return number;
    }
    return kNone;
  }
  // For a task that asks for the first time, or with a smaller limit than before. A limit of 0 counts as 1.
  unsigned Take(unsigned workers) {
    const unsigned limit = workers < kWorkers ? workers : kWorkers;
    return static_cast<unsigned>(taken_++ % (limit == 0 ? 1 : limit));
  }

  // How many tasks have asked.
  uint64_t taken() const { return taken_; }

 private:
  char locks_[kWorkers] = {};  // only their addresses matter
  uint64_t taken_ = 0;
};

}  // namespace taskrace
