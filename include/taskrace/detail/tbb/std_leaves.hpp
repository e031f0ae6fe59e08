// Loops, reductions, scans, sorts and merges over single elements: what the backend of std::execution is made of.
//
// Thread rule: as hooks.h. Cost: as std_backend.hpp says.
#ifndef TASKRACE_DETAIL_TBB_STD_LEAVES_HPP
#define TASKRACE_DETAIL_TBB_STD_LEAVES_HPP

#include <taskrace/annotate.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <taskrace/detail/detected.hpp>
#include <taskrace/detail/index_range.hpp>
#include <taskrace/detail/tbb/fold.hpp>
#include <taskrace/tasks.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace taskrace {
namespace detail {
inline namespace detected {

// The boundaries of single elements: element k is [all[k], all[k + 1]). An iterator that is a pointer in disguise
// is kept as the pointer.
template <class Index>
class singles {
 public:
  singles(Index first, Index last) : range_(first, last) {}
  std::size_t count() const { return range_.count; }
  Index operator[](std::size_t k) const { return index_range<Index>::bound(range_.first, k); }

 private:
  index_range<Index> range_;
};
template <class Pointer, class Container>
class singles<__gnu_cxx::__normal_iterator<Pointer, Container>> {
  using Index = __gnu_cxx::__normal_iterator<Pointer, Container>;

 public:
  singles(Index first, Index last) : range_(first.base(), last.base()) {}
  std::size_t count() const { return range_.count; }
  Index operator[](std::size_t k) const {
    return Index(index_range<Pointer>::bound(range_.first, k));
  }

 private:
  index_range<Pointer> range_;
};

// function(k) for every k below count.
template <class Function>
void for_each_number(std::size_t count, const Function& function) {
  detected::for_each(index_range<std::size_t>(0, count), function);
}
// function(begin, end) for every element of [first, last).
template <class Index, class Function>
void for_each_single(Index first, Index last, const Function& function) {
  if constexpr (std::is_integral_v<Index>) {
    detected::for_each(index_range<Index>(first, last),
                       [&](Index index) { function(index, static_cast<Index>(index + 1)); });
  } else {
    const singles<Index> all(first, last);
    detected::for_each_number(all.count(), [&](std::size_t k) { function(all[k], all[k + 1]); });
  }
}

// Can the sums of this type go from one iteration to the next? Iterators can, too: an algorithm only compares what
// they refer to.
template <class Value>
constexpr bool is_carried =
    is_plain_value<Value>::value ||
    (std::is_trivially_copyable_v<Value> && is_random_access_iterator<Value>::value);

// The sum of `count` elements, which are not none. single(k): that of element k. step(k, sum): the sum with element k
// added. A tree of 512 parts at most; in a part each element is an iteration.
template <class Value, class Step, class Single, class Combine>
Value reduce_singles(std::size_t begin, std::size_t count, std::size_t grain, const Step& step,
                     const Single& single, const Combine& combine) {
  if (count == 1) return single(begin);
  if constexpr (is_carried<Value>) {
    if (count <= grain) {
      const Value start = single(begin);
      return detected::fold(begin + 1, count - 1, static_cast<std::int64_t>(begin + 1), start, step,
                            single, combine);
    }
  }
  const std::size_t half = count / 2;
  std::optional<Value> left;
  nested_tasks tasks;
  tasks.spawn([&, begin, half] {
    left.emplace(detected::reduce_singles<Value>(begin, half, grain, step, single, combine));
  });
  Value right =
      detected::reduce_singles<Value>(begin + half, count - half, grain, step, single, combine);
  tasks.sync();
  return combine(std::move(*left), std::move(right));
}
template <class Value, class Step, class Single, class Combine>
Value reduce_singles(std::size_t count, const Step& step, const Single& single,
                     const Combine& combine) {
  return detected::reduce_singles<Value>(0, count, count / 512 + (count % 512 != 0), step, single,
                                         combine);
}

// The sums of the elements before each element.
template <class Value, bool carried = is_carried<Value>>
class prefixes {
 public:
  explicit prefixes(std::size_t count) : before_(count) {}
  const Value& operator[](std::size_t k) const { return *before_[k]; }

  // Computes them, beginning with `initial`; single(k) is called once for each element. Returns the sum of all.
  template <class Single, class Combine>
  Value fill(const Value& initial, const Single& single, const Combine& combine) {
    detected::for_each_number(before_.size(),
                              [&](std::size_t k) { before_[k].emplace(single(k)); });
    Value sum = initial;
    for (std::optional<Value>& element : before_) {
      Value with = combine(std::as_const(sum), std::as_const(*element));
      element.emplace(std::move(sum));
      sum = std::move(with);
    }
    return sum;
  }

 private:
  std::vector<std::optional<Value>> before_;
};
// In memory that is not checked.
template <class Value>
class prefixes<Value, true> {
 public:
  TASKRACE_NO_INSTRUMENT explicit prefixes(std::size_t count)
      : before_(new unchecked<Value>[count]), count_(count) {}
  TASKRACE_NO_INSTRUMENT ~prefixes() { delete[] before_; }
  prefixes(const prefixes&) = delete;
  prefixes& operator=(const prefixes&) = delete;

  Value operator[](std::size_t k) const { return unchecked<Value>::load(at(k)); }

  template <class Single, class Combine>
  Value fill(const Value& initial, const Single& single, const Combine& combine) {
    if (count() == 0) return initial;
    const auto step = [&](std::size_t k, Value sum) -> Value {
      unchecked<Value>::store(at(k), sum);
      return combine(sum, single(k));
    };
    folding_loop<Value, decltype(step), Single> loop(0, count(), 0, initial, step, single);
    loop.run_parts();
    // Those of a part that is not the first begin with its second element, and without what is before the part.
    const auto* part = loop.parts().first();
    Value sum = part_values<Value>::value(part);
    for (part = part_values<Value>::next(part); part != nullptr;
         part = part_values<Value>::next(part)) {
      const std::size_t begin = part_values<Value>::begin(part);
      const std::size_t end = part_values<Value>::end(part, count());
      for (std::size_t k = begin + 1; k != end; ++k) {
        unchecked<Value>::store(at(k), combine(sum, unchecked<Value>::load(at(k))));
      }
      unchecked<Value>::store(at(begin), sum);
      sum = combine(sum, part_values<Value>::value(part));
    }
    return sum;
  }

 private:
  TASKRACE_NO_INSTRUMENT unchecked<Value>& at(std::size_t k) const noexcept { return before_[k]; }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept { return count_; }

  unchecked<Value>* before_;
  std::size_t count_;
};

constexpr std::ptrdiff_t sorted_serially = 32;

// Of equal elements those of the first half come first.
template <class Iterator, class Compare>
void merge_in_place(Iterator first, Iterator middle, Iterator last, const Compare& compare) {
  std::vector<typename std::iterator_traits<Iterator>::value_type> left(
      std::make_move_iterator(first), std::make_move_iterator(middle));
  auto from_left = left.begin();
  for (; from_left != left.end() && middle != last; ++first) {
    if (compare(*middle, *from_left)) {
      *first = std::move(*middle++);
    } else {
      *first = std::move(*from_left++);
    }
  }
  std::move(from_left, left.end(), first);
}

template <class Iterator, class Compare, class LeafSort>
void sort_halves(Iterator first, Iterator last, const Compare& compare, const LeafSort& leaf_sort) {
  if (last - first <= sorted_serially) {
    leaf_sort(first, last, compare);
    return;
  }
  const Iterator middle = first + (last - first) / 2;
  nested_tasks tasks;
  tasks.spawn([&, first, middle] { detected::sort_halves(first, middle, compare, leaf_sort); });
  detected::sort_halves(middle, last, compare, leaf_sort);
  tasks.sync();
  detected::merge_in_place(first, middle, last, compare);
}

// Of equal elements those of the first range come first.
template <class Iterator1, class Iterator2, class Iterator3, class Compare, class LeafMerge>
void merge_halves(Iterator1 first1, Iterator1 last1, Iterator2 first2, Iterator2 last2,
                  Iterator3 out, const Compare& compare, const LeafMerge& leaf_merge) {
  const auto count1 = last1 - first1, count2 = last2 - first2;
  if (count1 + count2 <= sorted_serially) {
    leaf_merge(first1, last1, first2, last2, out, compare);
    return;
  }
  Iterator1 middle1 = first1;
  Iterator2 middle2 = first2;
  if (count1 >= count2) {
    middle1 += count1 / 2;
    middle2 = std::lower_bound(first2, last2, *middle1, compare);
  } else {
    middle2 += count2 / 2;
    middle1 = std::upper_bound(first1, last1, *middle2, compare);
  }
  nested_tasks tasks;
  tasks.spawn([&, first1, middle1, first2, middle2, out] {
    detected::merge_halves(first1, middle1, first2, middle2, out, compare, leaf_merge);
  });
  const Iterator3 middle_out = out + (middle1 - first1) + (middle2 - first2);
  detected::merge_halves(middle1, last1, middle2, last2, middle_out, compare, leaf_merge);
  tasks.sync();
}

}  // namespace detected
}  // namespace detail
}  // namespace taskrace

#endif
