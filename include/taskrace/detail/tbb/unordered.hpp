// What the unordered containers of oneTBB have in common.
//
// Thread rule, cost: as hash_table.hpp.
#ifndef TASKRACE_DETAIL_TBB_UNORDERED_HPP
#define TASKRACE_DETAIL_TBB_UNORDERED_HPP

#include <oneapi/tbb/tbb_allocator.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <taskrace/detail/tbb/hash_table.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// Mapped: void for sets. is_multi: several elements may have one key.
template <class Key, class Mapped, class Hash, class Equal, class Allocator, bool is_multi>
class unordered_base {
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
  using hasher = Hash;
  using key_equal = Equal;
  using allocator_type = Allocator;
  using reference = value_type&;
  using const_reference = const value_type&;
  using iterator =
      hash_iterator<value_type, std::conditional_t<is_map, value_type, const value_type>>;
  using const_iterator = hash_iterator<value_type, const value_type>;
  using local_iterator = iterator;
  using const_local_iterator = const_iterator;
  using range_type = hash_range<iterator>;
  using const_range_type = hash_range<const_iterator>;
  using inserted = std::pair<iterator, bool>;

  unordered_base() = default;
  explicit unordered_base(size_type, const Hash& hash = Hash(), const Equal& equal = Equal(),
                          const Allocator& = Allocator())
      : hash_(hash), equal_(equal) {}
  explicit unordered_base(const Allocator&) {}
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  unordered_base(Iterator first, Iterator last, size_type = 0, const Hash& hash = Hash(),
                 const Equal& equal = Equal(), const Allocator& = Allocator())
      : hash_(hash), equal_(equal) {
    insert(first, last);
  }
  unordered_base(std::initializer_list<value_type> list, size_type = 0, const Hash& hash = Hash(),
                 const Equal& equal = Equal(), const Allocator& = Allocator())
      : hash_(hash), equal_(equal) {
    insert(list.begin(), list.end());
  }
  unordered_base(const unordered_base& other) : hash_(other.hash_), equal_(other.equal_) {
    insert(other.begin(), other.end());
  }
  unordered_base(unordered_base&& other) : hash_(other.hash_), equal_(other.equal_) {
    table_.swap(other.table_);
  }
  unordered_base& operator=(const unordered_base& other) {
    if (this != &other) {
      clear();
      insert(other.begin(), other.end());
    }
    return *this;
  }
  unordered_base& operator=(unordered_base&& other) {
    if (this != &other) {
      clear();
      table_.swap(other.table_);
    }
    return *this;
  }
  unordered_base& operator=(std::initializer_list<value_type> list) {
    clear();
    insert(list.begin(), list.end());
    return *this;
  }
  ~unordered_base() { clear(); }

  iterator begin() { return iterator(table_.first()); }
  iterator end() { return iterator(); }
  const_iterator begin() const { return const_iterator(table_.first()); }
  const_iterator end() const { return const_iterator(); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  range_type range() { return range_type(begin(), end()); }
  const_range_type range() const { return const_range_type(begin(), end()); }
  bool empty() const { return table_.count() == 0; }
  size_type size() const { return table_.count(); }
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
  size_type count(const Key& key) const {
    size_type found = 0;
    for (node* at = table_.find(hash_(key)); at != nullptr; at = table::find_next(at)) {
      if (is_of(at, key)) ++found;
    }
    return found;
  }

  // Not in parallel.
  iterator unsafe_erase(const_iterator at) {
    node* next = table::after(at.node());
    erase(at.node());
    return iterator(next);
  }
  iterator unsafe_erase(const_iterator first, const_iterator last) {
    while (first != last) first = unsafe_erase(first);
    return iterator(last.node());
  }
  size_type unsafe_erase(const Key& key) {
    size_type erased = 0;
    while (node* found = look_up(key)) {
      erase(found);
      ++erased;
    }
    return erased;
  }
  void clear() {
    while (node* first = table_.first()) erase(first);
  }
  void swap(unordered_base& other) {
    table_.swap(other.table_);
    std::swap(hash_, other.hash_);
    std::swap(equal_, other.equal_);
  }
  hasher hash_function() const { return hash_; }
  key_equal key_eq() const { return equal_; }
  allocator_type get_allocator() const { return Allocator(); }
  size_type unsafe_bucket_count() const { return table_.buckets(); }
  float load_factor() const {
    return static_cast<float>(size()) / static_cast<float>(table_.buckets());
  }
  float max_load_factor() const { return 1; }
  void max_load_factor(float) {}
  void rehash(size_type) {}
  void reserve(size_type) {}

  friend bool operator==(const unordered_base& a, const unordered_base& b) {
    if (a.size() != b.size()) return false;
    for (const value_type& value : a) {
      bool found = false;
      for (node* at = b.table_.find(b.hash_(key_of(value))); at != nullptr && !found;
           at = table::find_next(at)) {
        found = b.is_of(at, key_of(value)) && at->value() == value;
      }
      if (!found) return false;
    }
    return true;
  }
  friend bool operator!=(const unordered_base& a, const unordered_base& b) { return !(a == b); }

 protected:
  using table = hash_table<value_type>;
  using node = typename table::node;

  static const Key& key_of(const value_type& value) {
    if constexpr (is_map) {
      return value.first;
    } else {
      return value;
    }
  }
  bool is_of(node* at, const Key& key) const {
    at->receive();
    return equal_(key_of(at->value()), key);
  }
  node* look_up(const Key& key) const { return look_up(key, hash_(key)); }
  node* look_up(const Key& key, std::size_t hash) const {
    node* at = table_.find(hash);
    while (at != nullptr && !is_of(at, key)) at = table::find_next(at);
    return at;
  }
  template <class... Arguments>
  inserted put(const Key& key, Arguments&&... arguments) {
    const std::size_t hash = hash_(key);
    if constexpr (!is_multi) {
      if (node* found = look_up(key, hash)) return {iterator(found), false};
    }
    node* made = node::make(hash);
    ::new (made->place()) value_type(std::forward<Arguments>(arguments)...);
    made->send();
    table_.add(made);
    return {iterator(made), true};
  }
  void erase(node* one) {
    one->receive();
    table_.remove(one);
    one->value().~value_type();
    one->free();
  }

  table table_;
  Hash hash_;
  Equal equal_;
};

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
