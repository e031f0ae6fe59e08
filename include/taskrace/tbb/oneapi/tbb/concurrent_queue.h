// concurrent_queue and concurrent_bounded_queue of oneTBB.
//
// An element carries a message: what its push came after precedes its pop. Pushes have no order among each other, and neither
// have pops. A task that waits for an element, or for room, is switched out.
//
// Thread rule: as in the library, in serial runs (a message is a promise). Cost: O(1), a promise an element.
#pragma GCC system_header
#ifndef TASKRACE_TBB_CONCURRENT_QUEUE_H
#define TASKRACE_TBB_CONCURRENT_QUEUE_H

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <taskrace/detail/tbb/messages.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// The waiting pops or pushes of a bounded queue were aborted.
class user_abort : public std::exception {
 public:
  const char* what() const noexcept override {
    return "User-initiated abort has terminated this operation";
  }
};

template <class T>
class queue_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  queue_iterator() = default;
  explicit queue_iterator(message_node<value_type>* at) : at_(at) {}
  template <class Other, class = std::enable_if_t<std::is_convertible_v<Other*, T*>>>
  queue_iterator(const queue_iterator<Other>& other) : at_(other.node()) {}
  reference operator*() const { return *at_->value(); }
  pointer operator->() const { return at_->value(); }
  queue_iterator& operator++() {
    at_ = message_list<value_type>::after(at_);
    return *this;
  }
  queue_iterator operator++(int) {
    queue_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(queue_iterator a, queue_iterator b) { return a.at_ == b.at_; }
  friend bool operator!=(queue_iterator a, queue_iterator b) { return a.at_ != b.at_; }
  message_node<value_type>* node() const { return at_; }

 private:
  message_node<value_type>* at_ = nullptr;
};

// What both queues have.
template <class T, class Allocator>
class queue_base {
 public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;
  using iterator = queue_iterator<T>;
  using const_iterator = queue_iterator<const T>;

  queue_base() = default;
  ~queue_base() { clear(); }
  queue_base(const queue_base&) = delete;
  queue_base& operator=(const queue_base&) = delete;

  bool try_pop(T& result) { return pop_into(result); }
  void clear() {
    while (message_node<T>* taken = messages_.take()) {
      taken->receive();
      taken->value()->~T();
      taken->free();
    }
  }
  bool empty() const { return messages_.count() == 0; }
  allocator_type get_allocator() const { return Allocator(); }
  iterator unsafe_begin() { return iterator(messages_.first()); }
  iterator unsafe_end() { return iterator(); }
  const_iterator unsafe_begin() const { return const_iterator(messages_.first()); }
  const_iterator unsafe_end() const { return const_iterator(); }
  const_iterator unsafe_cbegin() const { return unsafe_begin(); }
  const_iterator unsafe_cend() const { return unsafe_end(); }

 protected:
  template <class... Arguments>
  void append(Arguments&&... arguments) {
    message_node<T>* made = message_node<T>::make();
    ::new (made->place()) T(std::forward<Arguments>(arguments)...);
    made->send();
    messages_.add(made);
  }
  bool pop_into(T& result) {
    message_node<T>* taken = messages_.take();
    if (taken == nullptr) return false;
    taken->receive();
    result = std::move(*taken->value());
    taken->value()->~T();
    taken->free();
    return true;
  }
  void copy_from(const queue_base& other) {
    for (const_iterator at = other.unsafe_begin(); at != other.unsafe_end(); ++at) append(*at);
  }

  message_list<T> messages_;
};

template <class T, class Allocator = cache_aligned_allocator<T>>
class concurrent_queue : public queue_base<T, Allocator> {
 public:
  using size_type = std::size_t;

  concurrent_queue() = default;
  explicit concurrent_queue(const Allocator&) {}
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  concurrent_queue(Iterator first, Iterator last, const Allocator& = Allocator()) {
    for (; first != last; ++first) push(*first);
  }
  concurrent_queue(std::initializer_list<T> list, const Allocator& = Allocator())
      : concurrent_queue(list.begin(), list.end()) {}
  concurrent_queue(const concurrent_queue& other) : queue_base<T, Allocator>() {
    this->copy_from(other);
  }
  concurrent_queue(concurrent_queue&& other) : queue_base<T, Allocator>() {
    this->messages_.swap(other.messages_);
  }
  concurrent_queue& operator=(concurrent_queue other) {
    this->messages_.swap(other.messages_);
    return *this;
  }

  void push(const T& value) { this->append(value); }
  void push(T&& value) { this->append(std::move(value)); }
  template <class... Arguments>
  void emplace(Arguments&&... arguments) {
    this->append(std::forward<Arguments>(arguments)...);
  }
  size_type unsafe_size() const { return this->messages_.count(); }
};

template <class T, class Allocator = cache_aligned_allocator<T>>
class concurrent_bounded_queue : public queue_base<T, Allocator> {
 public:
  using size_type = std::ptrdiff_t;

  concurrent_bounded_queue() = default;
  explicit concurrent_bounded_queue(const Allocator&) {}
  concurrent_bounded_queue(const concurrent_bounded_queue& other) : queue_base<T, Allocator>() {
    this->copy_from(other);
    capacity_ = other.capacity_;
  }

  void push(const T& value) {
    wait_for_room();
    this->append(value);
    pops_.wake_one();
  }
  void push(T&& value) {
    wait_for_room();
    this->append(std::move(value));
    pops_.wake_one();
  }
  template <class... Arguments>
  void emplace(Arguments&&... arguments) {
    wait_for_room();
    this->append(std::forward<Arguments>(arguments)...);
    pops_.wake_one();
  }
  void pop(T& result) {
    while (!this->pop_into(result)) {
      if (!pops_.wait()) throw user_abort();
    }
    pushes_.wake_one();
  }
  bool try_push(const T& value) { return try_emplace(value); }
  bool try_push(T&& value) { return try_emplace(std::move(value)); }
  template <class... Arguments>
  bool try_emplace(Arguments&&... arguments) {
    if (is_full()) return false;
    this->append(std::forward<Arguments>(arguments)...);
    pops_.wake_one();
    return true;
  }
  bool try_pop(T& result) {
    if (!this->pop_into(result)) return false;
    pushes_.wake_one();
    return true;
  }
  void abort() {
    pops_.abort();
    pushes_.abort();
  }
  // Negative: as many tasks wait for elements.
  size_type size() const {
    return static_cast<size_type>(this->messages_.count()) - static_cast<size_type>(pops_.count());
  }
  TASKRACE_NO_INSTRUMENT size_type capacity() const { return capacity_; }
  TASKRACE_NO_INSTRUMENT void set_capacity(size_type most) {
    capacity_ = most < 0 ? std::numeric_limits<size_type>::max() : most;
  }

 private:
  TASKRACE_NO_INSTRUMENT bool is_full() const {
    return static_cast<size_type>(this->messages_.count()) >= capacity_;
  }
  void wait_for_room() {
    while (is_full()) {
      if (!pushes_.wait()) throw user_abort();
    }
  }

  size_type capacity_ = std::numeric_limits<size_type>::max();
  message_waiters pops_, pushes_;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::concurrent_bounded_queue;
using detail::concurrent_queue;
using detail::user_abort;
}  // namespace v1
}  // namespace tbb

#endif
