// parallel_reduce and parallel_deterministic_reduce of oneTBB.
//
// parallel_reduce divides down to the finest leaves. The deterministic one divides as the library does, so that
// its value is the same bit by bit: to the grain size, or with static_partitioner in shares for the
// number of threads that this_task_arena::max_concurrency() says.
#pragma GCC system_header
#ifndef TASKRACE_TBB_PARALLEL_REDUCE_H
#define TASKRACE_TBB_PARALLEL_REDUCE_H

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/partitioner.h>

#include <optional>
#include <taskrace/detail/tbb/concurrency.hpp>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <taskrace/detail/tbb/reductions.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class Range, class Body>
void reduce_with_body(const Range& range, Body& body) {
  if (range.empty()) return;
  Range whole(range);
  taskrace1::reduce_tree<true>(whole, body, halves());
}
template <class Range, class Body, class Partitioner>
void reduce_deterministically(const Range& range, Body& body, const Partitioner&) {
  if (range.empty()) return;
  Range whole(range);
  if constexpr (std::is_same_v<Partitioner, static_partitioner>) {
    taskrace1::reduce_tree<false>(whole, body,
                                  shares(static_cast<std::size_t>(current_concurrency())));
  } else {
    taskrace1::reduce_tree<false>(whole, body, halves());
  }
}
// For overloads: a partitioner of a deterministic reduction.
template <class Partitioner>
using if_deterministic =
    std::enable_if_t<std::is_same_v<std::decay_t<Partitioner>, simple_partitioner> ||
                     std::is_same_v<std::decay_t<Partitioner>, static_partitioner>>;
// What a cancelled construct returns is the identity.
template <class Value, class... Context, class Construct>
Value value_of(const Value& identity, const Construct& construct, Context&... context) {
  std::optional<Value> value;
  const auto run = [&] { value.emplace(construct()); };
  if constexpr (sizeof...(context) == 0) {
    taskrace1::run_in_own_context(run);
  } else {
    taskrace1::run_in(context..., run);
  }
  return value ? std::move(*value) : identity;
}

// ---- parallel_reduce with a body

template <class Range, class Body>
void parallel_reduce(const Range& range, Body& body) {
  taskrace1::run_in_own_context([&] { taskrace1::reduce_with_body(range, body); });
}
template <class Range, class Body>
void parallel_reduce(const Range& range, Body& body, task_group_context& context) {
  taskrace1::run_in(context, [&] { taskrace1::reduce_with_body(range, body); });
}
template <class Range, class Body, class Partitioner, class = if_partitioner<Partitioner>>
void parallel_reduce(const Range& range, Body& body, Partitioner&&) {
  taskrace1::run_in_own_context([&] { taskrace1::reduce_with_body(range, body); });
}
template <class Range, class Body, class Partitioner, class = if_partitioner<Partitioner>>
void parallel_reduce(const Range& range, Body& body, Partitioner&&, task_group_context& context) {
  taskrace1::run_in(context, [&] { taskrace1::reduce_with_body(range, body); });
}

// ---- parallel_reduce with functions

template <class Range, class Value, class RealBody, class Reduction>
Value parallel_reduce(const Range& range, const Value& identity, const RealBody& real_body,
                      const Reduction& reduction) {
  return taskrace1::value_of(identity, [&] {
    return taskrace1::reduce(range, identity, real_body, reduction, auto_partitioner());
  });
}
template <class Range, class Value, class RealBody, class Reduction>
Value parallel_reduce(const Range& range, const Value& identity, const RealBody& real_body,
                      const Reduction& reduction, task_group_context& context) {
  return taskrace1::value_of(
      identity,
      [&] { return taskrace1::reduce(range, identity, real_body, reduction, auto_partitioner()); },
      context);
}
template <class Range, class Value, class RealBody, class Reduction, class Partitioner,
          class = if_partitioner<Partitioner>>
Value parallel_reduce(const Range& range, const Value& identity, const RealBody& real_body,
                      const Reduction& reduction, Partitioner&& partitioner) {
  return taskrace1::value_of(identity, [&] {
    return taskrace1::reduce(range, identity, real_body, reduction, partitioner);
  });
}
template <class Range, class Value, class RealBody, class Reduction, class Partitioner,
          class = if_partitioner<Partitioner>>
Value parallel_reduce(const Range& range, const Value& identity, const RealBody& real_body,
                      const Reduction& reduction, Partitioner&& partitioner,
                      task_group_context& context) {
  return taskrace1::value_of(
      identity,
      [&] { return taskrace1::reduce(range, identity, real_body, reduction, partitioner); },
      context);
}

// ---- parallel_deterministic_reduce

template <class Range, class Body>
void parallel_deterministic_reduce(const Range& range, Body& body) {
  taskrace1::run_in_own_context(
      [&] { taskrace1::reduce_deterministically(range, body, simple_partitioner()); });
}
template <class Range, class Body>
void parallel_deterministic_reduce(const Range& range, Body& body, task_group_context& context) {
  taskrace1::run_in(
      context, [&] { taskrace1::reduce_deterministically(range, body, simple_partitioner()); });
}
template <class Range, class Body, class Partitioner, class = if_deterministic<Partitioner>>
void parallel_deterministic_reduce(const Range& range, Body& body, const Partitioner& partitioner) {
  taskrace1::run_in_own_context(
      [&] { taskrace1::reduce_deterministically(range, body, partitioner); });
}
template <class Range, class Body, class Partitioner, class = if_deterministic<Partitioner>>
void parallel_deterministic_reduce(const Range& range, Body& body, const Partitioner& partitioner,
                                   task_group_context& context) {
  taskrace1::run_in(context,
                    [&] { taskrace1::reduce_deterministically(range, body, partitioner); });
}

template <class Range, class Value, class RealBody, class Reduction, class Partitioner,
          class = if_deterministic<Partitioner>>
Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                    const RealBody& real_body, const Reduction& reduction,
                                    const Partitioner& partitioner) {
  functional_body<Range, Value, RealBody, Reduction> root(identity, real_body, reduction);
  taskrace1::parallel_deterministic_reduce(range, root, partitioner);
  return std::move(root.value());
}
template <class Range, class Value, class RealBody, class Reduction, class Partitioner,
          class = if_deterministic<Partitioner>>
Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                    const RealBody& real_body, const Reduction& reduction,
                                    const Partitioner& partitioner, task_group_context& context) {
  functional_body<Range, Value, RealBody, Reduction> root(identity, real_body, reduction);
  taskrace1::parallel_deterministic_reduce(range, root, partitioner, context);
  return std::move(root.value());
}
template <class Range, class Value, class RealBody, class Reduction>
Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                    const RealBody& real_body, const Reduction& reduction) {
  return taskrace1::parallel_deterministic_reduce(range, identity, real_body, reduction,
                                                  simple_partitioner());
}
template <class Range, class Value, class RealBody, class Reduction>
Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                    const RealBody& real_body, const Reduction& reduction,
                                    task_group_context& context) {
  return taskrace1::parallel_deterministic_reduce(range, identity, real_body, reduction,
                                                  simple_partitioner(), context);
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::parallel_deterministic_reduce;
using detail::parallel_reduce;
using detail::split;
}  // namespace v1
}  // namespace tbb

#endif
