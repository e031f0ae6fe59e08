// What the handles of a future, a promise or a fork share. Included after the build's `completion`,
// which says when it is ready, how one waits for that, and who still refers to it:
//
//   completion                       not ready, one reference
//   add_reference(), release(state)  the last release destroys it
//   claim(), unclaim()               a promise is set by whoever claims it first
//   complete()                       ready: what waits goes on
//   wait()                           returns when it is ready
//
// Thread rule: handles are values, each used by one task at a time; what they refer to may be used
// by all tasks at once. Cost: one block on the heap; a copied handle is one counter more.
#ifndef TASKRACE_DETAIL_SHARED_STATE_HPP
#define TASKRACE_DETAIL_SHARED_STATE_HPP

#include <exception>
#include <memory>
#include <taskrace/detail/exceptions.hpp>
#include <taskrace/detail/future_error.hpp>
#include <taskrace/detail/result.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace TASKRACE_DETAIL_BUILD {

template <class T>
class shared_state : public completion {
 public:
  using completion::completion;
  result<T> outcome;
};

// A counted reference to a state, or null. Whatever would get the address of one is inlined always:
// one that nobody else knows is then a register, and under detection there is nothing to check.
template <class T>
class state_pointer {
 public:
  state_pointer() noexcept : state_(nullptr) {}
  // Takes over a reference.
  explicit state_pointer(shared_state<T>* state) noexcept : state_(state) {}
  [[gnu::always_inline]] state_pointer(const state_pointer& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->add_reference();
  }
  [[gnu::always_inline]] state_pointer(state_pointer&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)) {}
  [[gnu::always_inline]] state_pointer& operator=(state_pointer other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  [[gnu::always_inline]] ~state_pointer() {
    if (state_ != nullptr) completion::release(state_);
  }

  explicit operator bool() const noexcept { return state_ != nullptr; }
  // Throws if there is none.
  shared_state<T>* operator->() const {
    if (state_ == nullptr) detail::fail(future_errc::no_state);
    return state_;
  }

  // As a future: gets it and lets it go.
  T take() {
    const state_pointer state = std::move(*this);
    state->wait();
    return state->outcome.take();
  }
  // As a shared one: gets it, and may do so again.
  looked_at_t<T> look() const {
    (*this)->wait();
    return state_->outcome.look();
  }
  void wait() const { (*this)->wait(); }
  state_pointer share() noexcept { return std::move(*this); }

 private:
  shared_state<T>* state_;
};

// Sets what set(outcome) sets, once. Holds a reference of its own: a task that the set wakes up may
// destroy the promise before this returns.
template <class T, class Set>
[[gnu::always_inline]] inline void satisfy(state_pointer<T> state, Set set) {
  if (!state->claim()) detail::fail(future_errc::promise_already_satisfied);
  struct unclaims_unless_set {
    shared_state<T>* state;
    bool set;
    ~unclaims_unless_set() {
      if (!set) state->unclaim();
    }
  } guard{state.operator->(), false};
  set(state->outcome);
  guard.set = true;
  state->complete();
}

template <class T>
[[gnu::cold, gnu::noinline]] void break_promise(shared_state<T>* state) noexcept {
  state->outcome.set_error(std::make_exception_ptr(future_error(future_errc::broken_promise)));
  state->complete();
}

// The promise of this state is gone: who still waits gets an exception.
template <class T>
[[gnu::always_inline]] inline void abandon(state_pointer<T> state) noexcept {
  if (state->is_shared() && state->claim()) detail::break_promise(state.operator->());
}

}  // namespace TASKRACE_DETAIL_BUILD
}  // namespace detail
}  // namespace taskrace

#endif
