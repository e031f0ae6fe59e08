// Arenas of oneTBB. Which threads run a task is up to the schedule, so an arena is its number of threads.
//
// An enqueued task is joined by nothing but the end of the program.
#pragma GCC system_header
#ifndef TASKRACE_TBB_TASK_ARENA_H
#define TASKRACE_TBB_TASK_ARENA_H

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_group.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <new>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/concurrency.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <taskrace/detail/tbb/slots.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

struct attach {};

// A task that nobody waits for.
template <class F>
void enqueue_task(F&& function) {
  using Function = std::decay_t<F>;
  using Block = taskrace::detail::task_block<crew::member*, Function>;
  crew alone;
  crew::member* member = alone.add();
  void* storage = Block::storage(member);
  ::new (Block::place(storage)) Function(std::forward<F>(function));
  __taskrace_make_future(
      crew::future_of(member),
      [](void* mine) noexcept {
        Function& body = Block::body(mine);
        body();
        body.~Function();
      },
      storage);
}

class task_arena {
 public:
  static constexpr int automatic = -1;
  static constexpr int not_initialized = -2;
  enum class priority : int { low = 1, normal = 2, high = 3 };
  using constraints = arena_constraints;
  using attach = taskrace1::attach;

  explicit task_arena(int max_concurrency = automatic, unsigned = 1, priority = priority::normal)
      : threads_(max_concurrency) {}
  explicit task_arena(const constraints& limits, unsigned = 1, priority = priority::normal)
      : threads_(limits.max_concurrency) {}
  explicit task_arena(attach) : threads_(current_concurrency()), is_active_(true) {}
  task_arena(const task_arena& other) : threads_(other.threads_) {}

  void initialize() { is_active_ = true; }
  void initialize(int max_concurrency, unsigned = 1, priority = priority::normal) {
    if (!is_active_) threads_ = max_concurrency;
    is_active_ = true;
  }
  void initialize(const constraints& limits, unsigned = 1, priority = priority::normal) {
    initialize(limits.max_concurrency);
  }
  void initialize(attach) { initialize(current_concurrency()); }
  void terminate() { is_active_ = false; }
  bool is_active() const { return is_active_; }
  int max_concurrency() const {
    return threads_ > 1 ? threads_ : threads_ == 1 ? 1 : default_concurrency();
  }

  // A call.
  template <class Function>
  auto execute(Function&& function) -> decltype(function()) {
    const region inside(max_concurrency());
    return function();
  }
  template <class Function>
  void enqueue(Function&& function) {
    taskrace1::enqueue_task(std::forward<Function>(function));
  }
  void enqueue(task_handle&& handle) {
    task_handle mine(std::move(handle));
    taskrace1::enqueue_task(mine.release());
  }

 private:
  class region {
   public:
    TASKRACE_NO_INSTRUMENT explicit region(int threads) noexcept
        : before_(concurrency_limits::of_arena) {
      concurrency_limits::of_arena = threads;
    }
    TASKRACE_NO_INSTRUMENT ~region() { concurrency_limits::of_arena = before_; }
    region(const region&) = delete;
    region& operator=(const region&) = delete;

   private:
    int before_;
  };

  int threads_;
  bool is_active_ = false;
};

namespace arena_of_this_task {
// The number of the slot that the running task has, below max_concurrency(); slots.hpp.
inline int current_thread_index() { return current_slot(); }
inline int max_concurrency() { return current_concurrency(); }
template <class Function>
auto isolate(Function&& function) -> decltype(function()) {
  return function();
}
template <class Function>
void enqueue(Function&& function) {
  taskrace1::enqueue_task(std::forward<Function>(function));
}
inline void enqueue(task_handle&& handle) {
  task_handle mine(std::move(handle));
  taskrace1::enqueue_task(mine.release());
}
}  // namespace arena_of_this_task

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::attach;
using detail::task_arena;
namespace this_task_arena {
using namespace detail::arena_of_this_task;
}  // namespace this_task_arena
}  // namespace v1
}  // namespace tbb

#endif
