// What a misused future or promise throws, after std::future_error.
//
// Thread rule: a value. Cost: none until it is thrown.
#ifndef TASKRACE_DETAIL_FUTURE_ERROR_HPP
#define TASKRACE_DETAIL_FUTURE_ERROR_HPP

#include <exception>
#include <stdexcept>

namespace taskrace {

enum class future_errc {
  no_state = 1,               // used without a shared state: after get() or a move, or empty
  promise_already_satisfied,  // a second set
  broken_promise,             // what waiters get when a promise is destroyed unset
  would_block                 // plain build: the task that could set the promise has not run yet
};

class future_error : public std::logic_error {
 public:
  explicit future_error(future_errc code) : std::logic_error(text(code)), code_(code) {}
  future_errc code() const noexcept { return code_; }

 private:
  static const char* text(future_errc code) noexcept {
    switch (code) {
      case future_errc::no_state:
        return "taskrace: no shared state: already read, joined, moved or never created";
      case future_errc::promise_already_satisfied:
        return "taskrace: the promise is already set";
      case future_errc::broken_promise:
        return "taskrace: the promise was destroyed before it was set";
      case future_errc::would_block:
        return "taskrace: the promise is not set, and in a plain build no task can set it any more";
    }
    return "taskrace: unknown future error";
  }

  future_errc code_;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail(future_errc code) {
#ifdef __cpp_exceptions
  throw future_error(code);
#else
  (void)code;
  std::terminate();
#endif
}

}  // namespace detail
}  // namespace taskrace

#endif
