// Locks of the program: mutexes, read-write locks, spin locks.
//
// std::mutex, std::shared_mutex and their guards are these functions. A thread of the program that finds a lock taken
// gives the baton away until it is free. Tasks of one thread run one after the other, so a lock that a waiting creator
// of the task holds is taken in name only (holdings.h).

#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/deadline.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

namespace taskrace {
namespace {

// Takes a lock: `attempt` must not wait, `wait` may.
template <class Attempt, class Wait>
int Acquire(void* lock, bool shared, uintptr_t pc, Attempt attempt, Wait wait,
            const timespec* until = nullptr) {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr) return wait();
  const uintptr_t address = reinterpret_cast<uintptr_t>(lock);
  int result = attempt();
  bool really = true;
  if (result == EBUSY && runtime->is_parallel()) {
    result = wait();
  } else if (result == EBUSY) {
    switch (runtime->HolderOf(address)) {
      case Holder::kNobody:  // another thread
        if (!runtime->WatchesThreads()) {
          result = wait();
          break;
        }
        while (result == EBUSY) {
          if (!runtime->Wait(lock, "a lock", until)) return ETIMEDOUT;
          result = attempt();
        }
        break;
      case Holder::kThisTask:
        runtime->FailAt("a task locks a mutex it already holds: it would wait for itself", pc);
      case Holder::kWaitingTask:
        result = 0;
        really = false;
    }
  }
  // A robust mutex whose owner has ended is held as well.
  if (result == 0 || result == EOWNERDEAD) runtime->LockAcquired(address, shared, really);
  return result;
}

template <class Attempt>
int Try(void* lock, bool shared, Attempt attempt) {
  int result = attempt();
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr) return result;
  // A program that tries again and again waits for another thread.
  if (result == EBUSY && runtime->WatchesThreads()) runtime->Yield();
  if (result == 0 || result == EOWNERDEAD) {
    runtime->LockAcquired(reinterpret_cast<uintptr_t>(lock), shared, /*really=*/true);
  }
  return result;
}

template <class Unlock>
int Release(void* lock, Unlock unlock) {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime != nullptr && !runtime->LockReleased(reinterpret_cast<uintptr_t>(lock))) return 0;
  const int result = unlock();
  if (runtime != nullptr && runtime->WatchesThreads()) runtime->Wake(lock, SIZE_MAX);
  return result;
}

using Mutex = pthread_mutex_t;
using ReadWriteLock = pthread_rwlock_t;
using PthreadSpinLock = pthread_spinlock_t;

constinit Real<int(Mutex*)> mutex_lock("pthread_mutex_lock");
constinit Real<int(Mutex*)> mutex_trylock("pthread_mutex_trylock");
constinit Real<int(Mutex*, const timespec*)> mutex_timedlock("pthread_mutex_timedlock");
constinit Real<int(Mutex*, clockid_t, const timespec*)> mutex_clocklock("pthread_mutex_clocklock");
constinit Real<int(Mutex*)> mutex_unlock("pthread_mutex_unlock");
constinit Real<int(ReadWriteLock*)> rdlock("pthread_rwlock_rdlock");
constinit Real<int(ReadWriteLock*)> tryrdlock("pthread_rwlock_tryrdlock");
constinit Real<int(ReadWriteLock*, const timespec*)> timedrdlock("pthread_rwlock_timedrdlock");
constinit Real<int(ReadWriteLock*, clockid_t, const timespec*)> clockrdlock(
    "pthread_rwlock_clockrdlock");
constinit Real<int(ReadWriteLock*)> wrlock("pthread_rwlock_wrlock");
constinit Real<int(ReadWriteLock*, const timespec*)> timedwrlock("pthread_rwlock_timedwrlock");
constinit Real<int(ReadWriteLock*, clockid_t, const timespec*)> clockwrlock(
    "pthread_rwlock_clockwrlock");
constinit Real<int(ReadWriteLock*)> trywrlock("pthread_rwlock_trywrlock");
constinit Real<int(ReadWriteLock*)> rwlock_unlock("pthread_rwlock_unlock");
constinit Real<int(PthreadSpinLock*)> spin_lock("pthread_spin_lock");
constinit Real<int(PthreadSpinLock*)> spin_trylock("pthread_spin_trylock");
constinit Real<int(PthreadSpinLock*)> spin_unlock("pthread_spin_unlock");

void* Plain(PthreadSpinLock* lock) { return const_cast<int*>(lock); }

}  // namespace
}  // namespace taskrace

using namespace taskrace;

TASKRACE_EXPORT int pthread_mutex_lock(Mutex* lock) noexcept {
  return Acquire(
      lock, false, TASKRACE_CALLER, [=] { return mutex_trylock(lock); },
      [=] { return mutex_lock(lock); });
}
TASKRACE_EXPORT int pthread_mutex_trylock(Mutex* lock) noexcept {
  return Try(lock, false, [=] { return mutex_trylock(lock); });
}
TASKRACE_EXPORT int pthread_mutex_timedlock(Mutex* lock, const timespec* until) noexcept {
  return Acquire(
      lock, false, TASKRACE_CALLER, [=] { return mutex_trylock(lock); },
      [=] { return mutex_timedlock(lock, until); }, Deadline(CLOCK_REALTIME, until).monotonic());
}
TASKRACE_EXPORT int pthread_mutex_clocklock(Mutex* lock, clockid_t clock,
                                            const timespec* until) noexcept {
  return Acquire(
      lock, false, TASKRACE_CALLER, [=] { return mutex_trylock(lock); },
      [=] { return mutex_clocklock(lock, clock, until); }, Deadline(clock, until).monotonic());
}
TASKRACE_EXPORT int pthread_mutex_unlock(Mutex* lock) noexcept {
  return Release(lock, [=] { return mutex_unlock(lock); });
}

TASKRACE_EXPORT int pthread_rwlock_rdlock(ReadWriteLock* lock) noexcept {
  return Acquire(
      lock, true, TASKRACE_CALLER, [=] { return tryrdlock(lock); }, [=] { return rdlock(lock); });
}
TASKRACE_EXPORT int pthread_rwlock_tryrdlock(ReadWriteLock* lock) noexcept {
  return Try(lock, true, [=] { return tryrdlock(lock); });
}
TASKRACE_EXPORT int pthread_rwlock_timedrdlock(ReadWriteLock* lock,
                                               const timespec* until) noexcept {
  return Acquire(
      lock, true, TASKRACE_CALLER, [=] { return tryrdlock(lock); },
      [=] { return timedrdlock(lock, until); }, Deadline(CLOCK_REALTIME, until).monotonic());
}
TASKRACE_EXPORT int pthread_rwlock_clockrdlock(ReadWriteLock* lock, clockid_t clock,
                                               const timespec* until) noexcept {
  return Acquire(
      lock, true, TASKRACE_CALLER, [=] { return tryrdlock(lock); },
      [=] { return clockrdlock(lock, clock, until); }, Deadline(clock, until).monotonic());
}
TASKRACE_EXPORT int pthread_rwlock_timedwrlock(ReadWriteLock* lock,
                                               const timespec* until) noexcept {
  return Acquire(
      lock, false, TASKRACE_CALLER, [=] { return trywrlock(lock); },
      [=] { return timedwrlock(lock, until); }, Deadline(CLOCK_REALTIME, until).monotonic());
}
TASKRACE_EXPORT int pthread_rwlock_clockwrlock(ReadWriteLock* lock, clockid_t clock,
                                               const timespec* until) noexcept {
  return Acquire(
      lock, false, TASKRACE_CALLER, [=] { return trywrlock(lock); },
      [=] { return clockwrlock(lock, clock, until); }, Deadline(clock, until).monotonic());
}
TASKRACE_EXPORT int pthread_rwlock_wrlock(ReadWriteLock* lock) noexcept {
  return Acquire(
      lock, false, TASKRACE_CALLER, [=] { return trywrlock(lock); }, [=] { return wrlock(lock); });
}
TASKRACE_EXPORT int pthread_rwlock_trywrlock(ReadWriteLock* lock) noexcept {
  return Try(lock, false, [=] { return trywrlock(lock); });
}
TASKRACE_EXPORT int pthread_rwlock_unlock(ReadWriteLock* lock) noexcept {
  return Release(lock, [=] { return rwlock_unlock(lock); });
}

TASKRACE_EXPORT int pthread_spin_lock(PthreadSpinLock* lock) noexcept {
  return Acquire(
      Plain(lock), false, TASKRACE_CALLER, [=] { return spin_trylock(lock); },
      [=] { return spin_lock(lock); });
}
TASKRACE_EXPORT int pthread_spin_trylock(PthreadSpinLock* lock) noexcept {
  return Try(Plain(lock), false, [=] { return spin_trylock(lock); });
}
TASKRACE_EXPORT int pthread_spin_unlock(PthreadSpinLock* lock) noexcept {
  return Release(Plain(lock), [=] { return spin_unlock(lock); });
}

// C11 threads. In libc a mtx_t is a pthread_mutex_t.
TASKRACE_EXPORT int mtx_lock(mtx_t* lock) {
  return pthread_mutex_lock(reinterpret_cast<Mutex*>(lock)) == 0 ? thrd_success : thrd_error;
}
TASKRACE_EXPORT int mtx_trylock(mtx_t* lock) {
  const int result = pthread_mutex_trylock(reinterpret_cast<Mutex*>(lock));
  return result == 0 ? thrd_success : result == EBUSY ? thrd_busy : thrd_error;
}
TASKRACE_EXPORT int mtx_timedlock(mtx_t* lock, const timespec* until) {
  const int result = pthread_mutex_timedlock(reinterpret_cast<Mutex*>(lock), until);
  return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}
TASKRACE_EXPORT int mtx_unlock(mtx_t* lock) {
  return pthread_mutex_unlock(reinterpret_cast<Mutex*>(lock)) == 0 ? thrd_success : thrd_error;
}
