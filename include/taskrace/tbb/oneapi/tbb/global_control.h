// global_control of oneTBB: the smallest living limit of threads is what programs are told; nothing else changes.
#pragma GCC system_header
#ifndef TASKRACE_TBB_GLOBAL_CONTROL_H
#define TASKRACE_TBB_GLOBAL_CONTROL_H

#include <oneapi/tbb/task_arena.h>
#include <taskrace/annotate.h>

#include <cstddef>
#include <new>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/concurrency.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

class global_control {
 public:
  enum parameter {
    max_allowed_parallelism,
    thread_stack_size,
    terminate_on_exception,
    scheduler_handle,
    parameter_max
  };

  TASKRACE_NO_INSTRUMENT global_control(parameter which, std::size_t value)
      : which_(which), value_(value), next_(all_) {
    all_ = this;
    update();
  }
  TASKRACE_NO_INSTRUMENT ~global_control() {
    global_control** at = &all_;
    while (*at != nullptr && *at != this) at = &(*at)->next_;
    if (*at == this) *at = next_;
    update();
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;

  TASKRACE_NO_INSTRUMENT static std::size_t active_value(parameter which) {
    if (which == max_allowed_parallelism) return static_cast<std::size_t>(default_concurrency());
    std::size_t most = which == thread_stack_size ? std::size_t{4} << 20 : 0;
    bool is_set = false;
    for (const global_control* one = all_; one != nullptr; one = one->next_) {
      if (one->which_ != which) continue;
      if (!is_set || one->value_ > most) most = one->value_;
      is_set = true;
    }
    return most;
  }

 private:
  TASKRACE_NO_INSTRUMENT static void update() noexcept {
    std::size_t most = 0;
    for (const global_control* one = all_; one != nullptr; one = one->next_) {
      if (one->which_ != max_allowed_parallelism) continue;
      if (most == 0 || one->value_ < most) most = one->value_;
    }
    __atomic_store_n(&concurrency_limits::most, most, __ATOMIC_RELAXED);
  }

  __attribute__((visibility("default"))) inline static global_control* all_ = nullptr;

  const parameter which_;
  const std::size_t value_;
  global_control* next_;
};

// There are no worker threads to wait for.
class task_scheduler_handle {
 public:
  task_scheduler_handle() = default;
  explicit task_scheduler_handle(attach) : has_value_(true) {}
  task_scheduler_handle(task_scheduler_handle&& other) noexcept
      : has_value_(std::exchange(other.has_value_, false)) {}
  task_scheduler_handle& operator=(task_scheduler_handle&& other) noexcept {
    has_value_ = std::exchange(other.has_value_, false);
    return *this;
  }
  explicit operator bool() const noexcept { return has_value_; }
  void release() { has_value_ = false; }

 private:
  bool has_value_ = false;
};
inline void finalize(task_scheduler_handle& handle) { handle.release(); }
inline bool finalize(task_scheduler_handle& handle, const std::nothrow_t&) noexcept {
  handle.release();
  return true;
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::finalize;
using detail::global_control;
using detail::task_scheduler_handle;
}  // namespace v1
}  // namespace tbb

#endif
