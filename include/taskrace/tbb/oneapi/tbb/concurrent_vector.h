// concurrent_vector of oneTBB. Elements stay where they are; segments double in size.
//
// What is bookkeeping (the table of segments, the number of elements) is never checked. Elements are the program's memory: to use one
// that a parallel task has made or changes is a race, as the library documents.
//
// Thread rule: as in the library. Cost: O(1).
#pragma GCC system_header
#ifndef TASKRACE_TBB_CONCURRENT_VECTOR_H
#define TASKRACE_TBB_CONCURRENT_VECTOR_H

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/cache_aligned_allocator.h>
#include <taskrace/annotate.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// Memory for elements, by their numbers: segment 0 has two of them, and every other one as many as all before it.
template <class T>
class element_segments {
 public:
  TASKRACE_NO_INSTRUMENT element_segments() noexcept : segments_{}, count_(0) {}
  TASKRACE_NO_INSTRUMENT ~element_segments() {
    for (T* segment : segments_) std::free(segment);
  }
  element_segments(const element_segments&) = delete;
  element_segments& operator=(const element_segments&) = delete;

  TASKRACE_NO_INSTRUMENT T* at(std::size_t k) const noexcept {
    const unsigned number = segment_of(k);
    return __atomic_load_n(&segments_[number], __ATOMIC_ACQUIRE) + (k - first_of(number));
  }
  // Makes place for `more` elements, and returns the number of the first.
  TASKRACE_NO_INSTRUMENT std::size_t grow(std::size_t more) {
    const std::size_t first = __atomic_fetch_add(&count_, more, __ATOMIC_RELAXED);
    if (more != 0) reserve(first + more);
    return first;
  }
  // The same up to `count` elements; more: how many were missing.
  TASKRACE_NO_INSTRUMENT std::size_t grow_to(std::size_t count, std::size_t& more) {
    std::size_t before = __atomic_load_n(&count_, __ATOMIC_RELAXED);
    do {
      if (before >= count) {
        more = 0;
        return before;
      }
    } while (!__atomic_compare_exchange_n(&count_, &before, count, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    reserve(count);
    more = count - before;
    return before;
  }
  TASKRACE_NO_INSTRUMENT void reserve(std::size_t count) {
    if (count == 0) return;
    for (unsigned number = 0; number <= segment_of(count - 1); ++number) {
      if (__atomic_load_n(&segments_[number], __ATOMIC_ACQUIRE) == nullptr) make(number);
    }
  }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept {
    return __atomic_load_n(&count_, __ATOMIC_RELAXED);
  }
  TASKRACE_NO_INSTRUMENT void set_count(std::size_t count) noexcept { count_ = count; }
  TASKRACE_NO_INSTRUMENT std::size_t capacity() const noexcept {
    unsigned number = 0;
    while (number != most && segments_[number] != nullptr) ++number;
    return number == 0 ? 0 : first_of(number);
  }
  TASKRACE_NO_INSTRUMENT void free_unused() noexcept {
    for (unsigned number = 0; number != most; ++number) {
      if (first_of(number) >= count_) std::free(std::exchange(segments_[number], nullptr));
    }
  }
  TASKRACE_NO_INSTRUMENT void swap(element_segments& other) noexcept {
    std::swap(segments_, other.segments_);
    std::swap(count_, other.count_);
  }

 private:
  static constexpr unsigned most = 48;

  TASKRACE_NO_INSTRUMENT static unsigned segment_of(std::size_t k) noexcept {
    return k < 2 ? 0 : 63 - static_cast<unsigned>(__builtin_clzl(k));
  }
  TASKRACE_NO_INSTRUMENT static std::size_t first_of(unsigned number) noexcept {
    return number == 0 ? 0 : std::size_t{1} << number;
  }
  TASKRACE_NO_INSTRUMENT void make(unsigned number) {
    const std::size_t size = number == 0 ? 2 : std::size_t{1} << number;
    constexpr std::size_t alignment = alignof(T) > 128 ? alignof(T) : 128;
    const std::size_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
    T* made = static_cast<T*>(std::aligned_alloc(alignment, bytes));
    if (made == nullptr) throw std::bad_alloc();
    T* none = nullptr;
    if (!__atomic_compare_exchange_n(&segments_[number], &none, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
      std::free(made);
    }
  }

  T* segments_[most];
  std::size_t count_;
};

// Vector: the container, const or not. Value: what it points to.
template <class Vector, class Value>
class vector_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<Value>;
  using difference_type = std::ptrdiff_t;
  using pointer = Value*;
  using reference = Value&;

  vector_iterator() = default;
  vector_iterator(const Vector& of, std::size_t at) : of_(&of), at_(at) {}
  template <class Other, class = std::enable_if_t<std::is_convertible_v<Other*, Value*>>>
  vector_iterator(const vector_iterator<Vector, Other>& other) : of_(other.of_), at_(other.at_) {}

  reference operator*() const { return *of_->place(at_); }
  pointer operator->() const { return of_->place(at_); }
  reference operator[](difference_type k) const { return *(*this + k); }
  vector_iterator& operator++() {
    ++at_;
    return *this;
  }
  vector_iterator operator++(int) { return vector_iterator(*of_, at_++); }
  vector_iterator& operator--() {
    --at_;
    return *this;
  }
  vector_iterator operator--(int) { return vector_iterator(*of_, at_--); }
  vector_iterator& operator+=(difference_type k) {
    at_ += static_cast<std::size_t>(k);
    return *this;
  }
  vector_iterator& operator-=(difference_type k) {
    at_ -= static_cast<std::size_t>(k);
    return *this;
  }
  friend vector_iterator operator+(vector_iterator a, difference_type k) { return a += k; }
  friend vector_iterator operator+(difference_type k, vector_iterator a) { return a += k; }
  friend vector_iterator operator-(vector_iterator a, difference_type k) { return a -= k; }
  template <class Other>
  difference_type operator-(const vector_iterator<Vector, Other>& b) const {
    return static_cast<difference_type>(at_ - b.at_);
  }
  template <class Other>
  bool operator==(const vector_iterator<Vector, Other>& b) const {
    return at_ == b.at_;
  }
  template <class Other>
  bool operator!=(const vector_iterator<Vector, Other>& b) const {
    return at_ != b.at_;
  }
  template <class Other>
  bool operator<(const vector_iterator<Vector, Other>& b) const {
    return at_ < b.at_;
  }
  template <class Other>
  bool operator>(const vector_iterator<Vector, Other>& b) const {
    return at_ > b.at_;
  }
  template <class Other>
  bool operator<=(const vector_iterator<Vector, Other>& b) const {
    return at_ <= b.at_;
  }
  template <class Other>
  bool operator>=(const vector_iterator<Vector, Other>& b) const {
    return at_ >= b.at_;
  }

 private:
  template <class, class>
  friend class vector_iterator;
  const Vector* of_ = nullptr;
  std::size_t at_ = 0;
};

template <class T, class Allocator = cache_aligned_allocator<T>>
class concurrent_vector {
 public:
  using value_type = T;
  using allocator_type = Allocator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using iterator = vector_iterator<concurrent_vector, T>;
  using const_iterator = vector_iterator<concurrent_vector, const T>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using range_type = blocked_range<iterator>;
  using const_range_type = blocked_range<const_iterator>;

  concurrent_vector() = default;
  explicit concurrent_vector(const Allocator&) {}
  explicit concurrent_vector(size_type count, const Allocator& = Allocator()) { grow_by(count); }
  concurrent_vector(size_type count, const T& value, const Allocator& = Allocator()) {
    grow_by(count, value);
  }
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  concurrent_vector(Iterator first, Iterator last, const Allocator& = Allocator()) {
    for (; first != last; ++first) push_back(*first);
  }
  concurrent_vector(std::initializer_list<T> list, const Allocator& = Allocator())
      : concurrent_vector(list.begin(), list.end()) {}
  concurrent_vector(const concurrent_vector& other)
      : concurrent_vector(other.begin(), other.end()) {}
  concurrent_vector(concurrent_vector&& other) noexcept { swap(other); }
  concurrent_vector& operator=(const concurrent_vector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  concurrent_vector& operator=(concurrent_vector&& other) noexcept {
    if (this != &other) {
      clear();
      swap(other);
    }
    return *this;
  }
  concurrent_vector& operator=(std::initializer_list<T> list) {
    assign(list);
    return *this;
  }
  ~concurrent_vector() { clear(); }

  void assign(size_type count, const T& value) {
    clear();
    grow_by(count, value);
  }
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  void assign(Iterator first, Iterator last) {
    clear();
    for (; first != last; ++first) push_back(*first);
  }
  void assign(std::initializer_list<T> list) { assign(list.begin(), list.end()); }

  // Growth, in parallel.
  iterator push_back(const T& value) { return emplace_back(value); }
  iterator push_back(T&& value) { return emplace_back(std::move(value)); }
  template <class... Arguments>
  iterator emplace_back(Arguments&&... arguments) {
    const size_type k = elements_.grow(1);
    ::new (static_cast<void*>(place(k))) T(std::forward<Arguments>(arguments)...);
    return iterator(*this, k);
  }
  iterator grow_by(size_type more) {
    return fill(more, [](void* at, size_type) { ::new (at) T(); });
  }
  iterator grow_by(size_type more, const T& value) {
    return fill(more, [&](void* at, size_type) { ::new (at) T(value); });
  }
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  iterator grow_by(Iterator first, Iterator last) {
    return fill(static_cast<size_type>(std::distance(first, last)),
                [&](void* at, size_type) { ::new (at) T(*first++); });
  }
  iterator grow_by(std::initializer_list<T> list) { return grow_by(list.begin(), list.end()); }
  iterator grow_to_at_least(size_type count) {
    size_type more = 0;
    const size_type first = elements_.grow_to(count, more);
    for (size_type k = first; k != first + more; ++k) ::new (static_cast<void*>(place(k))) T();
    return iterator(*this, first);
  }
  iterator grow_to_at_least(size_type count, const T& value) {
    size_type more = 0;
    const size_type first = elements_.grow_to(count, more);
    for (size_type k = first; k != first + more; ++k) ::new (static_cast<void*>(place(k))) T(value);
    return iterator(*this, first);
  }

  reference operator[](size_type k) { return *place(k); }
  const_reference operator[](size_type k) const { return *place(k); }
  reference at(size_type k) { return *checked(k); }
  const_reference at(size_type k) const { return *checked(k); }
  reference front() { return *place(0); }
  const_reference front() const { return *place(0); }
  reference back() { return *place(size() - 1); }
  const_reference back() const { return *place(size() - 1); }

  size_type size() const noexcept { return elements_.count(); }
  bool empty() const noexcept { return elements_.count() == 0; }
  size_type capacity() const noexcept { return elements_.capacity(); }
  size_type max_size() const noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
  }
  iterator begin() noexcept { return iterator(*this, 0); }
  iterator end() noexcept { return iterator(*this, size()); }
  const_iterator begin() const noexcept { return const_iterator(*this, 0); }
  const_iterator end() const noexcept { return const_iterator(*this, size()); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  range_type range(size_type grain = 1) { return range_type(begin(), end(), grain); }
  const_range_type range(size_type grain = 1) const {
    return const_range_type(begin(), end(), grain);
  }
  allocator_type get_allocator() const { return Allocator(); }

  // Not in parallel.
  void reserve(size_type count) {
    if (count > max_size()) throw std::length_error("concurrent_vector::reserve");
    elements_.reserve(count);
  }
  void resize(size_type count) {
    truncate(count);
    grow_to_at_least(count);
  }
  void resize(size_type count, const T& value) {
    truncate(count);
    grow_to_at_least(count, value);
  }
  void shrink_to_fit() { elements_.free_unused(); }
  void clear() noexcept { truncate(0); }
  void swap(concurrent_vector& other) noexcept { elements_.swap(other.elements_); }
  friend void swap(concurrent_vector& a, concurrent_vector& b) noexcept { a.swap(b); }

  friend bool operator==(const concurrent_vector& a, const concurrent_vector& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }
  friend bool operator!=(const concurrent_vector& a, const concurrent_vector& b) {
    return !(a == b);
  }
  friend bool operator<(const concurrent_vector& a, const concurrent_vector& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator>(const concurrent_vector& a, const concurrent_vector& b) { return b < a; }
  friend bool operator<=(const concurrent_vector& a, const concurrent_vector& b) {
    return !(b < a);
  }
  friend bool operator>=(const concurrent_vector& a, const concurrent_vector& b) {
    return !(a < b);
  }

  // For its iterators.
  T* place(size_type k) const { return elements_.at(k); }

 private:
  T* checked(size_type k) const {
    if (k >= size()) throw std::out_of_range("concurrent_vector::at");
    return place(k);
  }
  template <class Make>
  iterator fill(size_type more, const Make& make) {
    const size_type first = elements_.grow(more);
    for (size_type k = first; k != first + more; ++k) make(static_cast<void*>(place(k)), k);
    return iterator(*this, first);
  }
  void truncate(size_type count) noexcept {
    for (size_type k = size(); k > count; --k) place(k - 1)->~T();
    if (size() > count) elements_.set_count(count);
  }

  element_segments<T> elements_;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::concurrent_vector;
}  // namespace v1
}  // namespace tbb

#endif
