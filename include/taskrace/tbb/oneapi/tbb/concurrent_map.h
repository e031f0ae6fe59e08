// concurrent_map and concurrent_multimap of oneTBB (taskrace/detail/tbb/ordered.hpp).
#pragma GCC system_header
#ifndef TASKRACE_TBB_CONCURRENT_MAP_H
#define TASKRACE_TBB_CONCURRENT_MAP_H

#include <oneapi/tbb/tbb_allocator.h>

#include <functional>
#include <stdexcept>
#include <taskrace/detail/tbb/ordered.hpp>
#include <tuple>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class Key, class T, class Compare = std::less<Key>,
          class Allocator = tbb_allocator<std::pair<const Key, T>>>
class concurrent_map : public ordered_base<Key, T, Compare, Allocator, false> {
 public:
  using mapped_type = T;
  using ordered_base<Key, T, Compare, Allocator, false>::ordered_base;

  T& operator[](const Key& key) {
    return this->put(key, std::piecewise_construct, std::forward_as_tuple(key), std::tuple<>())
        .first->second;
  }
  T& operator[](Key&& key) {
    return this
        ->put(key, std::piecewise_construct, std::forward_as_tuple(std::move(key)), std::tuple<>())
        .first->second;
  }
  T& at(const Key& key) { return checked(key)->value().second; }
  const T& at(const Key& key) const { return checked(key)->value().second; }

 private:
  auto* checked(const Key& key) const {
    auto* found = this->look_up(key);
    if (found == nullptr) throw std::out_of_range("concurrent_map::at");
    return found;
  }
};
template <class Key, class T, class Compare = std::less<Key>,
          class Allocator = tbb_allocator<std::pair<const Key, T>>>
class concurrent_multimap : public ordered_base<Key, T, Compare, Allocator, true> {
 public:
  using mapped_type = T;
  using ordered_base<Key, T, Compare, Allocator, true>::ordered_base;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::concurrent_map;
using detail::concurrent_multimap;
}  // namespace v1
}  // namespace tbb

#endif
