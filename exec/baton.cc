#include "exec/baton.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace taskrace {
namespace {

// Neither touches errno, which is the program's.
long Futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* until) {
  long result;
  register const timespec* timeout asm("r10") = until;
  register void* second asm("r8") = nullptr;
  register long mask asm("r9") = FUTEX_BITSET_MATCH_ANY;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(SYS_futex), "D"(&word), "S"(operation | FUTEX_PRIVATE_FLAG), "d"(value),
                 "r"(timeout), "r"(second), "r"(mask)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace

void Baton::Start(Thread& only) {
  holder_ = &only;
  first_ = nullptr;
  last_ = first_blocked_ = nullptr;
  may_return_ = 0;
}

void Baton::Append(Thread& thread) {
  thread.next = nullptr;
  if (first_ == nullptr) {
    first_ = &thread;
  } else {
    last_->next = &thread;
  }
  last_ = &thread;
}

void Baton::Give(Thread& thread) {
  holder_ = &thread;
  ++switches_;
  thread.turn.store(1, std::memory_order_release);
}

bool Baton::PassOn() {
  Thread* const next = first_;
  holder_ = nullptr;
  if (next == nullptr) return may_return_ != 0;
  first_ = next->next;
  Give(*next);
  return true;
}

void Baton::Ready(Thread& thread) {
  if (holder_ == nullptr) {
    Give(thread);
  } else {
    Append(thread);
  }
}

void Baton::WakeUp(Thread& thread) {
  Ready(thread);
  if (holder_ == &thread) Futex(thread.turn, FUTEX_WAKE, 1, nullptr);
}

void Baton::Unblock(Thread** link) {
  Thread* const thread = *link;
  *link = thread->next;
  thread->is_blocked = false;
  if (thread->has_deadline) --may_return_;
}

bool Baton::AwaitTurn(Thread& thread, const timespec* until) {
  while (thread.turn.exchange(0, std::memory_order_acquire) == 0) {
    if (Futex(thread.turn, FUTEX_WAIT_BITSET, 0, until) != -ETIMEDOUT) continue;
    until = nullptr;
    const SpinLock::Guard guard(lock_);
    if (!thread.is_blocked) continue;
    Thread** link = &first_blocked_;
    while (*link != &thread) link = &(*link)->next;
    Unblock(link);
    thread.is_late = true;
    Ready(thread);
  }
  return thread.is_late;
}

void Baton::Begin(Thread& caller, Thread& created) {
  {
    const SpinLock::Guard guard(lock_);
    caller.next = first_;
    if (first_ == nullptr) last_ = &caller;
    first_ = &caller;
    Give(created);
  }
  Futex(created.turn, FUTEX_WAKE, 1, nullptr);
  AwaitTurn(caller);
}

void Baton::End(Thread&) {
  Thread* next;
  bool can_go_on;
  {
    const SpinLock::Guard guard(lock_);
    can_go_on = PassOn();
    next = holder_;
  }
  if (!can_go_on && first_blocked_ != nullptr) on_deadlock_();
  if (next != nullptr) Futex(next->turn, FUTEX_WAKE, 1, nullptr);
}

bool Baton::Block(Thread& caller, const void* on, const timespec* until) {
  Thread* next;
  bool can_go_on;
  {
    const SpinLock::Guard guard(lock_);
    caller.on = on;
    caller.is_blocked = true;
    caller.is_late = false;
    caller.has_deadline = until != nullptr;
    if (until != nullptr) ++may_return_;
    Thread** link = &first_blocked_;
    while (*link != nullptr) link = &(*link)->next;
    caller.next = nullptr;
    *link = &caller;
    can_go_on = PassOn();
    next = holder_;
  }
  if (!can_go_on) on_deadlock_();
  if (next != nullptr) Futex(next->turn, FUTEX_WAKE, 1, nullptr);
  return !AwaitTurn(caller, until);
}

size_t Baton::Wake(const void* on, size_t most) {
  const SpinLock::Guard guard(lock_);
  size_t woken = 0;
  for (Thread** link = &first_blocked_; *link != nullptr && woken < most;) {
    Thread* const thread = *link;
    if (thread->on != on) {
      link = &thread->next;
      continue;
    }
    Unblock(link);
    WakeUp(*thread);
    ++woken;
  }
  return woken;
}

void Baton::WakeOne(Thread& thread) {
  const SpinLock::Guard guard(lock_);
  if (!thread.is_blocked) return;
  Thread** link = &first_blocked_;
  while (*link != &thread) link = &(*link)->next;
  Unblock(link);
  WakeUp(thread);
}

bool Baton::Yield(Thread& caller) {
  Thread* next;
  {
    const SpinLock::Guard guard(lock_);
    if (first_ == nullptr) return false;
    Append(caller);
    PassOn();
    next = holder_;
  }
  Futex(next->turn, FUTEX_WAKE, 1, nullptr);
  AwaitTurn(caller);
  return true;
}

void Baton::Leave(Thread&) {
  Thread* next;
  {
    const SpinLock::Guard guard(lock_);
    ++may_return_;
    PassOn();
    next = holder_;
  }
  if (next != nullptr) Futex(next->turn, FUTEX_WAKE, 1, nullptr);
}

void Baton::Return(Thread& caller) {
  {
    const SpinLock::Guard guard(lock_);
    --may_return_;
    Ready(caller);
  }
  AwaitTurn(caller);
}

}  // namespace taskrace
