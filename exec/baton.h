// Baton: the threads of a program as operating-system threads of which one runs at a time.
//
// The thread that runs has the baton. The others are in line for it, blocked until another thread wakes them, or
// away: in a system call that may last. The order of the line decides what runs next:
//   create       the new thread runs first, its creator is first in line
//   block, end   the first in line runs
//   wake         the woken threads go to the end of the line, in the order in which they blocked
//   yield        to the end of the line
// If nobody is in line but a thread is away or blocked with a deadline, the baton lies free, and the first thread
// that comes back takes it. If nobody can come back, the program is in a deadlock.
// Without deadlines and system calls the order is the same in every run.
//
// Thread rule: the thread that has the baton, except AwaitTurn, Return, and Wake, which any thread may call.
// Cost: a switch is two futex calls. Nothing while nobody waits.
// Tested by: test/exec/baton_test.cc
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "detect/ds/spin_lock.h"

struct timespec;

namespace taskrace {

class Baton {
 public:
  // A thread of the program. It belongs to the caller and stays where it is until End.
  struct Thread {
    std::atomic<uint32_t> turn{0};  // 1: it has been given the baton; what the thread sleeps on
    Thread* next = nullptr;         // in line, or among the blocked
    const void* on = nullptr;       // what it waits for, while it is blocked
    bool is_blocked = false;
    bool has_deadline = false;
    bool is_late = false;  // the deadline has passed
  };

  // Called when no thread can run, by the last one that could. If it returns, a signal handler may wake one.
  explicit constexpr Baton(void (*on_deadlock)()) : on_deadlock_(on_deadlock) {}

  // The calling thread is the only one, and has the baton. Again in a child of fork.
  void Start(Thread& only);

  // The caller gives the baton to a new thread, which calls AwaitTurn, and is first in line.
  void Begin(Thread& caller, Thread& created);
  // Returns when the thread has the baton. True: because its deadline has passed.
  bool AwaitTurn(Thread& thread, const timespec* until = nullptr);
  // The calling thread gives the baton away for good.
  void End(Thread& caller);

  // The caller waits until another thread wakes what waits for `on`. `until`: on the monotonic clock, or null.
  // False: the time is up.
  bool Block(Thread& caller, const void* on, const timespec* until);
  // At most so many threads that wait for `on` are put in line, those that came first; returns how many.
  size_t Wake(const void* on, size_t most);
  // This thread, if it is blocked, is put in line.
  void WakeOne(Thread& thread);
  // Other threads in line run before the caller goes on. False: there are none.
  bool Yield(Thread& caller);

  // Around a system call that may last: others may run meanwhile. Leave gives the baton away, Return awaits it.
  void Leave(Thread& caller);
  void Return(Thread& caller);

  // All threads are away or blocked.
  bool LiesFree() const { return holder_ == nullptr; }
  bool HasLine() const { return first_.load(std::memory_order_relaxed) != nullptr; }
  uint64_t switches() const { return switches_; }
  // Calls visit(thread) for each that is blocked, in the order in which they blocked.
  template <class Visit>
  void ForEachBlocked(Visit visit) {
    for (Thread* thread = first_blocked_; thread != nullptr; thread = thread->next) visit(*thread);
  }

 private:
  void Append(Thread& thread);
  void Give(Thread& thread);
  // The next in line gets the baton. False: no thread can run, now or later.
  bool PassOn();
  void Unblock(Thread** link);
  // Puts a thread in line, or gives it the baton if that lies free.
  void Ready(Thread& thread);
  // The same for a thread that sleeps.
  void WakeUp(Thread& thread);

  void (*const on_deadlock_)();
  SpinLock lock_;
  Thread* holder_ = nullptr;  // null: the baton lies free
  std::atomic<Thread*> first_{nullptr};
  Thread* last_ = nullptr;
  Thread* first_blocked_ = nullptr;
  size_t may_return_ = 0;  // how many are away, or blocked with a deadline
  uint64_t switches_ = 0;
};

}  // namespace taskrace
