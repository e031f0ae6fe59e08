// ReportingLock: one thread at a time writes to the log, and a thread that has it may take it again: a
// race that is written may end the program, and a signal may come in the middle.
//
// Thread rule: any thread, also in signal handlers. Cost: two atomic operations without contention.
#pragma once

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace taskrace {

class ReportingLock {
 public:
  class Guard {
   public:
    explicit Guard(ReportingLock& lock) : lock_(lock) { lock.Lock(); }
    ~Guard() { lock_.Unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    ReportingLock& lock_;
  };

  bool IsHeldHere() const { return owner_.load(std::memory_order_relaxed) == pthread_self(); }
  // What a guard does, for the handlers of fork, between which none can live.
  void Lock() {
    if (!IsHeldHere()) {
      const pthread_t self = pthread_self();
      for (pthread_t nobody = 0;
           !owner_.compare_exchange_weak(nobody, self, std::memory_order_acquire); nobody = 0) {
        // libc's function is interposed.
        syscall(SYS_sched_yield);
      }
    }
    ++depth_;
  }
  void Unlock() {
    if (--depth_ == 0) owner_.store(0, std::memory_order_release);
  }

 private:
  std::atomic<pthread_t> owner_{0};
  unsigned depth_ = 0;
};

}  // namespace taskrace
