// concurrent_priority_queue of oneTBB: a heap whose elements carry messages, as those of concurrent_queue.
//
// To compare an element, in a push or a pop, is to come after its push: the library runs all operations one after the other.
//
// Thread rule: as in the library, in serial runs. Cost: O(log n) comparisons.
#pragma GCC system_header
#ifndef TASKRACE_TBB_CONCURRENT_PRIORITY_QUEUE_H
#define TASKRACE_TBB_CONCURRENT_PRIORITY_QUEUE_H

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <taskrace/annotate.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <taskrace/detail/tbb/messages.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <utility>
#include <vector>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T, class Compare = std::less<T>, class Allocator = cache_aligned_allocator<T>>
class concurrent_priority_queue {
 public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;

  concurrent_priority_queue() = default;
  explicit concurrent_priority_queue(const Allocator&) {}
  explicit concurrent_priority_queue(const Compare& compare, const Allocator& = Allocator())
      : compare_(compare) {}
  explicit concurrent_priority_queue(size_type, const Allocator& = Allocator()) {}
  concurrent_priority_queue(size_type, const Compare& compare, const Allocator& = Allocator())
      : compare_(compare) {}
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  concurrent_priority_queue(Iterator first, Iterator last, const Compare& compare = Compare())
      : compare_(compare) {
    for (; first != last; ++first) push(*first);
  }
  concurrent_priority_queue(std::initializer_list<T> list, const Compare& compare = Compare())
      : concurrent_priority_queue(list.begin(), list.end(), compare) {}
  concurrent_priority_queue(const concurrent_priority_queue& other) : compare_(other.compare_) {
    for (std::size_t k = 0; k != other.size(); ++k) push(*other.at(k)->value());
  }
  concurrent_priority_queue& operator=(const concurrent_priority_queue& other) {
    concurrent_priority_queue copy(other);
    swap(copy);
    return *this;
  }
  ~concurrent_priority_queue() { clear(); }

  void push(const T& value) { emplace(value); }
  void push(T&& value) { emplace(std::move(value)); }
  template <class... Arguments>
  void emplace(Arguments&&... arguments) {
    node* made = node::make();
    ::new (made->place()) T(std::forward<Arguments>(arguments)...);
    made->send();
    add(made);
  }
  bool try_pop(T& result) {
    node* taken = take();
    if (taken == nullptr) return false;
    taken->receive();
    result = std::move(*taken->value());
    destroy(taken);
    return true;
  }
  TASKRACE_NO_INSTRUMENT size_type size() const { return heap_.size(); }
  TASKRACE_NO_INSTRUMENT bool empty() const { return heap_.empty(); }
  void clear() {
    while (node* last = take_last()) {
      last->receive();
      destroy(last);
    }
  }
  TASKRACE_NO_INSTRUMENT void swap(concurrent_priority_queue& other) {
    heap_.swap(other.heap_);
    std::swap(compare_, other.compare_);
  }
  allocator_type get_allocator() const { return Allocator(); }

 private:
  using node = message_node<T>;

  static void destroy(node* taken) noexcept {
    taken->value()->~T();
    taken->free();
  }
  // Does a come after b?
  bool is_less(node* a, node* b) const {
    a->receive();
    b->receive();
    return compare_(*a->value(), *b->value());
  }
  // The functions below read and write the heap of pointers, which is bookkeeping: pushes and pops are one at a time.
  TASKRACE_NO_INSTRUMENT node* at(std::size_t k) const { return heap_.at(k); }
  TASKRACE_NO_INSTRUMENT void add(node* made) {
    heap_.push(made);
    for (std::size_t k = heap_.size() - 1; k != 0; k = (k - 1) / 2) {
      if (!is_less(heap_.at((k - 1) / 2), heap_.at(k))) break;
      heap_.exchange(k, (k - 1) / 2);
    }
  }
  TASKRACE_NO_INSTRUMENT node* take() {
    if (heap_.empty()) return nullptr;
    heap_.exchange(0, heap_.size() - 1);
    node* taken = heap_.pop();
    for (std::size_t k = 0; 2 * k + 1 < heap_.size();) {
      std::size_t child = 2 * k + 1;
      if (child + 1 < heap_.size() && is_less(heap_.at(child), heap_.at(child + 1))) ++child;
      if (!is_less(heap_.at(k), heap_.at(child))) break;
      heap_.exchange(k, child);
      k = child;
    }
    return taken;
  }
  TASKRACE_NO_INSTRUMENT node* take_last() { return heap_.empty() ? nullptr : heap_.pop(); }

  unchecked_pointers<node> heap_;
  Compare compare_;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::concurrent_priority_queue;
}  // namespace v1
}  // namespace tbb

#endif
