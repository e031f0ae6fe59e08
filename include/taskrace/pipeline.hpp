// Pipelines: a part of <taskrace/tasks.hpp>, which says what holds for all constructs.
//
//   taskrace::pipeline(source, taskrace::serial(parse), taskrace::parallel(pack), ...);
#ifndef TASKRACE_PIPELINE_HPP
#define TASKRACE_PIPELINE_HPP

#if __cplusplus < 201703L
#error "taskrace needs C++17: compile with -std=c++17 or later"
#endif

#if defined(TASKRACE_SERIAL)
#include <taskrace/detail/elided_pipeline.hpp>
#elif defined(__TASKRACE__)
#include <taskrace/detail/detected_pipeline.hpp>
#else
#include <taskrace/detail/on_tbb_pipeline.hpp>
#endif

#include <taskrace/detail/pipeline_stages.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
inline namespace TASKRACE_DETAIL_BUILD {

// A stage that takes one item at a time, in the order in which they left the source. Keeps a copy
// of the callable, and may change it.
template <class Function>
[[nodiscard]] auto serial(Function&& function) {
  return detail::serial_stage<std::decay_t<Function>>{std::forward<Function>(function)};
}

// A stage that takes any items at once, in any order. Keeps a copy of the callable, and calls it as
// const.
template <class Function>
[[nodiscard]] auto parallel(Function&& function) {
  return detail::parallel_stage<std::decay_t<Function>>{std::forward<Function>(function)};
}

// Sends items through the stages, and returns when all of them are through.
//   source   () -> std::optional<Item>: the next item; empty: the end. Called by the caller of
//            pipeline, one call after the other
//   stage    serial(f) or parallel(f), where f takes the item of the source or what the stage
//            before returns, by value or rvalue reference, and returns the next item; what the last
//            stage returns is ignored
// Items are moved from stage to stage. Item i in stage s comes after item i in stage s - 1 and, in
// a serial stage, after item i - 1 in stage s; everything else is in parallel. An ordinary build
// keeps a limited number of items under way, four for each thread and at least 16, more only if
// all of them wait for something else.
//
// An exception that leaves a stage ends its item there. It, or one that leaves the source, stops the
// source; items in progress continue, and then pipeline rethrows the first exception. How many
// items were in progress depends on the build and the schedule.
template <class Source, class... Stages>
void pipeline(Source&& source, Stages&&... stages) {
  detail::pipeline(source, stages...);
}

}  // namespace TASKRACE_DETAIL_BUILD
}  // namespace taskrace

#endif
