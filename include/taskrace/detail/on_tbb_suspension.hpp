// How a task of the ordinary build waits without holding its thread.
//
// A thread that waits on top of its stack, as tbb::task_group::wait does, runs other tasks there.
// Tasks that wait for each other only by nesting cannot deadlock that way; those that wait for
// futures and promises can: the task on top waits for one that lies buried below it. So programs
// that use futures, promises, forks or pipelines wait by suspending: oneTBB puts the whole stack
// aside and the thread goes on with another one.
//
// After suspend() the task may be on another thread. What belongs to a task and is kept by thread,
// its context and its exceptions in flight, is carried along here, and is read and written in
// functions that are not inlined, so that no address of it is kept across a wait.
//
// A suspended stack takes address space and two of the process's mappings (the kernel allows some
// 65 000): with `most_suspended` of them no new task is begun, unless everybody waits.
//
// Thread rule: everything may be called by all threads. Cost: suspending and resuming takes about a
// microsecond; a task that is only queued, an atomic or two.
#ifndef TASKRACE_DETAIL_ON_TBB_SUSPENSION_HPP
#define TASKRACE_DETAIL_ON_TBB_SUSPENSION_HPP

#include <cxxabi.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#define TASKRACE_DETAIL_BUILD on_tbb

namespace taskrace {
namespace detail {
inline namespace on_tbb {

class group;

// True in programs in which tasks wait by suspending. Known before main.
__attribute__((visibility("default"))) inline std::atomic<bool> tasks_suspend{false};

// Named by every template that needs it: its initialiser exists in programs that instantiate one.
template <class User>
struct needs_suspension {
  static const bool said;
};
template <class User>
const bool needs_suspension<User>::said =
    (tasks_suspend.store(true, std::memory_order_relaxed), true);
template <class User>
void need_suspension() noexcept {
  // The initialisers of other globals may come first.
  if (!needs_suspension<User>::said) tasks_suspend.store(true, std::memory_order_relaxed);
}

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
  group* finish;      // takes its asyncs; null: the implicit one of main
  const char* stack;  // about where its stack begins; null: not inside a task
  watcher* top;       // the watchers on its stack
};

// One per thread of the program, also when libraries are built with hidden visibility.
__attribute__((visibility("default"))) inline thread_local task_context thread_context{
    nullptr, nullptr, nullptr};

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

// A task that is run once, by whoever comes first: the queue, or somebody who waits for it.
class job {
 public:
  // Requires: `owners` of them, each of which will call release.
  job(group* finish, uint32_t owners) noexcept : finish_(finish), owners_(owners) {}
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  // True for one caller, who must then run it.
  bool start() noexcept {
    return !started_.load(std::memory_order_relaxed) &&
           !started_.exchange(true, std::memory_order_acquire);
  }
  // Runs it on this stack.
  void run_here() noexcept {
    const task_context found = context();
    set_context({finish_,
                 found.stack != nullptr ? found.stack
                                        : static_cast<const char*>(__builtin_frame_address(0)),
                 found.top});
    run();
    set_context(found);
  }

  static void release(job* task) noexcept {
    if (task->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete task;
  }

 protected:
  virtual ~job() = default;

 private:
  friend class suspension;
  virtual void run() noexcept = 0;

  group* finish_;
  std::atomic<uint32_t> owners_;
  std::atomic<bool> started_{false};
};

class suspension {
 public:
  // Suspends the running task until tbb::task::resume is called for the point that publish(point)
  // is given. Once that has happened, publish must not touch what the task may destroy.
  template <class Publish>
  static void suspend(Publish publish) {
    const task_context mine = context();
    for (watcher* at = mine.top; at != nullptr; at = at->below_) at->waits();
    if (mine.stack == nullptr) count_this_thread();
    one_waits();
    const exceptions thrown = take_exceptions();
    set_context({nullptr, nullptr, nullptr});
    tbb::task::suspend(publish);
    set_context(mine);
    put_exceptions(thrown);
    one_goes_on();
    for (watcher* at = mine.top; at != nullptr; at = at->below_) at->goes_on();
  }

  // Somebody will run the task. Takes over a reference.
  static void enqueue(job* task) {
    if (context().stack == nullptr) count_this_thread();
    put_in_queue(task, false);
  }

  // Runs a task that somebody waits for on this stack, which is better than to suspend. False if
  // another has begun it, if the stack is deep, or if the queue has too many tasks that were run
  // this way: they leave it only when a thread looks for work.
  static bool run_here(job* task) noexcept {
    const char* begin = context().stack;
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    if (begin != nullptr && static_cast<std::size_t>(begin - here) > room) return false;
    if (stale_.load(std::memory_order_relaxed) > most_stale || !task->start()) return false;
    stale_.fetch_add(1, std::memory_order_relaxed);
    task->run_here();
    return true;
  }

 private:
  static constexpr std::size_t room = 256 * 1024;
  static constexpr long most_suspended = 4096;
  static constexpr long most_stale = 4096;

  // The C++ ABI's __cxa_eh_globals: the exceptions that a thread handles, and how many it unwinds.
  struct exceptions {
    void* caught;
    unsigned int uncaught;
  };
  // __cxa_get_globals is declared const: two calls of it in one function may become one.
  [[gnu::noinline]] static exceptions take_exceptions() noexcept {
    exceptions taken;
    void* globals = abi::__cxa_get_globals();
    std::memcpy(&taken, globals, sizeof taken);
    const exceptions none{nullptr, 0};
    std::memcpy(globals, &none, sizeof none);
    return taken;
  }
  [[gnu::noinline]] static void put_exceptions(exceptions thrown) noexcept {
    std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &thrown, sizeof thrown);
  }

  // Never waited for and never destroyed: what waits for a task is a counter of its own.
  static tbb::task_group& queue() {
    static tbb::task_group* const tasks =
        new tbb::task_group(*new tbb::task_group_context(tbb::task_group_context::isolated));
    return *tasks;
  }

  static void put_in_queue(job* task, bool must_begin) {
    queued_.fetch_add(1);
    queue().run([task, must_begin] { run_from_queue(task, must_begin); });
  }
  static void run_from_queue(job* task, bool must_begin) noexcept {
    if (!must_begin && suspended_.load() >= most_suspended) {
      put_off(task);
      queued_.fetch_sub(1);
      begin_one_if_all_wait();
      return;
    }
    if (task->start()) {
      active_.fetch_add(1);
      queued_.fetch_sub(1);
      task->run_here();
      active_.fetch_sub(1);
      bring_back();
    } else {
      stale_.fetch_sub(1, std::memory_order_relaxed);
      queued_.fetch_sub(1);
    }
    job::release(task);
    begin_one_if_all_wait();
  }
  static void one_waits() {
    suspended_.fetch_add(1);
    active_.fetch_sub(1);
    begin_one_if_all_wait();
  }
  static void one_goes_on() {
    active_.fetch_add(1);
    suspended_.fetch_sub(1);
    bring_back();
  }

  static void put_off(job* task) noexcept {
    std::lock_guard<std::mutex> lock(put_off_mutex_);
    put_off_tasks().push_back(task);
    put_off_count_.fetch_add(1);
  }
  // From one end or the other; null if there is none.
  static job* take_put_off() noexcept {
    std::lock_guard<std::mutex> lock(put_off_mutex_);
    std::deque<job*>& tasks = put_off_tasks();
    if (tasks.empty()) return nullptr;
    put_off_count_.fetch_sub(1);
    take_newest_ = !take_newest_;
    job* task = take_newest_ ? tasks.back() : tasks.front();
    take_newest_ ? tasks.pop_back() : tasks.pop_front();
    return task;
  }
  // There are fewer stacks again: back to the queue, a few at a time.
  static void bring_back() {
    for (int i = 0; i < 4 && suspended_.load() < most_suspended && put_off_count_.load() != 0;
         ++i) {
      if (job* task = take_put_off()) put_in_queue(task, false);
    }
  }
  // Everybody waits, perhaps for one that was put off. Which one, nobody can tell: programs tend to
  // make it first or last.
  static void begin_one_if_all_wait() {
    if (put_off_count_.load() == 0 || active_.load() != 0 || queued_.load() != 0) return;
    if (job* task = take_put_off()) put_in_queue(task, true);
  }
  static std::deque<job*>& put_off_tasks() {
    static auto* const tasks = new std::deque<job*>;
    return *tasks;
  }

  // A thread outside of tasks is active from its first task or wait to its end.
  struct leaves_at_thread_end {
    ~leaves_at_thread_end() {
      thread_is_counted_ = false;
      active_.fetch_sub(1);
      begin_one_if_all_wait();
    }
  };
  [[gnu::noinline]] static void count_this_thread() {
    if (thread_is_counted_) return;
    thread_is_counted_ = true;
    active_.fetch_add(1);
    static thread_local leaves_at_thread_end leaves;
    (void)leaves;
  }
  static inline thread_local bool thread_is_counted_ = false;

  // Tasks in the queue that were run by others.
  __attribute__((visibility("default"))) static inline std::atomic<long> stale_{0};

  // How many stacks are suspended; how many tasks and threads can go on without help; how many
  // tasks somebody will take from the queue.
  __attribute__((visibility("default"))) static inline std::atomic<long> suspended_{0};
  __attribute__((visibility("default"))) static inline std::atomic<long> active_{0};
  __attribute__((visibility("default"))) static inline std::atomic<long> queued_{0};

  __attribute__((visibility("default"))) static inline std::mutex put_off_mutex_;
  __attribute__((visibility("default"))) static inline std::atomic<long> put_off_count_{0};
  __attribute__((visibility("default"))) static inline bool take_newest_ = false;
};

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#endif
