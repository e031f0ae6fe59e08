// parallel_scan of oneTBB, in two sweeps over the finest tree.
//
// The first sweep scans the first leaf for good, and computes the sum of every other one (pre-scan); right halves join what is
// to the left of them. The second sweep gives each leaf a body with the sum of all leaves before it,
// and scans it for good. Leaves of a sweep are parallel to each other.
#pragma GCC system_header
#ifndef TASKRACE_TBB_PARALLEL_SCAN_H
#define TASKRACE_TBB_PARALLEL_SCAN_H

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/partitioner.h>

#include <memory>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/tbb/context.hpp>
#include <taskrace/detail/tbb/late.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

struct pre_scan_tag {
  static bool is_final_scan() { return false; }
  operator bool() const { return is_final_scan(); }
};
struct final_scan_tag {
  static bool is_final_scan() { return true; }
  operator bool() const { return is_final_scan(); }
};

// A part of the range. Sum: a body with what the part adds up to; for the parts that begin with the first leaf, with all
// that is before their end.
template <class Range, class Body>
class scan_tree {
 public:
  scan_tree(const Range& range, Body* sum) : range_(range), sum_(sum) {}
  scan_tree(scan_tree& left, split) : range_(left.range_, split()), sum_(nullptr) {}

  // The first sweep, for the part that begins with the first leaf.
  void begin() {
    if (!divide()) {
      (*sum_)(range_, final_scan_tag());
      return;
    }
    left_->sum_ = sum_;
    taskrace::detail::nested_tasks tasks;
    tasks.spawn([this, first = sum_] { right_->add_up(*first); });
    left_->begin();
    tasks.sync();
    join();
  }
  // The second sweep, for the same part.
  void end() {
    if (!left_) return;
    taskrace::detail::nested_tasks tasks;
    tasks.spawn([this] { right_->scan(*left_->sum_); });
    left_->end();
    tasks.sync();
    last_ = right_->last_;
  }
  // The body that has scanned the last leaf.
  Body& last() { return last_ == nullptr ? *sum_ : *last_; }

 private:
  bool divide() {
    if (!range_.is_divisible()) return false;
    auto right = std::make_unique<scan_tree>(*this, split());
    left_ = std::make_unique<scan_tree>(range_, nullptr);
    right_ = std::move(right);
    return true;
  }
  // The sum of the right half, with that of the left one, is the sum of the whole.
  void join() {
    right_->sum_->reverse_join(*left_->sum_);
    sum_ = right_->sum_;
  }
  // The first sweep, for another part. Its body is split from the first one.
  void add_up(Body& first) {
    if (!divide()) {
      own_.make(first, split());
      sum_ = &*own_;
      (*sum_)(range_, pre_scan_tag());
      return;
    }
    taskrace::detail::nested_tasks tasks;
    tasks.spawn([this, &first] { right_->add_up(first); });
    left_->add_up(first);
    tasks.sync();
    join();
  }
  // The second sweep, for another part. `before`: a body with the sum of what is before it, which is for this part alone.
  void scan(Body& before) {
    if (!left_) {
      before(range_, final_scan_tag());
      last_ = &before;
      return;
    }
    left_->sum_->reverse_join(before);
    taskrace::detail::nested_tasks tasks;
    tasks.spawn([this] { right_->scan(*left_->sum_); });
    left_->scan(before);
    tasks.sync();
    last_ = right_->last_;
  }

  Range range_;
  std::unique_ptr<scan_tree> left_, right_;
  late<Body> own_;
  Body* sum_;
  Body* last_ = nullptr;
};

template <class Range, class Body>
void scan_with_body(const Range& range, Body& body) {
  if (range.empty()) return;
  scan_tree<Range, Body> tree(range, &body);
  tree.begin();
  tree.end();
  if (&tree.last() != &body) body.assign(tree.last());
}

// The functional form as a body.
template <class Range, class Value, class Scan, class ReverseJoin>
class functional_scan {
 public:
  functional_scan(const Value& identity, const Scan& scan, const ReverseJoin& reverse_join)
      : identity_(identity), scan_(scan), reverse_join_(reverse_join), sum_(identity) {}
  functional_scan(functional_scan& other, split)
      : identity_(other.identity_),
        scan_(other.scan_),
        reverse_join_(other.reverse_join_),
        sum_(other.identity_) {}

  template <class Tag>
  void operator()(const Range& range, Tag tag) {
    sum_ = scan_(range, std::as_const(sum_), tag);
  }
  void reverse_join(functional_scan& left) {
    sum_ = reverse_join_(std::as_const(left.sum_), std::as_const(sum_));
  }
  void assign(functional_scan& other) { sum_ = other.sum_; }
  Value& sum() { return sum_; }

 private:
  const Value& identity_;
  const Scan& scan_;
  const ReverseJoin& reverse_join_;
  Value sum_;
};

// oneTBB has scans with simple_partitioner and auto_partitioner.
template <class Partitioner>
using if_halving = std::enable_if_t<is_partitioner<Partitioner> && !cuts_anywhere<Partitioner>>;

template <class Range, class Body>
void parallel_scan(const Range& range, Body& body) {
  taskrace1::run_in_own_context([&] { taskrace1::scan_with_body(range, body); });
}
template <class Range, class Body, class Partitioner, class = if_halving<Partitioner>>
void parallel_scan(const Range& range, Body& body, const Partitioner&) {
  taskrace1::parallel_scan(range, body);
}
template <class Range, class Value, class Scan, class ReverseJoin>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const ReverseJoin& reverse_join) {
  functional_scan<Range, Value, Scan, ReverseJoin> body(identity, scan, reverse_join);
  taskrace1::parallel_scan(range, body);
  return std::move(body.sum());
}
template <class Range, class Value, class Scan, class ReverseJoin, class Partitioner,
          class = if_halving<Partitioner>>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const ReverseJoin& reverse_join, const Partitioner&) {
  return taskrace1::parallel_scan(range, identity, scan, reverse_join);
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::final_scan_tag;
using detail::parallel_scan;
using detail::pre_scan_tag;
}  // namespace v1
}  // namespace tbb

#endif
