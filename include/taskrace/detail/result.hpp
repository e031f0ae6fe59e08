// What a task or a promise leaves behind: a value, a reference, nothing, or an exception.
//
// The flag is bookkeeping and never instrumented. The value, and the pointer to the exception, are
// the user's memory: written by whoever sets them, read by whoever gets them. But a scalar is put
// here and taken out by the interface, and neither can race: nobody knows where it is before he got
// it, and the set precedes every get; who takes it is the only one that has it. Only a reader of
// what look() refers to can race, with a writer of that.
//
// Thread rule: set once; read after that, by anybody. Cost: that of the value.
#ifndef TASKRACE_DETAIL_RESULT_HPP
#define TASKRACE_DETAIL_RESULT_HPP

#include <taskrace/annotate.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace taskrace {
namespace detail {

struct nothing {};

// How a T is kept.
template <class T>
struct kept_as {
  static_assert(!std::is_rvalue_reference_v<T>,
                "taskrace: the value of a future cannot be an rvalue reference");
  using type = T;
};
template <class T>
struct kept_as<T&> {
  using type = T*;
};
template <>
struct kept_as<void> {
  using type = nothing;
};
template <class T>
using kept_t = typename kept_as<T>::type;

// What shared_future<T>::get returns.
template <class T>
struct looked_at {
  using type = const T&;
};
template <class T>
struct looked_at<T&> {
  using type = T&;
};
template <>
struct looked_at<void> {
  using type = void;
};
template <class T>
using looked_at_t = typename looked_at<T>::type;

template <class T>
TASKRACE_NO_INSTRUMENT inline void put_scalar(void* memory, T value) noexcept {
  ::new (memory) T(value);
}
template <class T>
TASKRACE_NO_INSTRUMENT inline T take_scalar(const T& value) noexcept {
  return value;
}

// Calls function() and makes what is kept of it at `memory`.
template <class T, class Function>
void keep_result(void* memory, Function& function) {
  if constexpr (std::is_void_v<T>) {
    function();
  } else if constexpr (std::is_lvalue_reference_v<T>) {
    detail::put_scalar<kept_t<T>>(memory, std::addressof(function()));
  } else if constexpr (std::is_scalar_v<T>) {
    detail::put_scalar<T>(memory, function());
  } else {
    ::new (memory) T(function());
  }
}

template <class T>
class result {
 public:
  TASKRACE_NO_INSTRUMENT result() noexcept : left_(left::none) {}
  ~result() { clear(); }
  result(const result&) = delete;
  result& operator=(const result&) = delete;

  // Does clear() have nothing to destroy?
  bool is_trivial() const noexcept {
    const left what = leaves();
    return what == left::none ||
           (what == left::value && std::is_trivially_destructible_v<kept_t<T>>);
  }
  // Nothing is set any more.
  void clear() noexcept {
    const left what = leaves();
    if (what == left::error) error().~exception_ptr();
    if constexpr (!std::is_trivially_destructible_v<kept_t<T>>) {
      if (what == left::value) value().~kept_t<T>();
    }
    mark(left::none);
  }

  // Sets what function() returns. Throws what it throws; then nothing is set.
  template <class Function>
  void set_by(Function& function) {
    detail::keep_result<T>(memory_, function);
    mark(left::value);
  }
  void set_error(std::exception_ptr error) noexcept {
    ::new (static_cast<void*>(memory_)) std::exception_ptr(std::move(error));
    mark(left::error);
  }
  // Requires: an exception is being handled.
  void set_current_exception() noexcept {
    ::new (static_cast<void*>(memory_)) std::exception_ptr(std::current_exception());
    mark(left::error);
  }

  // Requires of both: it is set. Both rethrow what was set as an error.
  T take() {
    if (leaves() == left::error) rethrow();
    if constexpr (std::is_lvalue_reference_v<T>) {
      return *detail::take_scalar(value());
    } else if constexpr (std::is_scalar_v<T>) {
      return detail::take_scalar(value());
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(value());
    }
  }
  looked_at_t<T> look() {
    if (leaves() == left::error) rethrow();
    if constexpr (std::is_lvalue_reference_v<T>) {
      return *detail::take_scalar(value());
    } else if constexpr (!std::is_void_v<T>) {
      return value();
    }
  }

 private:
  enum class left : unsigned char { none, value, error };

  TASKRACE_NO_INSTRUMENT void mark(left what) noexcept { left_ = what; }
  TASKRACE_NO_INSTRUMENT left leaves() const noexcept { return left_; }
  kept_t<T>& value() noexcept { return *std::launder(reinterpret_cast<kept_t<T>*>(memory_)); }
  std::exception_ptr& error() noexcept {
    return *std::launder(reinterpret_cast<std::exception_ptr*>(memory_));
  }
  [[noreturn, gnu::cold, gnu::noinline]] void rethrow() { std::rethrow_exception(error()); }

  alignas(kept_t<T>) alignas(
      std::exception_ptr) unsigned char memory_[sizeof(kept_t<T>) > sizeof(std::exception_ptr)
                                                    ? sizeof(kept_t<T>)
                                                    : sizeof(std::exception_ptr)];
  left left_;
};

}  // namespace detail
}  // namespace taskrace

#endif
