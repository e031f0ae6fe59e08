// concurrent_hash_map of oneTBB. An accessor holds a lock of its element, shared if it is const.
//
// To find an element is to come after its insertion. The lock of the table stands for those of its buckets: keys are compared
// under it, and an element that is erased is destroyed under it.
//
// Thread rule: as in the library, in serial runs. Cost: as hash_table.hpp.
#pragma GCC system_header
#ifndef TASKRACE_TBB_CONCURRENT_HASH_MAP_H
#define TASKRACE_TBB_CONCURRENT_HASH_MAP_H

#include <oneapi/tbb/tbb_allocator.h>
#include <taskrace/hooks.h>

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

template <class Key>
struct tbb_hash_compare {
  std::size_t hash(const Key& key) const { return std::hash<Key>()(key); }
  bool equal(const Key& a, const Key& b) const { return a == b; }
};

template <class Key, class T, class HashCompare = tbb_hash_compare<Key>,
          class Allocator = tbb_allocator<std::pair<const Key, T>>>
class concurrent_hash_map {
 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<const Key, T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = value_type&;
  using const_reference = const value_type&;
  using allocator_type = Allocator;
  using iterator = hash_iterator<value_type, value_type>;
  using const_iterator = hash_iterator<value_type, const value_type>;
  using range_type = hash_range<iterator>;
  using const_range_type = hash_range<const_iterator>;

  class const_accessor {
   public:
    using value_type = const typename concurrent_hash_map::value_type;
    const_accessor() = default;
    ~const_accessor() { release(); }
    const_accessor(const const_accessor&) = delete;
    const_accessor& operator=(const const_accessor&) = delete;

    bool empty() const { return node_ == nullptr; }
    void release() {
      if (node_ == nullptr) return;
      __taskrace_lock_released(node_);
      node_ = nullptr;
    }
    const value_type& operator*() const { return node_->value(); }
    const value_type* operator->() const { return &node_->value(); }

   protected:
    friend class concurrent_hash_map;
    void hold(hash_node<typename concurrent_hash_map::value_type>* node, bool shared) {
      node_ = node;
      __taskrace_lock_acquired(node, shared ? 1 : 0);
    }
    hash_node<typename concurrent_hash_map::value_type>* node_ = nullptr;
  };
  class accessor : public const_accessor {
   public:
    using value_type = typename concurrent_hash_map::value_type;
    value_type& operator*() const { return this->node_->value(); }
    value_type* operator->() const { return &this->node_->value(); }
  };

  explicit concurrent_hash_map(const HashCompare& compare = HashCompare(),
                               const Allocator& = Allocator())
      : compare_(compare) {}
  explicit concurrent_hash_map(const Allocator&) {}
  explicit concurrent_hash_map(size_type, const Allocator& = Allocator()) {}
  concurrent_hash_map(size_type, const HashCompare& compare, const Allocator& = Allocator())
      : compare_(compare) {}
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  concurrent_hash_map(Iterator first, Iterator last, const HashCompare& compare = HashCompare())
      : compare_(compare) {
    insert(first, last);
  }
  concurrent_hash_map(std::initializer_list<value_type> list,
                      const HashCompare& compare = HashCompare())
      : concurrent_hash_map(list.begin(), list.end(), compare) {}
  concurrent_hash_map(const concurrent_hash_map& other) : compare_(other.compare_) {
    insert(other.begin(), other.end());
  }
  concurrent_hash_map(concurrent_hash_map&& other) : compare_(other.compare_) {
    table_.swap(other.table_);
  }
  concurrent_hash_map& operator=(const concurrent_hash_map& other) {
    if (this != &other) {
      clear();
      insert(other.begin(), other.end());
    }
    return *this;
  }
  concurrent_hash_map& operator=(concurrent_hash_map&& other) {
    if (this != &other) {
      clear();
      table_.swap(other.table_);
    }
    return *this;
  }
  ~concurrent_hash_map() { clear(); }

  bool find(const_accessor& result, const Key& key) const { return look_up(result, key, true); }
  bool find(accessor& result, const Key& key) { return look_up(result, key, false); }
  size_type count(const Key& key) const {
    const table_lock lock(*this, true);
    return search(key, compare_.hash(key)) != nullptr ? 1 : 0;
  }

  // True: it was not there.
  bool insert(const_accessor& result, const Key& key) { return put(&result, true, key, key, T()); }
  bool insert(accessor& result, const Key& key) { return put(&result, false, key, key, T()); }
  bool insert(const_accessor& result, const value_type& value) {
    return put(&result, true, value.first, value);
  }
  bool insert(accessor& result, const value_type& value) {
    return put(&result, false, value.first, value);
  }
  bool insert(const_accessor& result, value_type&& value) {
    return put(&result, true, value.first, std::move(value));
  }
  bool insert(accessor& result, value_type&& value) {
    return put(&result, false, value.first, std::move(value));
  }
  bool insert(const value_type& value) { return put(nullptr, false, value.first, value); }
  bool insert(value_type&& value) { return put(nullptr, false, value.first, std::move(value)); }
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  void insert(std::initializer_list<value_type> list) { insert(list.begin(), list.end()); }
  template <class... Arguments>
  bool emplace(const_accessor& result, Arguments&&... arguments) {
    return insert(result, value_type(std::forward<Arguments>(arguments)...));
  }
  template <class... Arguments>
  bool emplace(accessor& result, Arguments&&... arguments) {
    return insert(result, value_type(std::forward<Arguments>(arguments)...));
  }
  template <class... Arguments>
  bool emplace(Arguments&&... arguments) {
    return insert(value_type(std::forward<Arguments>(arguments)...));
  }
  bool erase(const Key& key) {
    accessor found;
    return find(found, key) && erase(found);
  }
  bool erase(const_accessor& held) {
    node* one = held.node_;
    {
      const table_lock lock(*this, false);
      table_.remove(one);
      one->value().~value_type();
    }
    held.release();
    one->free();
    return true;
  }

  size_type size() const { return table_.count(); }
  bool empty() const { return table_.count() == 0; }
  size_type max_size() const { return ~size_type{0} / sizeof(value_type); }
  size_type bucket_count() const { return table_.buckets(); }
  allocator_type get_allocator() const { return Allocator(); }

  // Not in parallel.
  iterator begin() { return iterator(table_.first()); }
  iterator end() { return iterator(); }
  const_iterator begin() const { return const_iterator(table_.first()); }
  const_iterator end() const { return const_iterator(); }
  range_type range(std::size_t = 1) { return range_type(begin(), end()); }
  const_range_type range(std::size_t = 1) const { return const_range_type(begin(), end()); }
  void clear() {
    while (node* first = table_.first()) {
      first->receive();
      table_.remove(first);
      first->value().~value_type();
      first->free();
    }
  }
  void rehash(size_type = 0) {}
  void swap(concurrent_hash_map& other) {
    table_.swap(other.table_);
    std::swap(compare_, other.compare_);
  }
  friend void swap(concurrent_hash_map& a, concurrent_hash_map& b) { a.swap(b); }

 private:
  using table = hash_table<value_type>;
  using node = typename table::node;

  class table_lock {
   public:
    table_lock(const concurrent_hash_map& of, bool shared) : of_(of) {
      __taskrace_lock_acquired(&of.table_, shared ? 1 : 0);
    }
    ~table_lock() { __taskrace_lock_released(&of_.table_); }
    table_lock(const table_lock&) = delete;
    table_lock& operator=(const table_lock&) = delete;

   private:
    const concurrent_hash_map& of_;
  };

  // Requires: the table is locked.
  node* search(const Key& key, std::size_t hash) const {
    node* at = table_.find(hash);
    for (; at != nullptr; at = table::find_next(at)) {
      at->receive();
      if (compare_.equal(at->value().first, key)) return at;
    }
    return nullptr;
  }
  bool look_up(const_accessor& result, const Key& key, bool shared) const {
    result.release();
    node* found = nullptr;
    {
      const table_lock lock(*this, true);
      found = search(key, compare_.hash(key));
    }
    if (found != nullptr) result.hold(found, shared);
    return found != nullptr;
  }
  // The element is made under the lock that the accessor holds.
  template <class... Arguments>
  bool put(const_accessor* result, bool shared, const Key& key, Arguments&&... arguments) {
    if (result != nullptr) result->release();
    const std::size_t hash = compare_.hash(key);
    node* found = nullptr;
    {
      const table_lock lock(*this, true);
      found = search(key, hash);
    }
    const bool is_new = found == nullptr;
    if (is_new) {
      found = node::make(hash);
      __taskrace_lock_acquired(found, 0);
      ::new (found->place()) value_type(std::forward<Arguments>(arguments)...);
      found->send();
      __taskrace_lock_released(found);
      table_.add(found);
    }
    if (result != nullptr) result->hold(found, shared);
    return is_new;
  }

  mutable table table_;
  HashCompare compare_;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::concurrent_hash_map;
using detail::tbb_hash_compare;
}  // namespace v1
}  // namespace tbb

#endif
