// The ordinary build of <taskrace/tasks.hpp>: tasks run in parallel on oneTBB.
//
// A thread that waits runs other tasks on its stack, tasks of other finishes among them. So the
// innermost finish belongs to a task, not to a thread: every task takes its creator's along, sets
// it for the time of its body, and puts back what it found.
//
// No exception reaches oneTBB, and no cancellation from outside reaches in: every task runs, as in
// the other builds; the waiter rethrows the first exception after all of them.
//
// Thread rule: first_error::keep may be called by many threads at once, all else by a
// group's owner. Cost: a task one oneTBB task and two thread-local stores; a scope or finish
// one tbb::task_group.
#ifndef TASKRACE_DETAIL_ON_TBB_HPP
#define TASKRACE_DETAIL_ON_TBB_HPP

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <taskrace/detail/exceptions.hpp>
#include <taskrace/detail/index_range.hpp>
#include <type_traits>
#include <utility>

#define TASKRACE_DETAIL_BUILD on_tbb

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

// What one join waits for.
struct group {
  tbb::task_group_context context{tbb::task_group_context::isolated};
  tbb::task_group tasks{context};
  first_error error;
};

// The finish that takes the asyncs of the task that runs; null: the implicit one of main. One per
// thread of the program, also when libraries are built with hidden visibility.
__attribute__((visibility("default"))) inline thread_local group* innermost_finish = nullptr;

class inside_finish {
 public:
  explicit inside_finish(group* finish) noexcept : found_(innermost_finish) {
    innermost_finish = finish;
  }
  ~inside_finish() { innermost_finish = found_; }
  inside_finish(const inside_finish&) = delete;
  inside_finish& operator=(const inside_finish&) = delete;

 private:
  group* found_;
};

// A task's closure. oneTBB calls it as const, but it is called once, and is the task's own.
template <class Function>
struct closure {
  group* finish;
  group* waiter;  // null: the implicit finish, where nobody could catch
  mutable Function function;

  void operator()() const noexcept {
    inside_finish inside(finish);
    TASKRACE_DETAIL_TRY { function(); }
    TASKRACE_DETAIL_CATCH {
      if (waiter == nullptr) std::terminate();
      waiter->error.keep();
    }
  }
};

class scope_tasks {
 public:
  scope_tasks() = default;
  ~scope_tasks() { group_.tasks.wait(); }
  scope_tasks(const scope_tasks&) = delete;
  scope_tasks& operator=(const scope_tasks&) = delete;

  template <class F>
  void spawn(F&& function) {
    group_.tasks.run(
        closure<std::decay_t<F>>{innermost_finish, &group_, std::forward<F>(function)});
  }
  void sync() {
    group_.tasks.wait();
    group_.error.rethrow();
  }

 private:
  group group_;
};

template <class Function>
void finish(Function& function) {
  group tasks;
  {
    inside_finish inside(&tasks);
    TASKRACE_DETAIL_TRY { function(); }
    TASKRACE_DETAIL_CATCH { tasks.error.keep(); }
  }
  tasks.tasks.wait();
  tasks.error.rethrow();
}

// Made by the first async outside of every finish, so that what main's globals
// hold outlives its tasks.
inline group& implicit_finish() {
  struct waits_at_exit {
    group tasks;
    ~waits_at_exit() { tasks.tasks.wait(); }
  };
  static waits_at_exit implicit;
  return implicit.tasks;
}

template <class F>
void async(F&& function) {
  group* finish = innermost_finish;
  group& tasks = finish == nullptr ? implicit_finish() : *finish;
  tasks.tasks.run(closure<std::decay_t<F>>{finish, finish, std::forward<F>(function)});
}

// oneTBB decides how many iterations run in one of its tasks; nobody can tell.
template <class Index, class Function>
void for_each(index_range<Index> range, const Function& function) {
  tbb::task_group_context context(tbb::task_group_context::isolated);
  first_error error;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, range.count),
      [&, finish = innermost_finish](const tbb::blocked_range<std::size_t>& part) {
        inside_finish inside(finish);
        for (std::size_t k = part.begin(); k != part.end(); ++k) {
          TASKRACE_DETAIL_TRY { function(range[k]); }
          TASKRACE_DETAIL_CATCH { error.keep(); }
        }
      },
      context);
  error.rethrow();
}

template <class Index, class Function>
void for_chunks(index_range<Index> range, std::size_t grain, const Function& function) {
  tbb::task_group_context context(tbb::task_group_context::isolated);
  first_error error;
  const std::size_t chunks = range.count / grain + (range.count % grain != 0);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, chunks),
      [&, finish = innermost_finish](const tbb::blocked_range<std::size_t>& part) {
        inside_finish inside(finish);
        for (std::size_t chunk = part.begin(); chunk != part.end(); ++chunk) {
          const std::size_t begin = chunk * grain;
          const std::size_t end = range.count - begin < grain ? range.count : begin + grain;
          TASKRACE_DETAIL_TRY {
            for (std::size_t k = begin; k != end; ++k) function(range[k]);
          }
          TASKRACE_DETAIL_CATCH { error.keep(); }
        }
      },
      tbb::simple_partitioner(), context);
  error.rethrow();
}

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#endif
