// concurrent_unordered_set and concurrent_unordered_multiset of oneTBB (taskrace/detail/tbb/hash_table.hpp).
#pragma GCC system_header
#ifndef TASKRACE_TBB_CONCURRENT_UNORDERED_SET_H
#define TASKRACE_TBB_CONCURRENT_UNORDERED_SET_H

#include <oneapi/tbb/tbb_allocator.h>

#include <functional>
#include <taskrace/detail/tbb/unordered.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          class Allocator = tbb_allocator<Key>>
class concurrent_unordered_set : public unordered_base<Key, void, Hash, Equal, Allocator, false> {
 public:
  using unordered_base<Key, void, Hash, Equal, Allocator, false>::unordered_base;
};
template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          class Allocator = tbb_allocator<Key>>
class concurrent_unordered_multiset
    : public unordered_base<Key, void, Hash, Equal, Allocator, true> {
 public:
  using unordered_base<Key, void, Hash, Equal, Allocator, true>::unordered_base;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::concurrent_unordered_multiset;
using detail::concurrent_unordered_set;
}  // namespace v1
}  // namespace tbb

#endif
