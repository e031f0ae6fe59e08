// Reductions as trees of tasks, for parallel_reduce of oneTBB and for std::reduce.
//
// At a division the right half is a task with a body of its own, which its splitting constructor makes there, in
// parallel to what the left body does: that is what oneTBB may do, and demands of a body. The left body joins the right one
// when both halves are over. In a deterministic reduction the task that divides makes the right body.
//
// Thread rule: as hooks.h. Cost: a task and a scope a division.
#ifndef TASKRACE_DETAIL_TBB_REDUCTIONS_HPP
#define TASKRACE_DETAIL_TBB_REDUCTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/fold.hpp>
#include <taskrace/detail/tbb/late.hpp>
#include <taskrace/detail/tbb/leaves.hpp>
#include <taskrace/tasks.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// How far a range is divided. halves: as long as it is divisible.
struct halves {
  static constexpr bool is_divisible() { return true; }
  template <class Range>
  Range take_right(Range& range) {
    return Range(range, split());
  }
  halves right() const { return {}; }
};
// In proportion, for a number of threads: static_partitioner.
class shares {
 public:
  explicit shares(std::size_t threads) : threads_(threads), of_right_(0) {}
  bool is_divisible() const { return threads_ > 1; }
  template <class Range>
  Range take_right(Range& range) {
    of_right_ = threads_ / 2;
    threads_ -= of_right_;
    if constexpr (std::is_constructible_v<Range, Range&, proportional_split&>) {
      proportional_split proportion(threads_, of_right_);
      return Range(range, proportion);
    } else {
      return Range(range, split());
    }
  }
  // For the half that was taken last.
  shares right() const { return shares(of_right_); }

 private:
  std::size_t threads_, of_right_;
};

// is_lazy: the right body is made when its task begins, and not before the left half continues.
template <bool is_lazy, class Range, class Body, class Cut>
void reduce_tree(Range& range, Body& body, Cut cut) {
  if (!cut.is_divisible() || !range.is_divisible()) {
    body(range);
    return;
  }
  Range right_range = cut.take_right(range);
  late<Body> right_body;
  if constexpr (!is_lazy) right_body.make(body, split());
  taskrace::detail::nested_tasks tasks;
  tasks.spawn([&right_range, &right_body, &body, cut = cut.right()] {
    if constexpr (is_lazy) right_body.make(body, split());
    taskrace1::reduce_tree<is_lazy>(right_range, *right_body, cut);
  });
  taskrace1::reduce_tree<is_lazy>(range, body, cut);
  tasks.sync();
  body.join(*right_body);
}

// The functional form as a body.
template <class Range, class Value, class RealBody, class Reduction>
class functional_body {
 public:
  functional_body(const Value& identity, const RealBody& body, const Reduction& reduction)
      : identity_(identity), body_(body), reduction_(reduction), value_(identity) {}
  functional_body(functional_body& other, split)
      : identity_(other.identity_),
        body_(other.body_),
        reduction_(other.reduction_),
        value_(other.identity_) {}

  void operator()(Range& range) { value_ = body_(range, std::as_const(value_)); }
  void join(functional_body& right) { value_ = reduction_(value_, std::as_const(right.value_)); }
  Value& value() { return value_; }

 private:
  const Value& identity_;
  const RealBody& body_;
  const Reduction& reduction_;
  Value value_;
};

template <class Range>
constexpr bool has_numbered_leaves = false;
template <class Index>
constexpr bool has_numbered_leaves<blocked_range<Index>> = is_index<Index>;

// A tree over parts of the leaves, 512 at most; in a part each leaf is an iteration, and the value goes from one to
// the next.
template <class Leaves, class Value, class RealBody, class Reduction>
Value reduce_leaves(const Leaves& leaves, const Value& identity, const RealBody& body,
                    const Reduction& reduction) {
  const auto step = [&leaves, &body](std::size_t k, Value before) -> Value {
    return leaves.call_numbered(k, [&](auto&... leaf) -> Value {
      if constexpr (sizeof...(leaf) == 0) {
        return before;
      } else {
        return body(leaf..., std::as_const(before));
      }
    });
  };
  const auto single = [&step, &identity](std::size_t k) -> Value { return step(k, identity); };
  return taskrace::parallel_reduce(
      std::size_t{0}, leaves.count(), identity,
      [&](std::size_t begin, std::size_t end, const Value& start) -> Value {
        if (end - begin == 1) return step(begin, start);
        return taskrace::detail::fold(begin, end - begin,
                                      leaves.number() + static_cast<std::int64_t>(begin), start,
                                      step, single, reduction);
      },
      reduction);
}

template <class Range, class Value, class RealBody, class Reduction, class Partitioner>
Value reduce(const Range& range, const Value& identity, const RealBody& body,
             const Reduction& reduction, const Partitioner& partitioner) {
  if (range.empty()) return identity;
  if constexpr (has_numbered_leaves<Range> && taskrace::detail::is_plain_value<Value>::value) {
    return taskrace1::with_leaves(range, partitioner, [&](const auto& leaves) {
      return taskrace1::reduce_leaves(leaves, identity, body, reduction);
    });
  } else {
    Range whole(range);
    functional_body<Range, Value, RealBody, Reduction> root(identity, body, reduction);
    taskrace1::reduce_tree<true>(whole, root, halves());
    return std::move(root.value());
  }
}

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
