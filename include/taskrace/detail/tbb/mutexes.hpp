// The mutexes of oneTBB. Each is a pthread lock, which the runtime knows; they differ in what they say about fairness.
//
// Thread rule: any task. Cost: that of a pthread lock under detection.
#ifndef TASKRACE_DETAIL_TBB_MUTEXES_HPP
#define TASKRACE_DETAIL_TBB_MUTEXES_HPP

#include <pthread.h>

#include <taskrace/detail/tbb/namespaces.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// Holds a mutex from its construction, or an acquire, to its destruction, or a release.
template <class Mutex>
class exclusive_lock {
 public:
  exclusive_lock() = default;
  explicit exclusive_lock(Mutex& mutex) { acquire(mutex); }
  ~exclusive_lock() {
    if (mutex_ != nullptr) release();
  }
  exclusive_lock(const exclusive_lock&) = delete;
  exclusive_lock& operator=(const exclusive_lock&) = delete;

  void acquire(Mutex& mutex) {
    mutex.lock();
    mutex_ = &mutex;
  }
  bool try_acquire(Mutex& mutex) {
    const bool taken = mutex.try_lock();
    if (taken) mutex_ = &mutex;
    return taken;
  }
  void release() {
    Mutex* mutex = mutex_;
    mutex_ = nullptr;
    mutex->unlock();
  }

 private:
  Mutex* mutex_ = nullptr;
};

// The same for a mutex with readers.
template <class Mutex>
class shared_lock {
 public:
  shared_lock() = default;
  explicit shared_lock(Mutex& mutex, bool write = true) { acquire(mutex, write); }
  ~shared_lock() {
    if (mutex_ != nullptr) release();
  }
  shared_lock(const shared_lock&) = delete;
  shared_lock& operator=(const shared_lock&) = delete;

  void acquire(Mutex& mutex, bool write = true) {
    if (write) {
      mutex.lock();
    } else {
      mutex.lock_shared();
    }
    mutex_ = &mutex;
    is_writer_ = write;
  }
  bool try_acquire(Mutex& mutex, bool write = true) {
    if (!(write ? mutex.try_lock() : mutex.try_lock_shared())) return false;
    mutex_ = &mutex;
    is_writer_ = write;
    return true;
  }
  void release() {
    Mutex* mutex = mutex_;
    mutex_ = nullptr;
    if (is_writer_) {
      mutex->unlock();
    } else {
      mutex->unlock_shared();
    }
  }
  // Did no other writer have the mutex meanwhile? Not in this execution.
  bool upgrade_to_writer() {
    if (is_writer_) return true;
    mutex_->unlock_shared();
    mutex_->lock();
    is_writer_ = true;
    return true;
  }
  bool downgrade_to_reader() {
    if (!is_writer_) return true;
    mutex_->unlock();
    mutex_->lock_shared();
    is_writer_ = false;
    return true;
  }
  bool is_writer() const { return is_writer_; }

 private:
  Mutex* mutex_ = nullptr;
  bool is_writer_ = false;
};

// Self: the class that is derived from it.
template <class Self, bool is_fair>
class basic_mutex {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = is_fair;
  using scoped_lock = exclusive_lock<Self>;

  constexpr basic_mutex() noexcept = default;
  basic_mutex(const basic_mutex&) = delete;
  basic_mutex& operator=(const basic_mutex&) = delete;

  void lock() { pthread_mutex_lock(&lock_); }
  bool try_lock() { return pthread_mutex_trylock(&lock_) == 0; }
  void unlock() { pthread_mutex_unlock(&lock_); }

 private:
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

template <class Self, bool is_fair>
class basic_rw_mutex {
 public:
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = is_fair;
  using scoped_lock = shared_lock<Self>;

  constexpr basic_rw_mutex() noexcept = default;
  basic_rw_mutex(const basic_rw_mutex&) = delete;
  basic_rw_mutex& operator=(const basic_rw_mutex&) = delete;

  void lock() { pthread_rwlock_wrlock(&lock_); }
  bool try_lock() { return pthread_rwlock_trywrlock(&lock_) == 0; }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() { pthread_rwlock_rdlock(&lock_); }
  bool try_lock_shared() { return pthread_rwlock_tryrdlock(&lock_) == 0; }
  void unlock_shared() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;
};

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
