// A task that sets a promise when it is through, and one that first waits for promises of others:
// what replaces an OpenMP task and its dependences.
//
// Thread rule: any task. Cost: a promise and an async a task, a get for everything it waits for.
#ifndef TASKRACE_BENCH_PROGRAMS_DRDP_PROMISED_TASK_H
#define TASKRACE_BENCH_PROGRAMS_DRDP_PROMISED_TASK_H

#include <array>
#include <cstddef>
#include <taskrace/tasks.hpp>
#include <type_traits>
#include <utility>

namespace bench {

// Starts an async that sets a promise to what the function returns.
template <class Function>
auto Start(const Function& function) {
  using Result = decltype(function());
  taskrace::promise<Result> promise;
  taskrace::shared_future<Result> result = promise.get_future();
  taskrace::async([function, promise = std::move(promise)]() mutable {
    if constexpr (std::is_void_v<Result>) {
      function();
      promise.set_value();
    } else {
      promise.set_value(function());
    }
  });
  return result;
}

// That something is done; waits for nothing if it is not valid.
using Done = taskrace::shared_future<void>;

// Starts an async that waits for all of `needs` and then calls the function.
template <std::size_t kNeeds, class Function>
Done StartAfter(const std::array<Done, kNeeds>& needs, const Function& function) {
  return Start([needs, function] {
    for (const Done& need : needs) {
      if (need.valid()) need.get();
    }
    function();
  });
}

}  // namespace bench

#endif
