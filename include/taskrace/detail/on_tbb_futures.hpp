// Futures, promises and forks in the ordinary build.
//
// Whoever waits for a task that has not begun runs it; otherwise the waiter is suspended, on a list
// of the state, until the task has ended or the promise is set.
//
// Thread rule: a state may be used by all threads at once. Cost: a future or fork is one block on
// the heap, put into a list and taken from it; a get of what is ready, one load.
#ifndef TASKRACE_DETAIL_ON_TBB_FUTURES_HPP
#define TASKRACE_DETAIL_ON_TBB_FUTURES_HPP

#include <atomic>
#include <cstdint>
#include <optional>
#include <taskrace/detail/exceptions.hpp>
#include <taskrace/detail/on_tbb.hpp>
#include <taskrace/detail/on_tbb_suspension.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace on_tbb {

// A task that is suspended until a state is ready; lies on its stack.
struct waiter {
  suspended_task task;
  waiter* next;
};

class completion : public job {
 public:
  // A promise: no task, so nobody can take it.
  completion() noexcept : job(nullptr, 1), users_(1) {}
  // The task of a future or a fork, inside `finish`.
  explicit completion(group* finish) noexcept : job(finish, 2), users_(2) {}

  // The handles and the task itself, until it has ended, use the outcome. Together they count as
  // one owner of the job. The other one is its list, or who has taken it from there.
  void add_reference() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  bool is_shared() const noexcept { return users_.load(std::memory_order_relaxed) > 1; }
  template <class State>
  static void release(State* state) noexcept {
    if (state->users_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    state->outcome.clear();
    job::release(state);
  }

  bool claim() noexcept { return !claimed_.exchange(true, std::memory_order_relaxed); }
  void unclaim() noexcept { claimed_.store(false, std::memory_order_relaxed); }

  // In the order in which they came.
  void complete() noexcept {
    waiter* reversed = nullptr;
    for (waiter* at = waiters_.exchange(&ready, std::memory_order_acq_rel); at != nullptr;) {
      at = std::exchange(at->next, std::exchange(reversed, at));
    }
    while (reversed != nullptr) {
      // The waiter is gone once it is resumed.
      const suspended_task task = reversed->task;
      reversed = reversed->next;
      suspension::resume(task);
    }
  }
  void wait() noexcept {
    if (is_ready()) return;
    if (suspension::run_here(this)) return;
    waiter mine{{}, nullptr};
    suspension::suspend([this, &mine](suspended_task task) {
      mine.task = task;
      waiter* first = waiters_.load(std::memory_order_acquire);
      do {
        if (first == &ready) return suspension::resume(task);
        mine.next = first;
      } while (!waiters_.compare_exchange_weak(first, &mine, std::memory_order_acq_rel,
                                               std::memory_order_acquire));
    });
  }

 private:
  bool is_ready() const noexcept { return waiters_.load(std::memory_order_acquire) == &ready; }
  void run() noexcept override {}

  // Marks the list of a state that is ready.
  __attribute__((visibility("default"))) static inline waiter ready{{}, nullptr};
  std::atomic<waiter*> waiters_{nullptr};
  std::atomic<uint32_t> users_;
  std::atomic<bool> claimed_{false};
};

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#include <taskrace/detail/shared_state.hpp>

namespace taskrace {
namespace detail {
inline namespace on_tbb {

template <class T>
using future_state = state_pointer<T>;

template <class T, class Function>
class single_job final : public shared_state<T> {
 public:
  template <class F>
  single_job(group* finish, F&& function)
      : shared_state<T>(finish),
        waiter_(waiting_finish(finish)),
        function_(std::in_place, std::forward<F>(function)) {
    waiter_.add();
  }

 private:
  void run() noexcept override {
    TASKRACE_DETAIL_TRY { this->outcome.set_by(*function_); }
    TASKRACE_DETAIL_CATCH { this->outcome.set_current_exception(); }
    function_.reset();
    this->complete();
    // Whoever runs the job still owns it.
    completion::release<shared_state<T>>(this);
    waiter_.done();
  }

  group& waiter_;
  std::optional<Function> function_;
};

template <class T, class F>
state_pointer<T> make_future(F&& function) {
  on_tbb::need_suspension<std::decay_t<F>>();
  auto* task = new single_job<T, std::decay_t<F>>(innermost_finish(), std::forward<F>(function));
  suspension::enqueue(task);
  return state_pointer<T>(task);
}

template <class T>
state_pointer<T> make_promise() {
  on_tbb::need_suspension<state_pointer<T>>();
  return state_pointer<T>(new shared_state<T>);
}

using fork_state = state_pointer<void>;

template <class F>
fork_state fork(F&& function) {
  return on_tbb::make_future<void>(std::forward<F>(function));
}

inline void join(fork_state state) { state.take(); }

}  // namespace on_tbb
}  // namespace detail
}  // namespace taskrace

#endif
