// Futures, promises and forks in the plain build: a future's task is a call, and the future holds
// what it returned; a promise is a slot.
//
// Thread rule: one thread. Cost: a future none but its value; a promise or shared_future one block
// on the heap, counted without atomics.
#ifndef TASKRACE_DETAIL_ELIDED_FUTURES_HPP
#define TASKRACE_DETAIL_ELIDED_FUTURES_HPP

#include <optional>
#include <taskrace/detail/elided.hpp>
#include <taskrace/detail/future_error.hpp>
#include <taskrace/detail/result.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace elided {

class completion {
 public:
  completion() noexcept = default;
  completion(const completion&) = delete;
  completion& operator=(const completion&) = delete;

  void complete() noexcept { ready_ = true; }
  void wait() const {
    if (!ready_) detail::fail(future_errc::would_block);
  }
  bool claim() noexcept { return !std::exchange(claimed_, true); }
  void unclaim() noexcept { claimed_ = false; }
  void add_reference() noexcept { ++references_; }
  bool is_shared() const noexcept { return references_ > 1; }
  template <class State>
  static void release(State* state) noexcept {
    if (--state->references_ == 0) delete state;
  }

 private:
  unsigned references_ = 1;
  bool claimed_ = false;
  bool ready_ = false;
};

}  // namespace elided
}  // namespace detail
}  // namespace taskrace

#include <taskrace/detail/shared_state.hpp>

namespace taskrace {
namespace detail {
inline namespace elided {

// A result that is there already, or nothing.
template <class T>
class future_state {
 public:
  future_state() noexcept = default;
  template <class Function>
  explicit future_state(Function& function) {
    if constexpr (std::is_void_v<T>) {
      function();
      value_.emplace();
    } else if constexpr (std::is_lvalue_reference_v<T>) {
      value_.emplace(std::addressof(function()));
    } else {
      value_.emplace(function());
    }
  }
  future_state(future_state&& other) noexcept(std::is_nothrow_move_constructible_v<kept_t<T>>)
      : value_(std::move(other.value_)) {
    other.value_.reset();
  }
  future_state& operator=(future_state&& other) noexcept(
      std::is_nothrow_move_constructible_v<kept_t<T>>) {
    value_.reset();
    if (other.value_) value_.emplace(std::move(*other.value_));
    other.value_.reset();
    return *this;
  }

  explicit operator bool() const noexcept { return value_.has_value(); }
  void wait() const {
    if (!value_) detail::fail(future_errc::no_state);
  }
  T take() {
    wait();
    future_state taken(std::move(*this));
    if constexpr (std::is_lvalue_reference_v<T>) {
      return **taken.value_;
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(*taken.value_);
    }
  }
  state_pointer<T> share() {
    if (!value_) return state_pointer<T>();
    state_pointer<T> state(new shared_state<T>);
    auto taken = [this]() -> T { return take(); };
    state->outcome.set_by(taken);
    state->complete();
    return state;
  }

 private:
  std::optional<kept_t<T>> value_;
};

template <class T, class F>
future_state<T> make_future(F&& function) {
  if constexpr (std::is_lvalue_reference_v<F>) {
    std::decay_t<F> copy(function);
    return future_state<T>(copy);
  } else {
    return future_state<T>(function);
  }
}

template <class T>
state_pointer<T> make_promise() {
  return state_pointer<T>(new shared_state<T>);
}

using fork_state = future_state<void>;

template <class F>
fork_state fork(F&& function) {
  return elided::make_future<void>(std::forward<F>(function));
}

inline void join(fork_state state) { state.take(); }

}  // namespace elided
}  // namespace detail
}  // namespace taskrace

#endif
