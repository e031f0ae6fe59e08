// A range of integers or of random-access iterators, as a first index and a length.
//
// A type of values without shared state. Cost: every function O(1).
#ifndef TASKRACE_DETAIL_INDEX_RANGE_HPP
#define TASKRACE_DETAIL_INDEX_RANGE_HPP

#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>

namespace taskrace {
namespace detail {

template <class Index, class = void>
struct is_random_access_iterator : std::false_type {};
template <class Index>
struct is_random_access_iterator<
    Index, std::void_t<typename std::iterator_traits<Index>::iterator_category>>
    : std::is_base_of<std::random_access_iterator_tag,
                      typename std::iterator_traits<Index>::iterator_category> {};

// The arithmetic of integers is done unsigned, so that INT_MIN to INT_MAX is a
// range like any other.
template <class Index>
struct index_range {
  static_assert(std::is_integral_v<Index> || is_random_access_iterator<Index>::value,
                "taskrace: a parallel range is one of integers or of random-access iterators");

  Index first;
  std::size_t count;

  // [begin, end); empty unless begin < end.
  index_range(Index begin, Index end) : first(begin), count(begin < end ? length(begin, end) : 0) {}

  // Requires: k < count.
  Index operator[](std::size_t k) const { return inside(bound(first, k)); }
  // The same index. Requires: it is in the range. So one that is narrower than an address does not wrap
  // around in a loop over the range, and the compiler knows that a[index] moves in equal steps.
  static Index inside(Index index) {
    if constexpr (std::is_integral_v<Index>) {
      if (index == std::numeric_limits<Index>::max()) __builtin_unreachable();
    }
    return index;
  }
  // Where a part of the range that begins at `first` begins or ends. Requires: k <= count.
  static Index bound(Index first, std::size_t k) {
    if constexpr (std::is_integral_v<Index>) {
      using Unsigned = std::make_unsigned_t<Index>;
      return static_cast<Index>(
          static_cast<Unsigned>(static_cast<Unsigned>(first) + static_cast<Unsigned>(k)));
    } else {
      return first + static_cast<typename std::iterator_traits<Index>::difference_type>(k);
    }
  }

 private:
  static std::size_t length(Index begin, Index end) {
    if constexpr (std::is_integral_v<Index>) {
      using Unsigned = std::make_unsigned_t<Index>;
      return static_cast<Unsigned>(static_cast<Unsigned>(end) - static_cast<Unsigned>(begin));
    } else {
      return static_cast<std::size_t>(end - begin);
    }
  }
};

}  // namespace detail
}  // namespace taskrace

#endif
