// What a thread of the program waits in: condition variables, semaphores, barriers, futexes, sleeps, system calls.
//
// Threads take turns, so a thread that waits gives the baton away (exec/baton.h). It waits in the baton's own list and
// not in the kernel if only another thread of the program can end the wait. Objects that other processes share are left
// to the kernel, and the baton is given away meanwhile.
// Tested by: test/lit/threads, test/runtime/waiting_test.py

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/deadline.h"
#include "runtime/once.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

namespace taskrace {
namespace {

using Condition = pthread_cond_t;
using Mutex = pthread_mutex_t;

// The runtime if the caller takes turns with other threads, else null.
Runtime* InTurn() {
  Runtime* const runtime = Runtime::OfWorker();
  return runtime != nullptr && runtime->WatchesThreads() ? runtime : nullptr;
}
// The runtime if threads take turns, whoever the caller is.
Runtime* WithTurns() {
  Runtime* const runtime = Runtime::Get();
  return runtime != nullptr && runtime->WatchesThreads() ? runtime : nullptr;
}

// ---- condition variables

// A wait that only another thread can end.
void CheckWaiting(uintptr_t pc) {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr || runtime->has_threads || runtime->is_parallel()) return;
  runtime->FailAt(
      "a task waits on a condition variable: tasks run one after another here, so no task can "
      "signal it. Let tasks wait for each other with scope or finish",
      pc);
}

// Two bits of glibc's: shared between processes, and the clock of timed waits.
bool IsShared(const Condition* condition) { return (condition->__data.__wrefs & 1) != 0; }
clockid_t ClockOf(const Condition* condition) {
  return (condition->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// `real`: libc's function, for whom the baton does not matter.
template <class RealWait>
int WaitOn(Condition* condition, Mutex* lock, const Deadline& until, RealWait real) {
  Runtime* const runtime = InTurn();
  if (runtime == nullptr) return real();
  if (IsShared(condition)) {
    const Runtime::Away away;
    return real();
  }
  if (const int error = pthread_mutex_unlock(lock); error != 0) return error;
  const bool is_woken = runtime->Wait(condition, "a condition variable", until.monotonic());
  if (const int error = pthread_mutex_lock(lock); error != 0) return error;
  pthread_testcancel();
  return is_woken ? 0 : ETIMEDOUT;
}

constinit Real<int(Condition*, Mutex*)> cond_wait("pthread_cond_wait");
constinit Real<int(Condition*, Mutex*, const timespec*)> cond_timedwait("pthread_cond_timedwait");
constinit Real<int(Condition*, Mutex*, clockid_t, const timespec*)> cond_clockwait(
    "pthread_cond_clockwait");
constinit Real<int(Condition*)> cond_signal("pthread_cond_signal");
constinit Real<int(Condition*)> cond_broadcast("pthread_cond_broadcast");

}  // namespace
}  // namespace taskrace

using namespace taskrace;

TASKRACE_EXPORT int pthread_cond_wait(Condition* condition, Mutex* lock) {
  if (InTurn() == nullptr) CheckWaiting(TASKRACE_CALLER);
  return WaitOn(condition, lock, Deadline::After(nullptr),
                [=] { return cond_wait(condition, lock); });
}
TASKRACE_EXPORT int pthread_cond_timedwait(Condition* condition, Mutex* lock,
                                           const timespec* until) {
  return WaitOn(condition, lock, Deadline(ClockOf(condition), until),
                [=] { return cond_timedwait(condition, lock, until); });
}
TASKRACE_EXPORT int pthread_cond_clockwait(Condition* condition, Mutex* lock, clockid_t clock,
                                           const timespec* until) {
  return WaitOn(condition, lock, Deadline(clock, until),
                [=] { return cond_clockwait(condition, lock, clock, until); });
}
TASKRACE_EXPORT int pthread_cond_signal(Condition* condition) noexcept {
  if (Runtime* runtime = WithTurns()) runtime->Wake(condition, 1);
  return cond_signal(condition);
}
TASKRACE_EXPORT int pthread_cond_broadcast(Condition* condition) noexcept {
  if (Runtime* runtime = WithTurns()) runtime->Wake(condition, SIZE_MAX);
  return cond_broadcast(condition);
}

// C11. In libc a cnd_t is a pthread_cond_t, and a mtx_t a pthread_mutex_t.
TASKRACE_EXPORT int cnd_wait(cnd_t* condition, mtx_t* lock) {
  if (InTurn() == nullptr) CheckWaiting(TASKRACE_CALLER);
  return pthread_cond_wait(reinterpret_cast<Condition*>(condition),
                           reinterpret_cast<Mutex*>(lock)) == 0
             ? thrd_success
             : thrd_error;
}
TASKRACE_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* lock, const timespec* until) {
  const int result = pthread_cond_timedwait(reinterpret_cast<Condition*>(condition),
                                            reinterpret_cast<Mutex*>(lock), until);
  return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}
TASKRACE_EXPORT int cnd_signal(cnd_t* condition) {
  return pthread_cond_signal(reinterpret_cast<Condition*>(condition)) == 0 ? thrd_success
                                                                           : thrd_error;
}
TASKRACE_EXPORT int cnd_broadcast(cnd_t* condition) {
  return pthread_cond_broadcast(reinterpret_cast<Condition*>(condition)) == 0 ? thrd_success
                                                                              : thrd_error;
}

// ---- semaphores

namespace taskrace {
namespace {

constinit Real<int(sem_t*)> real_sem_wait("sem_wait");
constinit Real<int(sem_t*)> real_sem_trywait("sem_trywait");
constinit Real<int(sem_t*, const timespec*)> real_sem_timedwait("sem_timedwait");
constinit Real<int(sem_t*, clockid_t, const timespec*)> real_sem_clockwait("sem_clockwait");
constinit Real<int(sem_t*)> real_sem_post("sem_post");

// As glibc keeps it, behind the value and the number of those that wait.
bool IsShared(const sem_t* semaphore) { return reinterpret_cast<const int*>(semaphore)[2] != 0; }

uintptr_t Address(const void* object) { return reinterpret_cast<uintptr_t>(object); }

// Whoever gets through comes after all posts so far.
template <class RealWait>
int WaitOn(sem_t* semaphore, const Deadline& until, RealWait real) {
  Runtime* const runtime = InTurn();
  if (runtime == nullptr) return real();
  int result;
  if (IsShared(semaphore)) {
    const Runtime::Away away;
    result = real();
  } else {
    while ((result = real_sem_trywait(semaphore)) != 0 && errno == EAGAIN) {
      if (!runtime->Wait(semaphore, "a semaphore", until.monotonic())) {
        errno = ETIMEDOUT;
        return -1;
      }
      pthread_testcancel();
    }
  }
  if (result == 0) runtime->Acquire(Address(semaphore));
  return result;
}

}  // namespace
}  // namespace taskrace

TASKRACE_EXPORT int sem_wait(sem_t* semaphore) {
  return WaitOn(semaphore, Deadline::After(nullptr), [=] { return real_sem_wait(semaphore); });
}
TASKRACE_EXPORT int sem_trywait(sem_t* semaphore) noexcept {
  const int result = real_sem_trywait(semaphore);
  if (Runtime* runtime = InTurn()) {
    if (result == 0) {
      runtime->Acquire(Address(semaphore));
    } else {
      const int error = errno;
      runtime->Yield();
      errno = error;
    }
  }
  return result;
}
TASKRACE_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  return WaitOn(semaphore, Deadline(CLOCK_REALTIME, until),
                [=] { return real_sem_timedwait(semaphore, until); });
}
TASKRACE_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  return WaitOn(semaphore, Deadline(clock, until),
                [=] { return real_sem_clockwait(semaphore, clock, until); });
}
TASKRACE_EXPORT int sem_post(sem_t* semaphore) noexcept {
  if (Runtime* runtime = InTurn()) runtime->Release(Address(semaphore));
  const int result = real_sem_post(semaphore);
  if (Runtime* runtime = WithTurns()) runtime->Wake(semaphore, 1);
  return result;
}

// ---- barriers

namespace taskrace {
namespace {

constinit Real<int(pthread_barrier_t*)> real_barrier_wait("pthread_barrier_wait");

// As glibc keeps it.
struct BarrierOfLibc {
  unsigned in, round, count;
  int shared;
  unsigned out;
};

// A barrier in use: glibc's own state is not touched.
struct Barrier {
  const pthread_barrier_t* address;
  unsigned arrived;
  unsigned round;
};

Barrier& StateOf(const pthread_barrier_t* address) {
  static constinit MappedArray<Barrier> barriers{"the barriers"};
  for (size_t i = 0; i < barriers.Size(); ++i) {
    if (barriers[i].address == address) return barriers[i];
  }
  barriers.Append({address, 0, 0});
  return barriers[barriers.Size() - 1];
}

}  // namespace
}  // namespace taskrace

TASKRACE_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  Runtime* const runtime = InTurn();
  if (runtime == nullptr) return real_barrier_wait(barrier);
  const auto& libc = *reinterpret_cast<const BarrierOfLibc*>(barrier);
  if (libc.shared != 0) {
    const Runtime::Away away;
    return real_barrier_wait(barrier);
  }
  const unsigned round = StateOf(barrier).round;
  // A thread may be in the next round before the last one has left this one.
  const uintptr_t order = Address(barrier) + round % 2;
  runtime->Release(order);
  const bool is_last = ++StateOf(barrier).arrived == libc.count;
  if (is_last) {
    StateOf(barrier).arrived = 0;
    ++StateOf(barrier).round;
    runtime->Wake(barrier, SIZE_MAX);
  }
  while (StateOf(barrier).round == round) runtime->Wait(barrier, "a barrier");
  runtime->Acquire(order);
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// ---- pthread_once

namespace taskrace {
namespace {

// Controls that threads are inside for.
constinit MappedArray<pthread_once_t*> entered{"the calls of pthread_once"};

size_t PlaceOf(const pthread_once_t* control) {
  size_t i = 0;
  while (i < entered.Size() && entered[i] != control) ++i;
  return i;
}

}  // namespace
}  // namespace taskrace

int __taskrace_once_enter(pthread_once_t* control) {
  Runtime* const runtime = InTurn();
  if (runtime == nullptr) return 0;
  while (PlaceOf(control) != entered.Size()) runtime->Wait(control, "the end of pthread_once");
  constexpr int kDone = 2;  // glibc's
  if (*control == kDone) {
    runtime->Acquire(Address(control));
    return 0;
  }
  entered.Append(control);
  return 1;
}
void __taskrace_once_leave(pthread_once_t* control) {
  entered[PlaceOf(control)] = entered[entered.Size() - 1];
  entered.PopBack();
  Runtime* const runtime = InTurn();
  if (runtime == nullptr) return;
  runtime->Release(Address(control));
  runtime->Wake(control, SIZE_MAX);
}

// ---- futexes

namespace taskrace {
namespace {

long RawSystemCall(long number, const long (&arguments)[6]) {
  long result;
  register long fourth asm("r10") = arguments[3];
  register long fifth asm("r8") = arguments[4];
  register long sixth asm("r9") = arguments[5];
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(fourth),
                 "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
}

long Failed(int error) {
  errno = error;
  return -1;
}

// The C++ library waits so for promises, latches, barriers, semaphores and atomics.
bool IsFutexOfThreads(Runtime* runtime, long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return runtime != nullptr && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET ||
                                command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET);
}

long Futex(Runtime& runtime, const long (&arguments)[6]) {
  auto* const word = reinterpret_cast<std::atomic<uint32_t>*>(arguments[0]);
  const long command = arguments[1] & FUTEX_CMD_MASK;
  const auto value = static_cast<uint32_t>(arguments[2]);
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
    return static_cast<long>(runtime.Wake(word, value));
  }
  if (word->load() != value) return Failed(EAGAIN);
  const auto* const time = reinterpret_cast<const timespec*>(arguments[3]);
  const Deadline until =
      command == FUTEX_WAIT
          ? Deadline::After(time)
          : Deadline((arguments[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                     time);
  return runtime.Wait(word, "an atomic variable", until.monotonic()) ? 0 : Failed(ETIMEDOUT);
}

}  // namespace
}  // namespace taskrace

TASKRACE_EXPORT long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_futex) {
    if (Runtime* const runtime = InTurn(); IsFutexOfThreads(runtime, arguments[1])) {
      return Futex(*runtime, arguments);
    }
  }
  const long result = RawSystemCall(number, arguments);
  return result < 0 && result > -4096 ? Failed(static_cast<int>(-result)) : result;
}

// ---- pauses

TASKRACE_EXPORT int sched_yield() noexcept {
  if (Runtime* const runtime = InTurn()) runtime->Yield();
  return static_cast<int>(syscall(SYS_sched_yield));
}
TASKRACE_EXPORT void thrd_yield() { sched_yield(); }

// Functions that may last: the baton is given away around them. Without other threads nothing of this library is left
// on the stack, so that a signal does not seem to come in the middle of it.
#define TASKRACE_MAY_LAST(result, name, parameters, arguments, ...) \
  TASKRACE_EXPORT result name parameters __VA_ARGS__ {              \
    static constinit Real<result parameters> real(#name);           \
    if (InTurn() == nullptr) [[clang::musttail]]                    \
      return real.Get() arguments;                                  \
    const Runtime::Away away;                                       \
    return real arguments;                                          \
  }

TASKRACE_MAY_LAST(int, nanosleep, (const timespec* time, timespec* left), (time, left))
TASKRACE_MAY_LAST(int, clock_nanosleep,
                  (clockid_t clock, int flags, const timespec* time, timespec* left),
                  (clock, flags, time, left))
TASKRACE_MAY_LAST(int, usleep, (useconds_t time), (time))
TASKRACE_MAY_LAST(unsigned, sleep, (unsigned time), (time))
TASKRACE_MAY_LAST(int, thrd_sleep, (const timespec* time, timespec* left), (time, left))
TASKRACE_MAY_LAST(int, pause, (), ())

// ---- other system calls

TASKRACE_MAY_LAST(ssize_t, read, (int file, void* buffer, size_t size), (file, buffer, size))
TASKRACE_MAY_LAST(ssize_t, recv, (int file, void* buffer, size_t size, int flags),
                  (file, buffer, size, flags))
TASKRACE_MAY_LAST(ssize_t, recvfrom,
                  (int file, void* buffer, size_t size, int flags, sockaddr* from,
                   socklen_t* length),
                  (file, buffer, size, flags, from, length))
TASKRACE_MAY_LAST(ssize_t, recvmsg, (int file, msghdr* message, int flags), (file, message, flags))
TASKRACE_MAY_LAST(ssize_t, send, (int file, const void* buffer, size_t size, int flags),
                  (file, buffer, size, flags))
TASKRACE_MAY_LAST(ssize_t, sendto,
                  (int file, const void* buffer, size_t size, int flags, const sockaddr* to,
                   socklen_t length),
                  (file, buffer, size, flags, to, length))
TASKRACE_MAY_LAST(ssize_t, sendmsg, (int file, const msghdr* message, int flags),
                  (file, message, flags))
TASKRACE_MAY_LAST(int, accept, (int file, sockaddr* from, socklen_t* length), (file, from, length))
TASKRACE_MAY_LAST(int, accept4, (int file, sockaddr* from, socklen_t* length, int flags),
                  (file, from, length, flags))
TASKRACE_MAY_LAST(int, connect, (int file, const sockaddr* to, socklen_t length),
                  (file, to, length))
TASKRACE_MAY_LAST(int, poll, (pollfd * files, nfds_t count, int timeout), (files, count, timeout))
TASKRACE_MAY_LAST(int, ppoll,
                  (pollfd * files, nfds_t count, const timespec* timeout, const sigset_t* mask),
                  (files, count, timeout, mask))
TASKRACE_MAY_LAST(int, select,
                  (int count, fd_set* read, fd_set* write, fd_set* other, timeval* timeout),
                  (count, read, write, other, timeout))
TASKRACE_MAY_LAST(int, epoll_wait, (int file, epoll_event* events, int most, int timeout),
                  (file, events, most, timeout))
TASKRACE_MAY_LAST(pid_t, wait, (int* status), (status))
TASKRACE_MAY_LAST(pid_t, waitpid, (pid_t process, int* status, int options),
                  (process, status, options))
TASKRACE_MAY_LAST(int, waitid, (idtype_t type, id_t id, siginfo_t* info, int options),
                  (type, id, info, options))
TASKRACE_MAY_LAST(int, sigwait, (const sigset_t* signals, int* signal), (signals, signal))
TASKRACE_MAY_LAST(int, sigwaitinfo, (const sigset_t* signals, siginfo_t* info), (signals, info))
TASKRACE_MAY_LAST(int, sigtimedwait,
                  (const sigset_t* signals, siginfo_t* info, const timespec* timeout),
                  (signals, info, timeout))
TASKRACE_MAY_LAST(int, flock, (int file, int operation), (file, operation), noexcept)
