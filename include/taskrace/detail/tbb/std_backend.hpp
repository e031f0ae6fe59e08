// What libstdc++'s parallel algorithms run on: the backend of its <execution>, under detection.
//
// The names are those that libstdc++ 9 to 14 asks of a backend. Every element is a leaf: calls of the user's functions for
// two elements are parallel to each other. par, par_unseq and unseq are alike in that; seq is serial, and so is what
// libstdc++ itself does not run in parallel (algorithms over iterators that are not random-access).
//
// A sort or a merge divides its input down to 32 elements, which it compares one after the other.
//
// Thread rule: as hooks.h. Cost: an iteration of a parallel loop for each element; a task for each half of a sort.
#ifndef TASKRACE_DETAIL_TBB_STD_BACKEND_HPP
#define TASKRACE_DETAIL_TBB_STD_BACKEND_HPP

#include <taskrace/annotate.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/index_range.hpp>
#include <taskrace/detail/tbb/fold.hpp>
#include <taskrace/detail/tbb/std_leaves.hpp>
#include <taskrace/tasks.hpp>
#include <type_traits>
#include <utility>

namespace __pstl {
namespace __tbb_backend {

// Raw memory for `count` objects.
template <class Element>
class __buffer {
 public:
  explicit __buffer(std::size_t count)
      : count_(count), elements_(std::allocator<Element>().allocate(count)) {}
  ~__buffer() { std::allocator<Element>().deallocate(elements_, count_); }
  __buffer(const __buffer&) = delete;
  __buffer& operator=(const __buffer&) = delete;

  operator bool() const { return elements_ != nullptr; }
  Element* get() const { return elements_; }

 private:
  std::size_t count_;
  Element* elements_;
};

// A search has found what it looks for. The other leaves run all the same: in another schedule they had begun before.
inline void __cancel_execution() {}

template <class Policy, class Index, class Function>
void __parallel_for(Policy&&, Index first, Index last, Function function) {
  taskrace::detail::for_each_single(first, last, function);
}

template <class Policy, class Value, class Index, class Body, class Reduction>
Value __parallel_reduce(Policy&&, Index first, Index last, const Value& identity, const Body& body,
                        const Reduction& reduction) {
  if (first == last) return identity;
  const taskrace::detail::singles<Index> all(first, last);
  return taskrace::detail::reduce_singles<Value>(
      all.count(),
      [&](std::size_t k, Value before) -> Value { return body(all[k], all[k + 1], before); },
      [&](std::size_t k) -> Value { return body(all[k], all[k + 1], identity); }, reduction);
}

template <class Policy, class Index, class Unary, class Value, class Combine, class Reduce>
Value __parallel_transform_reduce(Policy&&, Index first, Index last, Unary unary, Value init,
                                  Combine combine, Reduce reduce) {
  if (first == last) return init;
  const taskrace::detail::singles<Index> all(first, last);
  return combine(init, taskrace::detail::reduce_singles<Value>(
                           all.count(),
                           [&](std::size_t k, Value before) -> Value {
                             return reduce(all[k], all[k + 1], before);
                           },
                           [&](std::size_t k) -> Value { return unary(all[k]); }, combine));
}

// reduce(k, 1) once for each k, then apex(sum of all), then scan(k, 1, sum of those before k) once for each k. Values
// have trivial constructors.
template <class Policy, class Index, class Value, class Reduce, class Combine, class Scan,
          class Apex>
void __parallel_strict_scan(Policy&&, Index n, Value initial, Reduce reduce, Combine combine,
                            Scan scan, Apex apex) {
  const auto count = static_cast<std::size_t>(n);
  taskrace::detail::prefixes<Value> before(count);
  const auto one = [](std::size_t k) { return static_cast<Index>(k); };
  apex(before.fill(
      initial, [&](std::size_t k) -> Value { return reduce(one(k), Index(1)); }, combine));
  taskrace::detail::for_each_number(count,
                                    [&](std::size_t k) { scan(one(k), Index(1), before[k]); });
}

// As above; scan(k, k + 1, sum) returns the sum with element k. The result is the sum of all.
template <class Policy, class Index, class Unary, class Value, class Combine, class Reduce,
          class Scan>
Value __parallel_transform_scan(Policy&&, Index n, Unary unary, Value init, Combine combine, Reduce,
                                Scan scan) {
  const auto count = static_cast<std::size_t>(n);
  taskrace::detail::prefixes<Value> before(count);
  const auto one = [](std::size_t k) { return static_cast<Index>(k); };
  Value sum = before.fill(init, [&](std::size_t k) -> Value { return unary(one(k)); }, combine);
  taskrace::detail::for_each_number(count,
                                    [&](std::size_t k) { scan(one(k), one(k + 1), before[k]); });
  return sum;
}

template <class Policy, class Iterator, class Compare, class LeafSort>
void __parallel_stable_sort(Policy&&, Iterator first, Iterator last, Compare compare,
                            LeafSort leaf_sort, std::size_t = 0) {
  taskrace::detail::sort_halves(first, last, compare, leaf_sort);
}

template <class Policy, class Iterator1, class Iterator2, class Iterator3, class Compare,
          class LeafMerge>
void __parallel_merge(Policy&&, Iterator1 first1, Iterator1 last1, Iterator2 first2,
                      Iterator2 last2, Iterator3 out, Compare compare, LeafMerge leaf_merge) {
  taskrace::detail::merge_halves(first1, last1, first2, last2, out, compare, leaf_merge);
}

template <class Policy, class Function1, class Function2>
void __parallel_invoke(Policy&&, Function1&& function1, Function2&& function2) {
  taskrace::parallel_invoke(function1, function2);
}

}  // namespace __tbb_backend
}  // namespace __pstl

#endif
