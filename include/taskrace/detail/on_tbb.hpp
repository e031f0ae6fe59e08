// The ordinary build of <taskrace/tasks.hpp>: tasks run in parallel on oneTBB. This file:
// fork-join; on_tbb_futures.hpp and on_tbb_pipeline.hpp: the rest.
//
// There are two ways to wait. In programs that have nothing but fork-join a group is a
// tbb::task_group, and a thread that waits runs other tasks on its stack. In the others
// (tasks_suspend) a group is a counter, and a task that waits is suspended (on_tbb_suspension.hpp).
// A group that was made before the program was known to be of the second kind has both.
//
// A thread runs tasks of several finishes. So the innermost finish belongs to a task, not to a
// thread: every task takes its creator's along, sets it for the time of its body, and puts back
// what it found.
//
// No exception reaches oneTBB, and no cancellation from outside reaches in: every task runs, as in
// the other builds; the waiter rethrows the first exception after all of them.
//
// Thread rule: first_error::keep, group::add and group::done may be called by many threads at once,
// all else by a group's owner. Cost: a task one oneTBB task and two thread-local stores; a scope or
// finish one tbb::task_group. Suspending: see there.
#ifndef TASKRACE_DETAIL_ON_TBB_HPP
#define TASKRACE_DETAIL_ON_TBB_HPP

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <taskrace/detail/exceptions.hpp>
#include <taskrace/detail/index_range.hpp>
#include <taskrace/detail/on_tbb_suspension.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace on_tbb {

// The first exception that left a task of a group.
class first_error {
 public:
  // Requires: an exception is being handled.
  void keep() noexcept {
    if (!kept_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
  }
  // Requires: the tasks are joined; the join makes error_ visible.
  void rethrow() {
    if (!kept_.load(std::memory_order_relaxed)) return;
    kept_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  std::atomic<bool> kept_{false};
  std::exception_ptr error_;
};

// Sets the finish of the running task, until its end.
class inside_finish {
 public:
  explicit inside_finish(group* finish) noexcept : found_(context().finish) { set(finish); }
  ~inside_finish() { set(found_); }
  inside_finish(const inside_finish&) = delete;
  inside_finish& operator=(const inside_finish&) = delete;

 private:
  static void set(group* finish) noexcept {
    task_context now = context();
    now.finish = finish;
    set_context(now);
  }
  group* found_;
};

// The same where no task is ever suspended, so that the thread stays the same.
class inside_finish_on_thread {
 public:
  explicit inside_finish_on_thread(group* finish) noexcept
      : found_(std::exchange(thread_context.finish, finish)) {}
  ~inside_finish_on_thread() { thread_context.finish = found_; }
  inside_finish_on_thread(const inside_finish_on_thread&) = delete;
  inside_finish_on_thread& operator=(const inside_finish_on_thread&) = delete;

 private:
  group* found_;
};

// How the tasks of a program of fork-join alone are waited for.
struct tbb_group {
  tbb_group() {}  // a defaulted one would be zeroed first
  tbb::task_group_context context{tbb::task_group_context::isolated};
  tbb::task_group tasks{context};
};

// What one join waits for.
class group {
 public:
  group() {
    if (!tasks_suspend.load(std::memory_order_relaxed)) nested_.emplace();
  }

  // Starts function() as a task inside `finish`. An exception goes to this group if it `keeps`
  // them; otherwise nobody could catch it.
  template <class F>
  void run(F&& function, group* finish, bool keeps) {
    using Function = std::decay_t<F>;
    if (nested_ && !tasks_suspend.load(std::memory_order_relaxed)) {
      nested_->tasks.run(
          closure<Function>{finish, keeps ? this : nullptr, std::forward<F>(function)});
    } else {
      suspension::enqueue(
          new group_job<Function>(1, finish, this, keeps, std::forward<F>(function)));
    }
  }
  // The same, if tasks suspend; returns the task, for the owner to run it if nobody else has.
  template <class F>
  job* run_or_leave(F&& function, group* finish) {
    job* task = new group_job<std::decay_t<F>>(2, finish, this, true, std::forward<F>(function));
    suspension::enqueue(task);
    return task;
  }

  // One more to wait for, and one less.
  void add() noexcept { unfinished_.fetch_add(1, std::memory_order_relaxed); }
  void done() noexcept {
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) suspension::resume(waiter_);
  }

  // Returns when all are over. Tasks of the first kind may start some of the second, but not the
  // other way round.
  void wait() {
    if (nested_) nested_->tasks.wait();
    if (unfinished_.load(std::memory_order_acquire) != 1) wait_suspended();
  }

  first_error error;

 private:
  // A task's closure. oneTBB calls it as const, but it is called once, and is the task's own.
  template <class Function>
  struct closure {
    group* finish;
    group* waiter;  // null: the implicit finish, where nobody could catch
    mutable Function function;

    void operator()() const noexcept {
      inside_finish_on_thread inside(finish);
      TASKRACE_DETAIL_TRY { function(); }
      TASKRACE_DETAIL_CATCH {
        if (waiter == nullptr) std::terminate();
        waiter->error.keep();
      }
    }
  };

  // Kept out of programs that only have the first kind.
  [[gnu::noinline]] void wait_suspended() {
    suspension::suspend([this](suspended_task owner) {
      waiter_ = owner;
      done();
    });
    unfinished_.store(1, std::memory_order_relaxed);
  }

  template <class Function>
  class group_job final : public job {
   public:
    template <class F>
    group_job(uint32_t owners, group* finish, group* waiter, bool keeps, F&& function)
        : job(finish, owners),
          waiter_(waiter),
          keeps_(keeps),
          function_(std::in_place, std::forward<F>(function)) {
      waiter_->add();
    }

   private:
    void run() noexcept override {
      TASKRACE_DETAIL_TRY { (*function_)(); }
      TASKRACE_DETAIL_CATCH {
        if (!keeps_) std::terminate();
        waiter_->error.keep();
      }
      // The job may outlive its task.
      function_.reset();
      waiter_->done();
    }

    group* waiter_;
    bool keeps_;
    std::optional<Function> function_;
  };

  std::optional<tbb_group> nested_;
  std::atomic<std::size_t> unfinished_{1};  // one for the owner, until it is suspended
  suspended_task waiter_;
};

inline group* innermost_finish() noexcept {
  return tasks_suspend.load(std::memory_order_relaxed) ? context().finish : thread_context.finish;
}

class scope_tasks {
 public:
  scope_tasks() = default;
  ~scope_tasks() { wait(); }
  scope_tasks(const scope_tasks&) = delete;
  scope_tasks& operator=(const scope_tasks&) = delete;

  template <class F>
  void spawn(F&& function) {
    if (tasks_suspend.load(std::memory_order_relaxed)) {
      spawn_job(std::forward<F>(function));
    } else {
      group_.run(std::forward<F>(function), innermost_finish(), true);
    }
  }
  void sync() {
    wait();
    group_.error.rethrow();
  }

 private:
  template <class F>
  [[gnu::noinline]] void spawn_job(F&& function) {
    job* task = group_.run_or_leave(std::forward<F>(function), context().finish);
    if (newest_ != nullptr) job::release(newest_);
    newest_ = task;
  }
  [[gnu::noinline]] void run_newest() noexcept {
    job* task = std::exchange(newest_, nullptr);
    suspension::run_here(task);
    job::release(task);
  }
  void wait() {
    if (newest_ != nullptr) run_newest();
    group_.wait();
  }

  group group_;
  job* newest_ = nullptr;  // if it has not begun, the owner runs it rather than waits
};

// Those of an algorithm of ours.
using nested_tasks = scope_tasks;

template <class Function>
void finish(Function& function) {
  group tasks;
  {
    inside_finish inside(&tasks);
    TASKRACE_DETAIL_TRY { function(); }
    TASKRACE_DETAIL_CATCH { tasks.error.keep(); }
  }
  tasks.wait();
  tasks.error.rethrow();
}

// Made by the first async or future outside of every finish, so that what main's globals
// hold outlives its tasks.
inline group& implicit_finish() {
  struct waits_at_exit {
    group tasks;
    ~waits_at_exit() { tasks.wait(); }
  };
  static waits_at_exit implicit;
  return implicit.tasks;
}

// The group that waits for what is made inside `finish`.
inline group& waiting_finish(group* finish) {
  return finish == nullptr ? implicit_finish() : *finish;
}

template <class F>
void async(F&& function) {
  group* finish = innermost_finish();
  waiting_finish(finish).run(std::forward<F>(function), finish, finish != nullptr);
}

// A loop whose tasks suspend. The range is halved down to `grain` calls of body(k); if one of these
// calls waits, those after it become a task of their own: it may wait for them.
template <class Body>
class suspending_loop {
 public:
  suspending_loop(std::size_t grain, const Body& body) : grain_(grain), body_(body) {}

  void run(std::size_t count) {
    finish_ = context().finish;
    run_part(0, count);
    tasks_.wait();
    tasks_.error.rethrow();
  }

 private:
  class rest final : public watcher {
   public:
    rest(suspending_loop& loop, std::size_t first, std::size_t last) noexcept
        : next(first), end(last), loop_(loop) {}
    std::size_t next, end;

   private:
    void waits() noexcept override {
      if (next != end) loop_.start_part(next, std::exchange(end, next));
    }
    void goes_on() noexcept override {}
    suspending_loop& loop_;
  };

  void start_part(std::size_t begin, std::size_t end) {
    tasks_.run([this, begin, end] { run_part(begin, end); }, finish_, true);
  }
  void run_part(std::size_t begin, std::size_t end) {
    while (end - begin > grain_) {
      const std::size_t middle = begin + (end - begin) / 2;
      start_part(middle, end);
      end = middle;
    }
    for (rest part(*this, begin, end); part.next != part.end;) {
      const std::size_t k = part.next++;
      TASKRACE_DETAIL_TRY { body_(k); }
      TASKRACE_DETAIL_CATCH { tasks_.error.keep(); }
    }
  }

  group tasks_;
  group* finish_ = nullptr;
  std::size_t grain_;
  const Body& body_;
};

// Runs the range in parts of at most `most` iterations; oneTBB decides how long they are.
template <class Index, class Function>
void for_at_most(index_range<Index> range, std::size_t most, const Function& function) {
  if (tasks_suspend.load(std::memory_order_relaxed)) {
    const auto body = [&](std::size_t k) { function(range[k]); };
    const std::size_t parts = 8 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const std::size_t even = range.count / parts + 1;
    suspending_loop<decltype(body)>(even < most ? even : most, body).run(range.count);
    return;
  }
  tbb::task_group_context context(tbb::task_group_context::isolated);
  first_error error;
  const auto run_part =
      [&, finish = thread_context.finish](const tbb::blocked_range<std::size_t>& part) {
        inside_finish_on_thread inside(finish);
        for (std::size_t k = part.begin(); k != part.end(); ++k) {
          TASKRACE_DETAIL_TRY { function(range[k]); }
          TASKRACE_DETAIL_CATCH { error.keep(); }
        }
      };
  if (most >= range.count) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, range.count), run_part, context);
  } else {
    // This partitioner alone keeps to an upper bound.
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, range.count, most), run_part,
                      tbb::simple_partitioner(), context);
  }
  error.rethrow();
}

// oneTBB decides how many iterations run in one of its tasks; nobody can tell.
template <class Index, class Function>
void for_each(index_range<Index> range, const Function& function) {
  on_tbb::for_at_most(range, static_cast<std::size_t>(-1), function);
}

template <class Index, class Function>
void for_chunks(index_range<Index> range, std::size_t grain, const Function& function) {
  const std::size_t chunks = range.count / grain + (range.count % grain != 0);
  const auto run_chunk = [&](std::size_t chunk) {
    const std::size_t begin = chunk * grain;
    const std::size_t end = range.count - begin < grain ? range.count : begin + grain;
    for (std::size_t k = begin; k != end; ++k) function(range[k]);
  };
  if (tasks_suspend.load(std::memory_order_relaxed)) {
    suspending_loop<decltype(run_chunk)>(1, run_chunk).run(chunks);
    return;
  }
  tbb::task_group_context context(tbb::task_group_context::isolated);
  first_error error;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, chunks),
      [&, finish = thread_context.finish](const tbb::blocked_range<std::size_t>& part) {
        inside_finish_on_thread inside(finish);
        for (std::size_t chunk = part.begin(); chunk != part.end(); ++chunk) {
          TASKRACE_DETAIL_TRY { run_chunk(chunk); }
          TASKRACE_DETAIL_CATCH { error.keep(); }
        }
      },
      tbb::simple_partitioner(), context);
  error.rethrow();
}

// Outside of every arena there is one thread, that of main.
inline std::size_t this_worker() noexcept {
  const int number = tbb::this_task_arena::current_thread_index();
  return number < 0 ? 0 : static_cast<std::size_t>(number);
}
inline std::size_t max_workers() noexcept {
  return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#endif
