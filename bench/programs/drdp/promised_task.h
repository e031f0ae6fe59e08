// A task that waits for promises of others and sets one of its own: what replaces the dependences of
// an OpenMP task.
//
// Thread rule: any task. Cost: a promise and an async a task, a get for everything it waits for.
#ifndef TASKRACE_BENCH_PROGRAMS_DRDP_PROMISED_TASK_H
#define TASKRACE_BENCH_PROGRAMS_DRDP_PROMISED_TASK_H

#include <array>
#include <cstddef>
#include <taskrace/tasks.hpp>
#include <utility>

namespace bench {

// That something is done; waits for nothing if it is not valid.
using Done = taskrace::shared_future<void>;

// Starts an async that waits for all of `needs` and then calls the function.
template <std::size_t kNeeds, class Function>
Done StartAfter(const std::array<Done, kNeeds>& needs, const Function& function) {
  taskrace::promise<void> promise;
  Done done = promise.get_future();
  taskrace::async([needs, function, promise = std::move(promise)]() mutable {
    for (const Done& need : needs) {
      if (need.valid()) need.get();
    }
    function();
    promise.set_value();
  });
  return done;
}

}  // namespace bench

#endif
