// Resumable tasks of oneTBB: a suspended task waits for a promise, which resume sets.
#pragma GCC system_header
#ifndef TASKRACE_TBB_TASK_H
#define TASKRACE_TBB_TASK_H

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <new>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

struct suspension {
  __taskrace_future promise;

  TASKRACE_NO_INSTRUMENT static suspension* make() noexcept {
    return ::new (__taskrace_state_storage(sizeof(suspension), alignof(suspension))) suspension{};
  }
  TASKRACE_NO_INSTRUMENT __taskrace_future* future() noexcept { return &promise; }
};

// The context of the running task; null: it has none. A copy that lives until the thread asks again.
TASKRACE_NO_INSTRUMENT inline task_group_context* current_context() {
  static thread_local context_of_current_task current;
  return current.update();
}

namespace task_interface {
using suspend_point = suspension*;

// Calls function(point), then waits until resume(point) was called, by any task.
template <class Function>
void suspend(Function function) {
  suspension* point = suspension::make();
  __taskrace_promise_begin(point->future());
  function(point);
  __taskrace_get(point->future());
  __taskrace_promise_end(point->future());
  __taskrace_state_free(point);
}
inline void resume(suspend_point point) { __taskrace_promise_set(point->future()); }
using taskrace1::current_context;
}  // namespace task_interface

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
namespace task {
using detail::task_interface::current_context;
using detail::task_interface::resume;
using detail::task_interface::suspend;
using detail::task_interface::suspend_point;
}  // namespace task
}  // namespace v1
}  // namespace tbb

#endif
