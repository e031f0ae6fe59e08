// SpinLock: a lock to be held for some tens of instructions. A thread that waits longer yields its processor,
// because the holder may be waiting for one; by a direct system call, as libc's function is interposed.
//
// Thread rule: any thread; a signal handler only if IsHeldHere() is false.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace taskrace {

class SpinLock {
 public:
  constexpr SpinLock() = default;

  // True while this thread has or takes one.
  static bool IsHeldHere() { return held_here_ != 0; }

  class Guard {
   public:
    explicit Guard(SpinLock& lock) : lock_(lock) { lock.Lock(); }
    ~Guard() { lock_.Unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    SpinLock& lock_;
  };

  // What a guard does, for the handlers of fork, between which none can live.
  void Lock() {
    ++held_here_;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    for (unsigned tries = 1; held_.exchange(true, std::memory_order_acquire); ++tries) {
      if (tries % kPatience == 0) {
        syscall(SYS_sched_yield);
      } else {
        __builtin_ia32_pause();
      }
    }
  }
  void Unlock() {
    held_.store(false, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --held_here_;
  }

 private:
  static constexpr unsigned kPatience = 64;

  static inline constinit thread_local int held_here_ __attribute__((tls_model("initial-exec"))) =
      0;
  std::atomic<bool> held_{false};
};

}  // namespace taskrace
