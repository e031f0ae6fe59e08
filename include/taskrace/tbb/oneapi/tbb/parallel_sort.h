// parallel_sort of oneTBB: a quicksort whose halves are tasks, down to 500 elements, as in the library.
#pragma GCC system_header
#ifndef TASKRACE_TBB_PARALLEL_SORT_H
#define TASKRACE_TBB_PARALLEL_SORT_H

#include <algorithm>
#include <functional>
#include <iterator>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// Sorts [first, last). Elements that equal the pivot may be in either half.
template <class Iterator, class Compare>
void quicksort(Iterator first, Iterator last, const Compare& compare) {
  if (last - first < 500) {
    std::sort(first, last, compare);
    return;
  }
  // The median of three goes to the front.
  const Iterator middle = first + (last - first) / 2, back = last - 1;
  if (compare(*middle, *first)) std::iter_swap(middle, first);
  if (compare(*back, *first)) std::iter_swap(back, first);
  if (compare(*back, *middle)) std::iter_swap(back, middle);
  std::iter_swap(first, middle);
  Iterator low = first, high = last;
  while (true) {
    do ++low;
    while (low != last && compare(*low, *first));
    do --high;
    while (compare(*first, *high));
    if (low >= high) break;
    std::iter_swap(low, high);
  }
  std::iter_swap(first, high);
  taskrace::detail::nested_tasks tasks;
  tasks.spawn([first, high, &compare] { taskrace1::quicksort(first, high, compare); });
  taskrace1::quicksort(high + 1, last, compare);
  tasks.sync();
}

template <class Iterator, class Compare>
void parallel_sort(Iterator first, Iterator last, const Compare& compare) {
  taskrace1::run_in_own_context([&] { taskrace1::quicksort(first, last, compare); });
}
template <class Iterator>
void parallel_sort(Iterator first, Iterator last) {
  taskrace1::parallel_sort(first, last, std::less<>());
}
template <class Range, class Compare, class = decltype(std::begin(std::declval<Range&>()))>
void parallel_sort(Range&& range, const Compare& compare) {
  taskrace1::parallel_sort(std::begin(range), std::end(range), compare);
}
template <class Range, class = decltype(std::begin(std::declval<Range&>()))>
void parallel_sort(Range&& range) {
  taskrace1::parallel_sort(std::begin(range), std::end(range));
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::parallel_sort;
}  // namespace v1
}  // namespace tbb

#endif
