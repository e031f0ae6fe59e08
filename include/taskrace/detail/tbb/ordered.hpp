// What the ordered containers of oneTBB have in common: nodes that carry messages, in a sorted array of pointers and a list.
//
// To compare with an element is to come after its insertion, as in the library, which publishes nodes by atomics. The array and the list
// are bookkeeping, and never checked.
//
// Thread rule: as in the library, in serial runs. Cost: O(log n) comparisons, a promise for each, and O(n) to move pointers.
#ifndef TASKRACE_DETAIL_TBB_ORDERED_HPP
#define TASKRACE_DETAIL_TBB_ORDERED_HPP

#include <oneapi/tbb/tbb_allocator.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <taskrace/detail/tbb/hash_table.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// Mapped: void for sets. is_multi: several elements may have one key.
template <class Key, class Mapped, class Compare, class Allocator, bool is_multi>
class ordered_base {
  static constexpr bool is_map = !std::is_void_v<Mapped>;
  template <class First, class Second, bool map>
  struct element {
    using type = First;
  };
  template <class First, class Second>
  struct element<First, Second, true> {
    using type = std::pair<const First, Second>;
  };

 public:
  using key_type = Key;
  using value_type = typename element<Key, Mapped, is_map>::type;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using key_compare = Compare;
  using allocator_type = Allocator;
  using reference = value_type&;
  using const_reference = const value_type&;
  using iterator =
      hash_iterator<value_type, std::conditional_t<is_map, value_type, const value_type>>;
  using const_iterator = hash_iterator<value_type, const value_type>;
  using range_type = hash_range<iterator>;
  using const_range_type = hash_range<const_iterator>;
  using inserted = std::pair<iterator, bool>;
  class value_compare {
   public:
    bool operator()(const value_type& a, const value_type& b) const {
      return compare_(key_of(a), key_of(b));
    }

   private:
    friend class ordered_base;
    explicit value_compare(const Compare& compare) : compare_(compare) {}
    Compare compare_;
  };

  ordered_base() = default;
  explicit ordered_base(const Compare& compare, const Allocator& = Allocator())
      : compare_(compare) {}
  explicit ordered_base(const Allocator&) {}
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  ordered_base(Iterator first, Iterator last, const Compare& compare = Compare(),
               const Allocator& = Allocator())
      : compare_(compare) {
    insert(first, last);
  }
  ordered_base(std::initializer_list<value_type> list, const Compare& compare = Compare(),
               const Allocator& = Allocator())
      : compare_(compare) {
    insert(list.begin(), list.end());
  }
  ordered_base(const ordered_base& other) : compare_(other.compare_) {
    insert(other.begin(), other.end());
  }
  ordered_base(ordered_base&& other) : compare_(other.compare_) { nodes_.swap(other.nodes_); }
  ordered_base& operator=(const ordered_base& other) {
    if (this != &other) {
      clear();
      insert(other.begin(), other.end());
    }
    return *this;
  }
  ordered_base& operator=(ordered_base&& other) {
    if (this != &other) {
      clear();
      nodes_.swap(other.nodes_);
    }
    return *this;
  }
  ordered_base& operator=(std::initializer_list<value_type> list) {
    clear();
    insert(list.begin(), list.end());
    return *this;
  }
  ~ordered_base() { clear(); }

  iterator begin() { return iterator(at_or_null(0)); }
  iterator end() { return iterator(); }
  const_iterator begin() const { return const_iterator(at_or_null(0)); }
  const_iterator end() const { return const_iterator(); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  range_type range() { return range_type(begin(), end()); }
  const_range_type range() const { return const_range_type(begin(), end()); }
  bool empty() const { return nodes_.empty(); }
  size_type size() const { return nodes_.size(); }
  size_type max_size() const { return ~size_type{0} / sizeof(value_type); }

  inserted insert(const value_type& value) { return put(key_of(value), value); }
  inserted insert(value_type&& value) { return put(key_of(value), std::move(value)); }
  iterator insert(const_iterator, const value_type& value) { return insert(value).first; }
  template <class Pair,
            class = std::enable_if_t<is_map && std::is_constructible_v<value_type, Pair&&>>>
  inserted insert(Pair&& pair) {
    return emplace(std::forward<Pair>(pair));
  }
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  void insert(std::initializer_list<value_type> list) { insert(list.begin(), list.end()); }
  template <class... Arguments>
  inserted emplace(Arguments&&... arguments) {
    value_type value(std::forward<Arguments>(arguments)...);
    return put(key_of(value), std::move(value));
  }
  template <class... Arguments>
  iterator emplace_hint(const_iterator, Arguments&&... arguments) {
    return emplace(std::forward<Arguments>(arguments)...).first;
  }

  iterator find(const Key& key) { return iterator(look_up(key)); }
  const_iterator find(const Key& key) const { return const_iterator(look_up(key)); }
  bool contains(const Key& key) const { return look_up(key) != nullptr; }
  size_type count(const Key& key) const { return not_after(key) - not_before(key); }
  iterator lower_bound(const Key& key) { return iterator(at_or_null(not_before(key))); }
  const_iterator lower_bound(const Key& key) const {
    return const_iterator(at_or_null(not_before(key)));
  }
  iterator upper_bound(const Key& key) { return iterator(at_or_null(not_after(key))); }
  const_iterator upper_bound(const Key& key) const {
    return const_iterator(at_or_null(not_after(key)));
  }
  std::pair<iterator, iterator> equal_range(const Key& key) {
    return {lower_bound(key), upper_bound(key)};
  }
  std::pair<const_iterator, const_iterator> equal_range(const Key& key) const {
    return {lower_bound(key), upper_bound(key)};
  }
  key_compare key_comp() const { return compare_; }
  value_compare value_comp() const { return value_compare(compare_); }
  allocator_type get_allocator() const { return Allocator(); }

  // Not in parallel.
  iterator unsafe_erase(const_iterator at) {
    node* next = hash_table<value_type>::after(at.node());
    erase(place_of(at.node()));
    return iterator(next);
  }
  iterator unsafe_erase(const_iterator first, const_iterator last) {
    while (first != last) first = unsafe_erase(first);
    return iterator(last.node());
  }
  size_type unsafe_erase(const Key& key) {
    const std::size_t first = not_before(key), erased = not_after(key) - first;
    for (std::size_t k = 0; k != erased; ++k) erase(first);
    return erased;
  }
  void clear() {
    while (!nodes_.empty()) erase(nodes_.size() - 1);
  }
  void swap(ordered_base& other) {
    nodes_.swap(other.nodes_);
    std::swap(compare_, other.compare_);
  }

  friend bool operator==(const ordered_base& a, const ordered_base& b) {
    if (a.size() != b.size()) return false;
    for (const_iterator x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
      if (!(*x == *y)) return false;
    }
    return true;
  }
  friend bool operator!=(const ordered_base& a, const ordered_base& b) { return !(a == b); }

 protected:
  using node = hash_node<value_type>;

  static const Key& key_of(const value_type& value) {
    if constexpr (is_map) {
      return value.first;
    } else {
      return value;
    }
  }
  const Key& key_at(std::size_t k) const {
    node* at = nodes_.at(k);
    at->receive();
    return key_of(at->value());
  }
  // The number of elements that are before all with this key, and up to the last with this key.
  std::size_t not_before(const Key& key) const {
    std::size_t first = 0;
    for (std::size_t last = nodes_.size(); first < last;) {
      const std::size_t middle = first + (last - first) / 2;
      if (compare_(key_at(middle), key)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }
  std::size_t not_after(const Key& key) const {
    std::size_t first = 0;
    for (std::size_t last = nodes_.size(); first < last;) {
      const std::size_t middle = first + (last - first) / 2;
      if (compare_(key, key_at(middle))) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    return first;
  }
  node* look_up(const Key& key) const {
    const std::size_t k = not_before(key);
    return k != nodes_.size() && !compare_(key, key_at(k)) ? nodes_.at(k) : nullptr;
  }
  template <class... Arguments>
  inserted put(const Key& key, Arguments&&... arguments) {
    const std::size_t k = is_multi ? not_after(key) : not_before(key);
    if constexpr (!is_multi) {
      if (k != nodes_.size() && !compare_(key, key_at(k))) return {iterator(nodes_.at(k)), false};
    }
    node* made = node::make(0);
    ::new (made->place()) value_type(std::forward<Arguments>(arguments)...);
    made->send();
    link(k, made);
    return {iterator(made), true};
  }
  void erase(std::size_t k) {
    node* one = nodes_.at(k);
    one->receive();
    unlink(k);
    one->value().~value_type();
    one->free();
  }

 private:
  TASKRACE_NO_INSTRUMENT node* at_or_null(std::size_t k) const noexcept {
    return k < nodes_.size() ? nodes_.at(k) : nullptr;
  }
  TASKRACE_NO_INSTRUMENT std::size_t place_of(node* one) const noexcept {
    std::size_t k = 0;
    while (nodes_.at(k) != one) ++k;
    return k;
  }
  TASKRACE_NO_INSTRUMENT void link(std::size_t k, node* made) {
    made->next = at_or_null(k);
    if (k != 0) nodes_.at(k - 1)->next = made;
    nodes_.push(nullptr);
    for (std::size_t at = nodes_.size() - 1; at != k; --at) nodes_.set(at, nodes_.at(at - 1));
    nodes_.set(k, made);
  }
  TASKRACE_NO_INSTRUMENT void unlink(std::size_t k) noexcept {
    if (k != 0) nodes_.at(k - 1)->next = at_or_null(k + 1);
    for (std::size_t at = k; at + 1 != nodes_.size(); ++at) nodes_.set(at, nodes_.at(at + 1));
    nodes_.pop();
  }

  unchecked_pointers<node> nodes_;
  Compare compare_;
};

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
