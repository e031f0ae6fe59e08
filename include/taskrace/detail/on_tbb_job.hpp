// A task of the ordinary build that suspends, and what it takes along from thread to thread.
//
// A task may be on another thread after each wait. What belongs to it and is kept by thread, its
// context, is read and written in functions that are not inlined, so that no address of it is kept
// across a wait.
//
// Thread rule: a job's taker is one thread; lists and release may be used by all. Cost: a list
// operation one lock, held for a few stores; no memory but the job's.
#ifndef TASKRACE_DETAIL_ON_TBB_JOB_HPP
#define TASKRACE_DETAIL_ON_TBB_JOB_HPP

#include <oneapi/tbb/spin_mutex.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace on_tbb {

class crew;
class group;
class job_list;

// Told when the stack that it lies on is suspended, and when it goes on.
class watcher {
 public:
  virtual void waits() noexcept = 0;
  virtual void goes_on() noexcept = 0;

 protected:
  watcher() noexcept;
  ~watcher();
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;

 private:
  friend class suspension;
  watcher* below_;  // the next one on the same stack
};

// What the running task takes along from thread to thread.
struct task_context {
  group* finish = nullptr;      // takes its asyncs; null: the implicit one of main
  const char* stack = nullptr;  // about where its stack begins; null: not inside a task
  watcher* top = nullptr;       // the watchers on its stack
  crew* of = nullptr;           // for which it was begun; null: not begun for a request
};

// One per thread of the program, also when libraries are built with hidden visibility.
__attribute__((visibility("default"))) inline thread_local task_context thread_context{};

[[gnu::noinline]] inline task_context context() noexcept { return thread_context; }
[[gnu::noinline]] inline void set_context(task_context context) noexcept {
  thread_context = context;
}

inline watcher::watcher() noexcept {
  task_context now = context();
  below_ = std::exchange(now.top, this);
  set_context(now);
}
inline watcher::~watcher() {
  task_context now = context();
  now.top = below_;
  set_context(now);
}

// A task that is run once, by whoever takes it from its list: a thread that looks for work, or
// somebody who waits for it.
class job {
 public:
  // Requires: `owners` of them, each of which will call release. The list is one: who takes the job
  // releases it for the list.
  job(group* finish, uint32_t owners) noexcept : finish_(finish), owners_(owners) {}
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  // True for one caller, who must then run and release it: it was in a list and is no more.
  bool take() noexcept;

  // Runs it on this stack, of which the context tells. Requires: it was taken.
  void run_in(task_context inside) noexcept {
    const task_context found = context();
    inside.finish = finish_;
    set_context(inside);
    run();
    set_context(found);
  }

  static void release(job* task) noexcept {
    if (task->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete task;
  }

 protected:
  virtual ~job() = default;

 private:
  friend class job_list;
  virtual void run() noexcept = 0;

  group* finish_;
  std::atomic<uint32_t> owners_;
  std::atomic<job_list*> list_{nullptr};  // changed under the list's lock; null: taken
  job* older_ = nullptr;                  // neighbours in the list
  job* newer_ = nullptr;
};

// Tasks that have not begun, by age; and whether a thread was asked to look at them (on_tbb_crew).
class alignas(64) job_list {
 public:
  job_list() = default;
  job_list(const job_list&) = delete;
  job_list& operator=(const job_list&) = delete;

  // A hint, unless what happened before orders it.
  bool empty() const noexcept { return newest_.load() == nullptr; }

  // Adds the newest. True: the caller must ask a thread.
  [[nodiscard]] bool push(job* task) noexcept {
    tbb::spin_mutex::scoped_lock lock(mutex_);
    job* before = newest_.load(std::memory_order_relaxed);
    task->older_ = before;
    task->newer_ = nullptr;
    (before != nullptr ? before->newer_ : oldest_) = task;
    newest_.store(task);
    task->list_.store(this, std::memory_order_release);
    return !std::exchange(asked_, true);
  }
  // True: the caller must ask a thread.
  [[nodiscard]] bool ask() noexcept {
    tbb::spin_mutex::scoped_lock lock(mutex_);
    return !std::exchange(asked_, true);
  }
  // The thread that was asked looks.
  void answer() noexcept {
    tbb::spin_mutex::scoped_lock lock(mutex_);
    asked_ = false;
  }

  // Null if there is none.
  job* take_newest() noexcept {
    if (empty()) return nullptr;
    tbb::spin_mutex::scoped_lock lock(mutex_);
    return unlink(newest_.load(std::memory_order_relaxed));
  }
  job* take_oldest() noexcept {
    if (empty()) return nullptr;
    tbb::spin_mutex::scoped_lock lock(mutex_);
    return unlink(oldest_);
  }
  // False if it is not here any more.
  bool take(job* task) noexcept {
    tbb::spin_mutex::scoped_lock lock(mutex_);
    if (task->list_.load(std::memory_order_relaxed) != this) return false;
    unlink(task);
    return true;
  }

 private:
  // Requires: the lock; the task is here, or null.
  job* unlink(job* task) noexcept {
    if (task == nullptr) return nullptr;
    (task->older_ != nullptr ? task->older_->newer_ : oldest_) = task->newer_;
    if (task->newer_ != nullptr) {
      task->newer_->older_ = task->older_;
    } else {
      newest_.store(task->older_);
    }
    task->list_.store(nullptr, std::memory_order_relaxed);
    return task;
  }

  tbb::spin_mutex mutex_;
  bool asked_ = false;
  job* oldest_ = nullptr;
  std::atomic<job*> newest_{nullptr};
};

inline bool job::take() noexcept {
  job_list* list = list_.load(std::memory_order_acquire);
  return list != nullptr && list->take(this);
}

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#endif
