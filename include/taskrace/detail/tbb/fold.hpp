// A parallel loop that carries a value from one iteration to the next: the leaves of one part of a reduction.
//
// The iterations are parallel to each other in the task graph, as they are in the finest partitioning. The
// value goes from one to the next in memory of ours that is not checked, as if all of them were one leaf. That is
// right for values that refer to no memory: numbers, and aggregates of them.
//
// A loop may run in several parts: each but the first begins without a value, and their values are combined in order.
//
// Thread rule: as hooks.h. Cost: that of a parallel loop, and one allocation for each part of it but the first.
#ifndef TASKRACE_DETAIL_TBB_FOLD_HPP
#define TASKRACE_DETAIL_TBB_FOLD_HPP

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <taskrace/detail/detected.hpp>
#include <type_traits>
#include <utility>

namespace taskrace {
namespace detail {
inline namespace detected {

// Values that cannot refer to memory.
template <class Value>
struct is_plain_value : std::bool_constant<std::is_arithmetic_v<Value> || std::is_enum_v<Value>> {};
template <class Number>
struct is_plain_value<std::complex<Number>> : std::is_arithmetic<Number> {};
template <class First, class Second>
struct is_plain_value<std::pair<First, Second>>
    : std::bool_constant<is_plain_value<First>::value && is_plain_value<Second>::value> {};
template <class Element, std::size_t size>
struct is_plain_value<std::array<Element, size>> : is_plain_value<Element> {};

// A value of ours, that is never checked: it is only copied in here.
template <class Value>
class unchecked {
 public:
  TASKRACE_NO_INSTRUMENT unchecked() noexcept {}
  TASKRACE_NO_INSTRUMENT static Value load(const unchecked& from) noexcept {
    Value value = *std::launder(reinterpret_cast<const Value*>(from.memory_));
    return value;
  }
  TASKRACE_NO_INSTRUMENT static void store(unchecked& to, const Value& value) noexcept {
    std::memcpy(to.memory_, &value, sizeof(Value));
  }

 private:
  alignas(Value) unsigned char memory_[sizeof(Value)];
};

// The values of the parts of a loop, in the order of their first iterations.
template <class Value>
class part_values {
 public:
  struct part {
    std::size_t begin;
    unchecked<Value> value;
    part* next;
  };
  TASKRACE_NO_INSTRUMENT part_values() noexcept : first_(nullptr), locked_(false) {}
  TASKRACE_NO_INSTRUMENT ~part_values() {
    while (first_ != nullptr) std::free(std::exchange(first_, first_->next));
  }
  part_values(const part_values&) = delete;
  part_values& operator=(const part_values&) = delete;

  // Parts call this at the same time.
  TASKRACE_NO_INSTRUMENT void add(std::size_t begin, const unchecked<Value>& value) noexcept {
    auto* mine = static_cast<part*>(std::malloc(sizeof(part)));
    if (mine == nullptr) std::abort();
    ::new (mine) part{begin, value, nullptr};
    while (__atomic_exchange_n(&locked_, true, __ATOMIC_ACQUIRE)) continue;
    part** at = &first_;
    while (*at != nullptr && (*at)->begin < begin) at = &(*at)->next;
    mine->next = *at;
    *at = mine;
    __atomic_store_n(&locked_, false, __ATOMIC_RELEASE);
  }
  TASKRACE_NO_INSTRUMENT const part* first() const noexcept { return first_; }
  TASKRACE_NO_INSTRUMENT static const part* next(const part* of) noexcept { return of->next; }
  TASKRACE_NO_INSTRUMENT static std::size_t begin(const part* of) noexcept { return of->begin; }
  // Where it ends, in a loop of `count` iterations.
  TASKRACE_NO_INSTRUMENT static std::size_t end(const part* of, std::size_t count) noexcept {
    return of->next == nullptr ? count : of->next->begin;
  }
  static Value value(const part* of) noexcept { return unchecked<Value>::load(value_of(of)); }

 private:
  TASKRACE_NO_INSTRUMENT static const unchecked<Value>& value_of(const part* of) noexcept {
    return of->value;
  }
  part* first_;
  bool locked_;
};

// Step: (std::size_t k, Value before) -> Value, for k in [begin, begin + count).
// Single: (std::size_t k) -> Value, the value of an iteration that has none before it.
template <class Value, class Step, class Single>
class folding_loop {
  static_assert(std::is_trivially_copy_constructible_v<Value> &&
                std::is_trivially_destructible_v<Value>);

 public:
  // `number`: what reports call the first iteration. `start`: the value before it.
  folding_loop(std::size_t begin, std::size_t count, std::int64_t number, const Value& start,
               const Step& step, const Single& single) noexcept
      : step_(step), single_(single) {
    set(begin, count, number, start);
  }
  // The value after all iterations.
  template <class Combine>
  Value run(const Combine& combine) {
    run_parts();
    Value value = part_values<Value>::value(parts_.first());
    for (auto* part = part_values<Value>::next(parts_.first()); part != nullptr;
         part = part_values<Value>::next(part)) {
      value = combine(std::move(value), part_values<Value>::value(part));
    }
    return value;
  }
  void run_parts() {
    __taskrace_loop(count(), number(), &run_part, this);
    error_.rethrow();
  }
  const part_values<Value>& parts() const noexcept { return parts_; }

 private:
  static void run_part(void* self, std::size_t begin, std::size_t end) noexcept {
    const Step& step = step_of(self);
    const std::size_t first = first_of(self);
    std::size_t k = begin;
    if constexpr (std::is_scalar_v<Value>) {
      // Nobody takes the address of this variable, so it is never checked, and no call is needed to hide it.
      Value carried = start_of(self);
      if (begin != 0) {
        if (__taskrace_iteration(k) == 0) return;
        TASKRACE_DETAIL_TRY { carried = single_of(self)(first + k++); }
        TASKRACE_DETAIL_CATCH { keep(self); }
      }
      for (; k != end && __taskrace_iteration(k) != 0; ++k) {
        TASKRACE_DETAIL_TRY { carried = step(first + k, carried); }
        TASKRACE_DETAIL_CATCH { keep(self); }
      }
      add_scalar(self, begin, carried);
    } else {
      unchecked<Value> carried;
      unchecked<Value>::store(carried, start_of(self));
      for (; k != end && __taskrace_iteration(k) != 0; ++k) {
        TASKRACE_DETAIL_TRY {
          const Value after = k == begin && begin != 0
                                  ? single_of(self)(first + k)
                                  : step(first + k, unchecked<Value>::load(carried));
          unchecked<Value>::store(carried, after);
        }
        TASKRACE_DETAIL_CATCH { keep(self); }
      }
      add_part(self, begin, carried);
    }
  }
  TASKRACE_NO_INSTRUMENT static const Step& step_of(void* self) noexcept {
    return static_cast<folding_loop*>(self)->step_;
  }
  TASKRACE_NO_INSTRUMENT static const Single& single_of(void* self) noexcept {
    return static_cast<folding_loop*>(self)->single_;
  }
  TASKRACE_NO_INSTRUMENT static std::size_t first_of(void* self) noexcept {
    return static_cast<folding_loop*>(self)->begin_;
  }
  TASKRACE_NO_INSTRUMENT static Value start_of(void* self) noexcept {
    return unchecked<Value>::load(static_cast<folding_loop*>(self)->start_);
  }
  TASKRACE_NO_INSTRUMENT static void keep(void* self) noexcept {
    static_cast<folding_loop*>(self)->error_.keep();
  }
  TASKRACE_NO_INSTRUMENT static void add_part(void* self, std::size_t begin,
                                              const unchecked<Value>& value) noexcept {
    static_cast<folding_loop*>(self)->parts_.add(begin, value);
  }
  TASKRACE_NO_INSTRUMENT static void add_scalar(void* self, std::size_t begin,
                                                Value value) noexcept {
    unchecked<Value> kept;
    unchecked<Value>::store(kept, value);
    add_part(self, begin, kept);
  }
  TASKRACE_NO_INSTRUMENT void set(std::size_t begin, std::size_t count, std::int64_t number,
                                  const Value& start) noexcept {
    begin_ = begin;
    count_ = count;
    number_ = number;
    unchecked<Value>::store(start_, start);
    error_.begin();
  }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept { return count_; }
  TASKRACE_NO_INSTRUMENT std::int64_t number() const noexcept { return number_; }

  const Step& step_;
  const Single& single_;
  std::size_t begin_, count_;
  std::int64_t number_;
  unchecked<Value> start_;
  part_values<Value> parts_;
  first_error error_;
};

template <class Value, class Step, class Single, class Combine>
Value fold(std::size_t begin, std::size_t count, std::int64_t number, const Value& start,
           const Step& step, const Single& single, const Combine& combine) {
  return folding_loop<Value, Step, Single>(begin, count, number, start, step, single).run(combine);
}

}  // namespace detected
}  // namespace detail
}  // namespace taskrace

#endif
