// Futures, promises and forked tasks: a part of <taskrace/tasks.hpp>, which says what holds for
// all constructs.
//
//   auto f = taskrace::make_future(g);  f.get();      the result of a task, got once
//   auto s = f.share();  s.get();                     got any number of times, by any task
//   taskrace::promise<T> p;  p.set_value(v);          a result that some task sets
//   auto h = taskrace::fork(g);  h.join();            a task that is joined on its own
//
// A handle (future, shared_future, promise, forked) is an object like any other: two tasks that use
// the same one, and one of them changes it, race. Copies of a shared_future are separate handles.
// A handle may outlive the scope and the task in which it was created, and may be destroyed
// without a wait. The finish around the call that created a task waits for the task in any
// case; if its result is never read, its exception is dropped.
//
// T is a movable type, an lvalue reference or void.
//
// In an ordinary build a task that waits for a future whose task has not begun runs it. Otherwise a
// waiting task keeps its stack, and the thread continues with another one: first with tasks that can
// continue, then with the newest that has not begun. So a recursion needs about as many stacks as it
// is deep, times the threads. With 4096 stacks, new tasks do not begin as long as others can continue;
// a program in which more than some 30 000 tasks must have begun before the first of them can
// continue runs out of stacks on Linux (vm.max_map_count).
#ifndef TASKRACE_FUTURES_HPP
#define TASKRACE_FUTURES_HPP

#if __cplusplus < 201703L
#error "taskrace needs C++17: compile with -std=c++17 or later"
#endif

#if defined(TASKRACE_SERIAL)
#include <taskrace/detail/elided_futures.hpp>
#elif defined(__TASKRACE__)
#include <taskrace/detail/detected_futures.hpp>
#else
#include <taskrace/detail/on_tbb_futures.hpp>
#endif

#include <exception>
#include <taskrace/detail/future_error.hpp>
#include <taskrace/detail/result.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
inline namespace TASKRACE_DETAIL_BUILD {

// A misuse throws taskrace::future_error, with code() one of taskrace::future_errc:
// no_state, promise_already_satisfied, broken_promise, would_block (detail/future_error.hpp).

template <class T>
class shared_future;

// The result of one task, as std::future: moved, not copied, and got once. The destructor does not
// wait.
template <class T>
class future {
 public:
  // Refers to nothing.
  future() noexcept = default;
  future(future&&) noexcept = default;
  future& operator=(future&&) noexcept = default;

  // False if it refers to nothing: after get, share or a move.
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(state_); }

  // Waits for the task; returns its result by move, or rethrows its exception. What the task did
  // precedes what the caller does next. Afterwards the future is not valid. Throws no_state if it
  // was not valid before.
  T get() { return state_.take(); }

  // Waits for the task and leaves the result where it is. Throws no_state if not valid.
  void wait() const { state_.wait(); }

  // Hands the result over to a shared_future; this one is no longer valid.
  shared_future<T> share() { return shared_future<T>(state_.share()); }

 private:
  template <class Function>
  friend auto make_future(Function&& function);
  explicit future(detail::future_state<T> state) noexcept : state_(std::move(state)) {}

  detail::future_state<T> state_;
};

// The result of a task or of a promise, as std::shared_future: copied freely, got any number of
// times, by any task.
template <class T>
class shared_future {
 public:
  // Refers to nothing.
  shared_future() noexcept = default;
  shared_future(const shared_future&) noexcept = default;
  shared_future(shared_future&&) noexcept = default;
  shared_future& operator=(const shared_future&) noexcept = default;
  shared_future& operator=(shared_future&&) noexcept = default;
  [[gnu::always_inline]] ~shared_future() = default;
  // Takes the result over, as share() does. A template, so that a copy does not look into
  // future<T>: T may be incomplete, as in struct node { shared_future<node> next; }.
  template <class Future, std::enable_if_t<std::is_same_v<Future, future<T>>, int> = 0>
  shared_future(Future&& future) : shared_future(future.share()) {}

  // False if it refers to nothing.
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(state_); }

  // Waits; returns the result (const T&, T& if T is a reference, or nothing), or rethrows the
  // exception. The reference is good as long as there is a shared_future or promise that refers to
  // the result. Throws no_state if not valid.
  detail::looked_at_t<T> get() const { return state_.look(); }

  // Waits, and leaves it at that. Throws no_state if not valid.
  void wait() const { state_.wait(); }

 private:
  friend class future<T>;
  template <class Value>
  friend class promise;
  explicit shared_future(detail::state_pointer<T> state) noexcept : state_(std::move(state)) {}

  detail::state_pointer<T> state_;
};

// A result that any task may set, once. Moved, not copied. What the setter did before precedes what
// a getter does after.
//
// In an ordinary build and under detection a get waits for the set, wherever it is to come from. A
// plain build runs the tasks one after the other: a get before the set throws would_block, and a
// program that needs such a get has no plain build.
template <class T>
class promise {
 public:
  // A promise that is not set.
  promise() : state_(detail::make_promise<T>()) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&& other) noexcept {
    promise(std::move(other)).swap(*this);
    return *this;
  }
  // If it is not set, waiting tasks get a future_error, broken_promise.
  [[gnu::always_inline]] ~promise() {
    if (state_) detail::abandon(std::move(state_));
  }
  void swap(promise& other) noexcept { std::swap(state_, other.state_); }

  // A handle on the result. May be called any number of times, before and after the set. Throws
  // no_state after a move.
  [[nodiscard]] shared_future<T> get_future() const {
    state_.operator->();
    return shared_future<T>(state_);
  }

  // Sets the result and resumes the waiters. Throws promise_already_satisfied if it is set, and
  // what copying or moving the value throws; then it is not set. Throws no_state after a move.
  template <class Value = T,
            std::enable_if_t<!std::is_void_v<T> && !std::is_void_v<Value>, int> = 0>
  [[gnu::always_inline]] void set_value(Value&& value) {
    static_assert(std::is_convertible_v<Value&&, T>, "taskrace: no value of this promise");
    detail::satisfy(state_, [&value](detail::result<T>& outcome) {
      auto forward = [&value]() -> Value&& { return static_cast<Value&&>(value); };
      outcome.set_by(forward);
    });
  }
  template <class Void = T, std::enable_if_t<std::is_void_v<Void>, int> = 0>
  void set_value() {
    detail::satisfy(state_, [](detail::result<T>& outcome) {
      auto nothing = [] {};
      outcome.set_by(nothing);
    });
  }
  // The same for an exception, which every get rethrows.
  void set_exception(std::exception_ptr error) {
    detail::satisfy(state_,
                    [&error](detail::result<T>& outcome) { outcome.set_error(std::move(error)); });
  }

 private:
  detail::state_pointer<T> state_;
};

// Starts function() as a task and returns its result as a future. Returns like scope::spawn.
// The type of the future is what the function returns, references included.
template <class Function>
[[nodiscard]] auto make_future(Function&& function) {
  static_assert(std::is_invocable_v<std::decay_t<Function>&>,
                "taskrace: a task is called without arguments");
  using T = std::remove_cv_t<std::invoke_result_t<std::decay_t<Function>&>>;
  return future<T>(detail::make_future<T>(std::forward<Function>(function)));
}

// A task that was forked and can be joined. Moved, not copied.
class [[nodiscard]] forked {
 public:
  // Refers to nothing.
  forked() noexcept = default;
  forked(forked&&) noexcept = default;
  forked& operator=(forked&&) noexcept = default;

  // False if it refers to nothing: after join or a move.
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(state_); }

  // Waits for the task and rethrows its exception. Afterwards the handle is not valid. Throws
  // no_state if it was not valid before.
  void join() { detail::join(std::move(state_)); }

 private:
  template <class Function>
  friend forked fork(Function&& function);
  explicit forked(detail::fork_state state) noexcept : state_(std::move(state)) {}

  detail::fork_state state_;
};

// Starts function() as a task that is joined through the handle. Returns like scope::spawn.
// Any task may join it. The engine `lattice2d` asks for more: imagine the tasks in a line, where a
// forked task is put to the left of the one that forks it and a joined one leaves; then only the
// left neighbour is joined.
template <class Function>
forked fork(Function&& function) {
  static_assert(std::is_invocable_v<std::decay_t<Function>&>,
                "taskrace: a task is called without arguments");
  return forked(detail::fork(std::forward<Function>(function)));
}

}  // namespace TASKRACE_DETAIL_BUILD
}  // namespace taskrace

#endif
