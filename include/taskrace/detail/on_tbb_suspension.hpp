// How a task of the ordinary build waits without holding its thread.
//
// A thread that waits on top of its stack, as tbb::task_group::wait does, runs other tasks there.
// Tasks that wait for each other only by nesting cannot deadlock that way; those that wait for
// futures and promises can: the task on top waits for one that lies buried below it. So programs
// that use futures, promises, forks or pipelines wait by suspending: oneTBB puts the whole stack
// aside and the thread goes on with another one.
//
// After suspend() the task may be on another thread. Its context (on_tbb_job.hpp) and its exceptions
// in flight are carried along.
//
// A suspended stack takes address space and two of the process's mappings (the kernel allows some
// 65 000). So there should be few: tasks that can go on do so before others begin, and these begin
// depth first (on_tbb_crew.hpp). A recursion has about as many stacks as it is deep, times the
// threads. With `most_suspended` of them in an arena no new task is begun there, unless everybody
// waits.
//
// A thread looks for tasks when it is asked: by a oneTBB task, which begins tasks of its crew until
// there are none, or one of the crew can go on; then it ends, because oneTBB looks at resumed tasks
// only when a thread has nothing else. Whoever goes on, asks again. So, if a crew has tasks, a thread
// was asked, or is looking, or a task of the crew will go on; and what one arena's tasks can do does
// not depend on another one's threads.
//
// Thread rule: everything may be called by all threads. Cost: suspending and resuming takes about a
// microsecond; a task that is only queued, two locks.
#ifndef TASKRACE_DETAIL_ON_TBB_SUSPENSION_HPP
#define TASKRACE_DETAIL_ON_TBB_SUSPENSION_HPP

#include <cxxabi.h>
#include <oneapi/tbb/task.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <taskrace/detail/on_tbb_crew.hpp>
#include <taskrace/detail/on_tbb_job.hpp>

#define TASKRACE_DETAIL_BUILD on_tbb

namespace taskrace {
namespace detail {
inline namespace on_tbb {

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

// A task that is suspended. The resumer's to use, once.
struct suspended_task {
  tbb::task::suspend_point point = nullptr;
  crew* of = nullptr;  // any of whose threads may go on with it; null: a certain thread must
};

class suspension {
 public:
  // Suspends the running task until resume is called for the task that publish(task) is given. Once
  // that has happened, publish must not touch what the task may destroy.
  template <class Publish>
  static void suspend(Publish publish) {
    const task_context mine = context();
    for (watcher* at = mine.top; at != nullptr; at = at->below_) at->waits();
    if (mine.stack == nullptr) count_this_thread();
    crew* const movable_in = movable_crew(mine);
    crew& of = movable_in != nullptr ? *movable_in : crew::of_this_thread();
    of.suspended.fetch_add(1);
    if (of.has_jobs()) ask_once(of);
    active_.fetch_sub(1);
    begin_one_if_all_wait();
    const exceptions thrown = take_exceptions();
    set_context({});
    tbb::task::suspend([&publish, movable_in](tbb::task::suspend_point point) {
      publish(suspended_task{point, movable_in});
    });
    set_context(mine);
    put_exceptions(thrown);
    if (movable_in != nullptr) of.resumed.fetch_sub(1);
    of.suspended.fetch_sub(1);
    if (of.has_jobs()) ask_once(of);
    for (watcher* at = mine.top; at != nullptr; at = at->below_) at->goes_on();
  }
  static void resume(suspended_task task) noexcept {
    active_.fetch_add(1);
    if (task.of != nullptr) task.of->resumed.fetch_add(1);
    tbb::task::resume(task.point);
  }

  // Somebody will run the task. Takes over a reference.
  static void enqueue(job* task) {
    const task_context now = context();
    if (now.stack == nullptr) count_this_thread();
    crew* const movable_in = movable_crew(now);
    crew& of = movable_in != nullptr ? *movable_in : crew::of_this_thread();
    job_list& list = of.mine();
    if (list.push(task)) ask(of, request::to_look, &list);
  }

  // Runs a task that somebody waits for on this stack, which is better than to suspend: the waiter
  // needs it in any case. False if another has begun it, or if the stack is deep.
  static bool run_here(job* task) {
    task_context inside = context();
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    if (inside.stack != nullptr && static_cast<std::size_t>(inside.stack - here) > room) {
      return false;
    }
    if (!task->take()) return false;
    if (inside.stack == nullptr) inside.stack = here;
    task->run_in(inside);
    job::release(task);
    return true;
  }

 private:
  static constexpr std::size_t room = 256 * 1024;
  static constexpr long most_suspended = 4096;

  // The crew any of whose threads may go on with this task; null for a stack that belongs to a
  // thread: outside of tasks, or inside another arena that a task has entered.
  static crew* movable_crew(const task_context& now) noexcept {
    return now.of != nullptr && crew::serves_request() ? now.of : nullptr;
  }

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

  enum class request {
    to_look,       // there are tasks; one such request a list
    to_begin_one,  // everybody waits
  };
  static void ask(crew& of, request what, job_list* list = nullptr) {
    asked_.fetch_add(1);
    crew::requests().run([&of, what, list] { look(of, what, list); });
  }
  static void ask_once(crew& of) {
    job_list& list = of.mine();
    if (list.ask()) ask(of, request::to_look, &list);
  }

  // On behalf of a request.
  static void look(crew& of, request what, job_list* list) noexcept {
    active_.fetch_add(1);
    asked_.fetch_sub(1);
    if (what == request::to_begin_one) {
      // Asked by a thread of any arena.
      if (job* task = of.take_any()) begin(crew::of_this_thread(), task);
    } else {
      list->answer();
      while (job* task = next(of)) {
        if (of.has_jobs()) ask_once(of);
        begin(of, task);
      }
    }
    active_.fetch_sub(1);
    begin_one_if_all_wait();
  }
  static job* next(crew& of) noexcept {
    // Tasks that go on come first.
    if (of.resumed.load() != 0 || of.suspended.load() >= most_suspended) return nullptr;
    return of.take();
  }
  static void begin(crew& of, job* task) noexcept {
    task_context inside;
    inside.stack = static_cast<const char*>(__builtin_frame_address(0));
    inside.of = &of;
    task->run_in(inside);
    job::release(task);
  }

  // Everybody waits, perhaps for one that has not begun. Which one, nobody can tell: programs tend
  // to make it first or last.
  static void begin_one_if_all_wait() {
    if (active_.load() != 0 || asked_.load() != 0) return;
    if (crew* of = crew::with_jobs()) ask(*of, request::to_begin_one);
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

  // How many requests nobody has looked at yet; how many tasks and threads can go on without help:
  // those that look, or run, or were resumed.
  __attribute__((visibility("default"))) static inline std::atomic<long> asked_{0};
  __attribute__((visibility("default"))) static inline std::atomic<long> active_{0};
};

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#endif
