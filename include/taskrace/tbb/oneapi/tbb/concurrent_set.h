// concurrent_set and concurrent_multiset of oneTBB (taskrace/detail/tbb/ordered.hpp).
#pragma GCC system_header
#ifndef TASKRACE_TBB_CONCURRENT_SET_H
#define TASKRACE_TBB_CONCURRENT_SET_H

#include <oneapi/tbb/tbb_allocator.h>

#include <functional>
#include <taskrace/detail/tbb/ordered.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class Key, class Compare = std::less<Key>, class Allocator = tbb_allocator<Key>>
class concurrent_set : public ordered_base<Key, void, Compare, Allocator, false> {
 public:
  using ordered_base<Key, void, Compare, Allocator, false>::ordered_base;
};
template <class Key, class Compare = std::less<Key>, class Allocator = tbb_allocator<Key>>
class concurrent_multiset : public ordered_base<Key, void, Compare, Allocator, true> {
 public:
  using ordered_base<Key, void, Compare, Allocator, true>::ordered_base;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::concurrent_multiset;
using detail::concurrent_set;
}  // namespace v1
}  // namespace tbb

#endif
