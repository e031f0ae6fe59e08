// concurrent_unordered_map and concurrent_unordered_multimap of oneTBB (taskrace/detail/tbb/hash_table.hpp).
#pragma GCC system_header
#ifndef TASKRACE_TBB_CONCURRENT_UNORDERED_MAP_H
#define TASKRACE_TBB_CONCURRENT_UNORDERED_MAP_H

#include <oneapi/tbb/tbb_allocator.h>

#include <functional>
#include <stdexcept>
#include <taskrace/detail/tbb/unordered.hpp>
#include <tuple>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          class Allocator = tbb_allocator<std::pair<const Key, T>>>
class concurrent_unordered_map : public unordered_base<Key, T, Hash, Equal, Allocator, false> {
  using base = unordered_base<Key, T, Hash, Equal, Allocator, false>;

 public:
  using mapped_type = T;
  using base::base;

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
  std::pair<typename base::iterator, typename base::iterator> equal_range(const Key& key) {
    const auto first = this->find(key);
    return {first, first == this->end() ? first : std::next(first)};
  }

 private:
  auto* checked(const Key& key) const {
    auto* found = this->look_up(key);
    if (found == nullptr) throw std::out_of_range("concurrent_unordered_map::at");
    return found;
  }
};
template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          class Allocator = tbb_allocator<std::pair<const Key, T>>>
class concurrent_unordered_multimap : public unordered_base<Key, T, Hash, Equal, Allocator, true> {
 public:
  using mapped_type = T;
  using unordered_base<Key, T, Hash, Equal, Allocator, true>::unordered_base;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::concurrent_unordered_map;
using detail::concurrent_unordered_multimap;
}  // namespace v1
}  // namespace tbb

#endif
