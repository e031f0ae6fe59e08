// Observers of oneTBB. Threads come and go when the scheduler likes: a callback for workers is parallel to everything until the
// observer is switched off.
#pragma GCC system_header
#ifndef TASKRACE_TBB_TASK_SCHEDULER_OBSERVER_H
#define TASKRACE_TBB_TASK_SCHEDULER_OBSERVER_H

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <taskrace/hooks.h>

#include <taskrace/detail/tbb/namespaces.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

class task_scheduler_observer {
 public:
  task_scheduler_observer() = default;
  explicit task_scheduler_observer(task_arena&) {}
  virtual ~task_scheduler_observer() {
    if (is_observing_) observe(false);
  }
  task_scheduler_observer(const task_scheduler_observer&) = delete;
  task_scheduler_observer& operator=(const task_scheduler_observer&) = delete;

  void observe(bool state = true) {
    if (state == is_observing_) return;
    is_observing_ = state;
    if (state) {
      on_scheduler_entry(false);
      workers_.run([this] {
        on_scheduler_entry(true);
        on_scheduler_exit(true);
      });
    } else {
      workers_.wait();
    }
  }
  bool is_observing() const { return is_observing_; }

  virtual void on_scheduler_entry(bool) {}
  virtual void on_scheduler_exit(bool) {}

 private:
  task_group workers_;
  bool is_observing_ = false;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::task_scheduler_observer;
}  // namespace v1
}  // namespace tbb

#endif
