// parallel_for of oneTBB: all leaves are parallel to each other, and the caller waits for them.
#pragma GCC system_header
#ifndef TASKRACE_TBB_PARALLEL_FOR_H
#define TASKRACE_TBB_PARALLEL_FOR_H

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/partitioner.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/leaves.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// Every index first + k * step is a leaf.
template <class Index>
struct steps {
  static constexpr bool in_registers = std::is_scalar_v<Index>;
  struct {
    Index first;
    std::size_t count;
  } range;
  Index grain;  // the step

  std::size_t count() const { return range.count; }
  std::int64_t number() const { return 0; }
  static std::size_t place(Index, std::size_t k) { return k; }
  template <class Function>
  static void call(const Function& function, Index first, std::size_t, Index step, std::size_t k) {
    if constexpr (std::is_integral_v<Index>) {
      // Computed in 64 bits, with the knowledge that it fits: so the compiler knows that a[index] moves in equal steps.
      const std::uint64_t wide =
          static_cast<std::uint64_t>(first) + k * static_cast<std::uint64_t>(step);
      const auto index = static_cast<Index>(wide);
      if (static_cast<std::uint64_t>(index) != wide) __builtin_unreachable();
      function(index);
    } else {
      function(static_cast<Index>(first + static_cast<Index>(k) * step));
    }
  }
  template <class Function>
  void call_held(const Function& function, std::size_t k) const {
    taskrace::detail::held<steps> all = taskrace::detail::hold(*this);
    function(static_cast<Index>(all.range.first + static_cast<Index>(k) * all.grain));
  }
};

// What a leaf calls.
template <class Body>
auto called_by_leaf(const Body& body) {
  return [&body](auto& leaf) { taskrace1::call_body(body, leaf); };
}

template <class Index, class Function>
void for_indices(Index first, Index last, const Function& function) {
  if constexpr (is_index<Index>) {
    using Indices = taskrace::detail::index_range<Index>;
    taskrace1::run_loop(taskrace::detail::single_chunks<Index>{Indices(first, last)}, function);
  } else {
    if (!(first < last)) return;
    const auto count = static_cast<std::size_t>(last - first);
    taskrace1::run_loop(steps<Index>{{first, count}, Index(1)}, function);
  }
}
template <class Index, class Function>
void for_steps(Index first, Index last, Index step, const Function& function) {
  if (!(Index(0) < step)) {
    throw std::invalid_argument("Step must be positive");
  }
  if (!(first < last)) return;
  const auto count = static_cast<std::size_t>((last - first - Index(1)) / step + Index(1));
  taskrace1::run_loop(steps<Index>{{first, count}, step}, function);
}

// ---- over a range

template <class Range, class Body>
void parallel_for(const Range& range, const Body& body) {
  taskrace1::run_in_own_context([&] {
    taskrace1::for_each_leaf(range, auto_partitioner(), taskrace1::called_by_leaf(body));
  });
}
template <class Range, class Body>
void parallel_for(const Range& range, const Body& body, task_group_context& context) {
  taskrace1::run_in(context, [&] {
    taskrace1::for_each_leaf(range, auto_partitioner(), taskrace1::called_by_leaf(body));
  });
}
template <class Range, class Body, class Partitioner, class = if_partitioner<Partitioner>>
void parallel_for(const Range& range, const Body& body, Partitioner&& partitioner) {
  taskrace1::run_in_own_context(
      [&] { taskrace1::for_each_leaf(range, partitioner, taskrace1::called_by_leaf(body)); });
}
template <class Range, class Body, class Partitioner, class = if_partitioner<Partitioner>>
void parallel_for(const Range& range, const Body& body, Partitioner&& partitioner,
                  task_group_context& context) {
  taskrace1::run_in(context, [&] {
    taskrace1::for_each_leaf(range, partitioner, taskrace1::called_by_leaf(body));
  });
}

// ---- over [first, last); every index is a leaf, as there is no grain size

template <class Index, class Function>
void parallel_for(Index first, Index last, const Function& function) {
  taskrace1::run_in_own_context([&] { taskrace1::for_indices(first, last, function); });
}
template <class Index, class Function>
void parallel_for(Index first, Index last, const Function& function, task_group_context& context) {
  taskrace1::run_in(context, [&] { taskrace1::for_indices(first, last, function); });
}
template <class Index, class Function, class Partitioner, class = if_partitioner<Partitioner>>
void parallel_for(Index first, Index last, const Function& function, Partitioner&&) {
  taskrace1::run_in_own_context([&] { taskrace1::for_indices(first, last, function); });
}
template <class Index, class Function, class Partitioner, class = if_partitioner<Partitioner>>
void parallel_for(Index first, Index last, const Function& function, Partitioner&&,
                  task_group_context& context) {
  taskrace1::run_in(context, [&] { taskrace1::for_indices(first, last, function); });
}

// ---- the same in steps

template <class Index, class Function>
void parallel_for(Index first, Index last, Index step, const Function& function) {
  taskrace1::run_in_own_context([&] { taskrace1::for_steps(first, last, step, function); });
}
template <class Index, class Function>
void parallel_for(Index first, Index last, Index step, const Function& function,
                  task_group_context& context) {
  taskrace1::run_in(context, [&] { taskrace1::for_steps(first, last, step, function); });
}
template <class Index, class Function, class Partitioner, class = if_partitioner<Partitioner>>
void parallel_for(Index first, Index last, Index step, const Function& function, Partitioner&&) {
  taskrace1::run_in_own_context([&] { taskrace1::for_steps(first, last, step, function); });
}
template <class Index, class Function, class Partitioner, class = if_partitioner<Partitioner>>
void parallel_for(Index first, Index last, Index step, const Function& function, Partitioner&&,
                  task_group_context& context) {
  taskrace1::run_in(context, [&] { taskrace1::for_steps(first, last, step, function); });
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::auto_partitioner;
using detail::parallel_for;
}  // namespace v1
}  // namespace tbb

#endif
