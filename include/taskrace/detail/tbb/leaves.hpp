// The finest partitioning of a range: its leaves, as iterations of one parallel loop.
//
// A leaf is a call of the body for a range that is not divided further. simple_partitioner and auto_partitioner
// halve, and stop at the grain size: two iterations are parallel in some schedule exactly if they are in different
// leaves of full halving. static_partitioner and affinity_partitioner cut in proportion to the number
// of threads: for some number of threads there is a cut between any two iterations, so every index is a leaf.
//
// blocked_range over integers, pointers and random-access iterators is not divided step by step: leaf k is computed
// from k. So is blocked_range2d and blocked_range3d with a grain size of 1. Other ranges are divided
// by their splitting constructor, a task for each half, in the task that divides.
//
// Thread rule: as hooks.h. Cost: one iteration a leaf, and O(log n) to find a leaf of more than one index; or a task.
#ifndef TASKRACE_DETAIL_TBB_LEAVES_HPP
#define TASKRACE_DETAIL_TBB_LEAVES_HPP

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/partitioner.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string_view>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/index_range.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// A closure that is called as const cannot change itself: all leaves share it. Any other body may have
// mutable members, and oneTBB copies it for each task: so each leaf has a copy.
template <class Body>
constexpr bool is_closure() {
  return std::string_view(__PRETTY_FUNCTION__).find("Body = (lambda at ") != std::string_view::npos;
}
template <class Body, class Argument>
void call_body(const Body& body, Argument&& argument) {
  if constexpr (is_closure<Body>() || std::is_function_v<Body>) {
    body(std::forward<Argument>(argument));
  } else if constexpr (std::is_class_v<Body>) {
    const Body mine(body);
    mine(std::forward<Argument>(argument));
  } else {
    std::invoke(body, std::forward<Argument>(argument));
  }
}

template <class Index>
constexpr bool is_index =
    std::is_integral_v<Index> || taskrace::detail::is_random_access_iterator<Index>::value;

// An iterator that is a pointer in disguise is kept as the pointer, which fits into a register.
template <class Index>
struct unwrapped {
  using type = Index;
  static type of(Index index) { return index; }
  static Index wrap(type index) { return index; }
};
template <class Pointer, class Container>
struct unwrapped<__gnu_cxx::__normal_iterator<Pointer, Container>> {
  using type = Pointer;
  using iterator = __gnu_cxx::__normal_iterator<Pointer, Container>;
  static type of(iterator index) { return index.base(); }
  static iterator wrap(type index) { return iterator(index); }
};
template <class Index>
using unwrapped_t = typename unwrapped<Index>::type;
template <class Index>
taskrace::detail::index_range<unwrapped_t<Index>> unwrapped_range(Index first, Index last) {
  return {unwrapped<Index>::of(first), unwrapped<Index>::of(last)};
}

// Every index is a leaf. Wrapped: the type that the body gets.
template <class Index, class Wrapped = Index>
struct leaves_of_one {
  static constexpr bool in_registers = std::is_scalar_v<Index>;
  using indices = taskrace::detail::index_range<Index>;
  using leaf = blocked_range<Wrapped>;
  static Wrapped wrap(Index index) { return unwrapped<Wrapped>::wrap(index); }

  indices range;
  std::size_t grain;

  std::size_t count() const { return range.count; }
  std::int64_t number() const {
    if constexpr (std::is_integral_v<Index>) {
      return static_cast<std::int64_t>(range.first);
    } else {
      return 0;
    }
  }
  // Leaf number k, for loops that count.
  template <class Function>
  auto call_numbered(std::size_t k, const Function& function) const {
    if constexpr (std::is_integral_v<Index>) {
      // The compiler must know that the index is not wider than its type, to see that a[index] moves in equal steps.
      const std::uint64_t wide = static_cast<std::uint64_t>(range.first) + k;
      const auto begin = indices::inside(static_cast<Index>(wide));
      if (static_cast<std::uint64_t>(begin) != wide) __builtin_unreachable();
      leaf mine(begin, static_cast<Index>(begin + 1), grain);
      return function(mine);
    } else {
      leaf mine(wrap(indices::bound(range.first, k)), wrap(indices::bound(range.first, k + 1)),
                grain);
      return function(mine);
    }
  }
  static Index place(Index first, std::size_t k) { return indices::bound(first, k); }
  template <class Function>
  static void call(const Function& function, Index, std::size_t, std::size_t grain, Index place) {
    const Index begin = indices::inside(place);
    Index end = begin;
    leaf mine(wrap(begin), wrap(++end), grain);
    function(mine);
  }
  template <class Function>
  void call_held(const Function& function, std::size_t k) const {
    taskrace::detail::held<leaves_of_one> all = taskrace::detail::hold(*this);
    leaf mine(wrap(all.range[k]), wrap(indices::bound(all.range.first, k + 1)), all.grain);
    function(mine);
  }
};

// The leaves of a range that is halved while it has more than `grain` indices, the shorter half first. The tree is
// complete down to a depth, and some of its nodes there are divided once more. The leaves are numbered as if all
// were: the second half of a node that is not divided is empty, and nothing is called for it.
struct halving {
  std::size_t depth;

  halving(std::size_t count, std::size_t grain) : depth(0) {
    while ((count >> depth) > grain) ++depth;
    const bool some_are_longer = (count >> depth) << depth != count;
    if ((count >> depth) == grain && some_are_longer) ++depth;
  }

  struct part {
    std::size_t begin, count;
  };
  // Leaf number k of a range of `count` indices; empty: none.
  static part leaf(std::size_t count, std::size_t grain, std::size_t depth, std::size_t k) {
    std::size_t begin = 0;
    while (depth != 0) {
      const bool second = (k >> --depth & 1) != 0;
      if (count <= grain) {
        if (second) return {begin, 0};
        continue;
      }
      const std::size_t half = count / 2;
      begin += second ? half : 0;
      count = second ? count - half : half;
    }
    return {begin, count};
  }
};
template <class Index, class Wrapped = Index>
struct leaves_by_halving {
  static constexpr bool in_registers = std::is_scalar_v<Index>;
  using indices = taskrace::detail::index_range<Index>;
  using leaf = blocked_range<Wrapped>;
  static Wrapped wrap(Index index) { return unwrapped<Wrapped>::wrap(index); }

  indices range;
  std::size_t grain;

  std::size_t count() const {
    return range.count == 0 ? 0 : std::size_t{1} << halving(range.count, grain).depth;
  }
  std::int64_t number() const { return 0; }
  static std::size_t place(Index, std::size_t k) { return k; }
  // Calls function(leaf) if there is a leaf number k, and otherwise function().
  template <class Function>
  auto call_numbered(std::size_t k, const Function& function) const {
    const halving::part part =
        halving::leaf(range.count, grain, halving(range.count, grain).depth, k);
    if (part.count == 0) return function();
    leaf mine(wrap(indices::bound(range.first, part.begin)),
              wrap(indices::bound(range.first, part.begin + part.count)), grain);
    return function(mine);
  }
  template <class Function>
  static void call(const Function& function, Index first, std::size_t count, std::size_t grain,
                   std::size_t k) {
    const halving::part part = halving::leaf(count, grain, halving(count, grain).depth, k);
    if (part.count == 0) return;
    leaf mine(wrap(indices::bound(first, part.begin)),
              wrap(indices::bound(first, part.begin + part.count)), grain);
    function(mine);
  }
  template <class Function>
  void call_held(const Function& function, std::size_t k) const {
    taskrace::detail::held<leaves_by_halving> all = taskrace::detail::hold(*this);
    call(function, all.range.first, all.range.count, all.grain, k);
  }
};

// Calls use(leaves) for the leaves of a range that are computed from their numbers.
template <class Index, class Partitioner, class Use>
auto with_leaves(const blocked_range<Index>& range, const Partitioner&, const Use& use) {
  using Raw = unwrapped_t<Index>;
  const auto indices = taskrace1::unwrapped_range(range.begin(), range.end());
  if (cuts_anywhere<Partitioner> || range.grainsize() == 1) {
    return use(leaves_of_one<Raw, Index>{indices, range.grainsize()});
  }
  return use(leaves_by_halving<Raw, Index>{indices, range.grainsize()});
}

// Every cell of a range of two or three dimensions is a leaf; the last dimension counts fastest.
template <class Range, class Last, class... Outer>
struct cells;
template <class Range, class Row, class Column>
struct cells<Range, Column, Row> {
  static constexpr bool in_registers = false;
  taskrace::detail::index_range<Row> rows;
  taskrace::detail::index_range<Column> columns;

  explicit cells(const Range& range)
      : rows(range.rows().begin(), range.rows().end()),
        columns(range.cols().begin(), range.cols().end()) {}
  std::size_t count() const { return rows.count * columns.count; }
  std::int64_t number() const { return 0; }
  template <class Function>
  void call_held(const Function& function, std::size_t k) const {
    taskrace::detail::held<cells> all = taskrace::detail::hold(*this);
    const std::size_t row = k / all.columns.count, column = k % all.columns.count;
    Range mine(rows.bound(all.rows.first, row), rows.bound(all.rows.first, row + 1),
               columns.bound(all.columns.first, column),
               columns.bound(all.columns.first, column + 1));
    function(mine);
  }
};
template <class Range, class Page, class Row, class Column>
struct cells<Range, Column, Row, Page> {
  static constexpr bool in_registers = false;
  taskrace::detail::index_range<Page> pages;
  taskrace::detail::index_range<Row> rows;
  taskrace::detail::index_range<Column> columns;

  explicit cells(const Range& range)
      : pages(range.pages().begin(), range.pages().end()),
        rows(range.rows().begin(), range.rows().end()),
        columns(range.cols().begin(), range.cols().end()) {}
  std::size_t count() const { return pages.count * rows.count * columns.count; }
  std::int64_t number() const { return 0; }
  template <class Function>
  void call_held(const Function& function, std::size_t k) const {
    taskrace::detail::held<cells> all = taskrace::detail::hold(*this);
    const std::size_t column = k % all.columns.count, line = k / all.columns.count;
    const std::size_t row = line % all.rows.count, page = line / all.rows.count;
    Range mine(pages.bound(all.pages.first, page), pages.bound(all.pages.first, page + 1),
               rows.bound(all.rows.first, row), rows.bound(all.rows.first, row + 1),
               columns.bound(all.columns.first, column),
               columns.bound(all.columns.first, column + 1));
    function(mine);
  }
};

// Calls the body for each leaf of a range that only its own splitting constructor can divide.
template <class Range, class Function>
void for_each_part(Range& range, const Function& function) {
  taskrace::detail::nested_tasks tasks;
  while (range.is_divisible()) {
    tasks.spawn([part = Range(range, split()), &function]() mutable {
      taskrace1::for_each_part(part, function);
    });
  }
  function(range);
  tasks.sync();
}

template <class Chunks, class Function>
void run_loop(const Chunks& chunks, const Function& function) {
  taskrace::detail::parallel_loop<Chunks, Function>(chunks, function).run();
}

// Calls function(leaf) for each leaf of the range; all calls are parallel to each other. The function is shared by
// all of them, and the leaf is an lvalue of the call's own.
template <class Range, class Partitioner, class Function>
void for_each_leaf(const Range& range, const Partitioner&, const Function& function) {
  if (range.empty()) return;
  Range whole(range);
  taskrace1::for_each_part(whole, function);
}
template <class Index, class Partitioner, class Function>
std::enable_if_t<is_index<Index>> for_each_leaf(const blocked_range<Index>& range,
                                                const Partitioner& partitioner,
                                                const Function& function) {
  taskrace1::with_leaves(range, partitioner,
                         [&](const auto& leaves) { taskrace1::run_loop(leaves, function); });
}
template <class Row, class Column, class Partitioner, class Function>
std::enable_if_t<is_index<Row> && is_index<Column>> for_each_leaf(
    const blocked_range2d<Row, Column>& range, const Partitioner&, const Function& function) {
  using Range = blocked_range2d<Row, Column>;
  if (range.rows().grainsize() == 1 && range.cols().grainsize() == 1) {
    taskrace1::run_loop(cells<Range, Column, Row>(range), function);
  } else if (!range.empty()) {
    Range whole(range);
    taskrace1::for_each_part(whole, function);
  }
}
template <class Page, class Row, class Column, class Partitioner, class Function>
std::enable_if_t<is_index<Page> && is_index<Row> && is_index<Column>> for_each_leaf(
    const blocked_range3d<Page, Row, Column>& range, const Partitioner&, const Function& function) {
  using Range = blocked_range3d<Page, Row, Column>;
  if (range.pages().grainsize() == 1 && range.rows().grainsize() == 1 &&
      range.cols().grainsize() == 1) {
    taskrace1::run_loop(cells<Range, Column, Row, Page>(range), function);
  } else if (!range.empty()) {
    Range whole(range);
    taskrace1::for_each_part(whole, function);
  }
}

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
