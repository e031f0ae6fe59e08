// Messages between tasks: elements of containers that carry the order from the task that gives to the one that takes.
//
// A message is a promise that is set when it is sent, and got when it is received. Bookkeeping is never checked; the element
// is the program's memory.
//
// Thread rule: serial runs. Cost: O(1).
#ifndef TASKRACE_DETAIL_TBB_MESSAGES_HPP
#define TASKRACE_DETAIL_TBB_MESSAGES_HPP

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T>
class message_node {
  __taskrace_future promise_;  // first, as the runtime demands

 public:
  TASKRACE_NO_INSTRUMENT static message_node* make() noexcept {
    return ::new (__taskrace_state_storage(sizeof(message_node), alignof(message_node)))
        message_node;
  }
  void free() noexcept {
    end();
    __taskrace_state_free(this);
  }
  void* place() noexcept { return memory_; }
  T* value() noexcept { return std::launder(reinterpret_cast<T*>(memory_)); }

  void send() noexcept {
    __taskrace_promise_begin(&promise_);
    __taskrace_promise_set(&promise_);
  }
  // Never waits.
  void receive() noexcept { __taskrace_get(&promise_); }

  message_node* next = nullptr;  // of the list that it is in

 private:
  TASKRACE_NO_INSTRUMENT message_node() noexcept : promise_{} {}
  TASKRACE_NO_INSTRUMENT void end() noexcept {
    if (promise_.promise != 0) __taskrace_promise_end(&promise_);
  }

  alignas(T) unsigned char memory_[sizeof(T)];
};

// In the order in which they were added.
template <class T>
class message_list {
 public:
  TASKRACE_NO_INSTRUMENT message_list() noexcept : first_(nullptr), last_(nullptr), count_(0) {}
  message_list(const message_list&) = delete;
  message_list& operator=(const message_list&) = delete;

  TASKRACE_NO_INSTRUMENT void add(message_node<T>* made) noexcept {
    made->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = made;
    last_ = made;
    ++count_;
  }
  // The oldest; null: none.
  TASKRACE_NO_INSTRUMENT message_node<T>* take() noexcept {
    message_node<T>* taken = first_;
    if (taken == nullptr) return nullptr;
    first_ = taken->next;
    if (first_ == nullptr) last_ = nullptr;
    --count_;
    return taken;
  }
  TASKRACE_NO_INSTRUMENT message_node<T>* first() const noexcept { return first_; }
  TASKRACE_NO_INSTRUMENT static message_node<T>* after(message_node<T>* node) noexcept {
    return node->next;
  }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept { return count_; }
  TASKRACE_NO_INSTRUMENT void swap(message_list& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(count_, other.count_);
  }

 private:
  message_node<T>*first_, *last_;
  std::size_t count_;
};

// A growing array of pointers that is never checked.
template <class T>
class unchecked_pointers {
 public:
  TASKRACE_NO_INSTRUMENT unchecked_pointers() noexcept : first_(nullptr), size_(0), capacity_(0) {}
  TASKRACE_NO_INSTRUMENT ~unchecked_pointers() { std::free(first_); }
  unchecked_pointers(const unchecked_pointers&) = delete;
  unchecked_pointers& operator=(const unchecked_pointers&) = delete;

  TASKRACE_NO_INSTRUMENT std::size_t size() const noexcept { return size_; }
  TASKRACE_NO_INSTRUMENT bool empty() const noexcept { return size_ == 0; }
  TASKRACE_NO_INSTRUMENT T* at(std::size_t k) const noexcept { return first_[k]; }
  TASKRACE_NO_INSTRUMENT void set(std::size_t k, T* pointer) noexcept { first_[k] = pointer; }
  TASKRACE_NO_INSTRUMENT void push(T* pointer) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 16 : 2 * capacity_);
    first_[size_++] = pointer;
  }
  TASKRACE_NO_INSTRUMENT T* pop() noexcept { return first_[--size_]; }
  TASKRACE_NO_INSTRUMENT void exchange(std::size_t a, std::size_t b) noexcept {
    // std::swap would be checked, like every function that is called here.
    T* pointer = first_[a];
    first_[a] = first_[b];
    first_[b] = pointer;
  }
  // All of them null.
  TASKRACE_NO_INSTRUMENT void clear_to(std::size_t size) {
    if (size > capacity_) reserve(size);
    for (size_ = 0; size_ != size; ++size_) first_[size_] = nullptr;
  }
  TASKRACE_NO_INSTRUMENT void swap(unchecked_pointers& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  TASKRACE_NO_INSTRUMENT void reserve(std::size_t capacity) {
    // Not realloc, which counts as accesses of the program.
    auto* larger = static_cast<T**>(std::malloc(capacity * sizeof(T*)));
    if (larger == nullptr) std::abort();
    for (std::size_t k = 0; k != size_; ++k) larger[k] = first_[k];
    std::free(first_);
    first_ = larger;
    capacity_ = capacity;
  }

  T** first_;
  std::size_t size_, capacity_;
};

// Tasks that wait until something changes, woken in the order in which they came.
class message_waiters {
 public:
  // Switches the task out. False: it was aborted.
  bool wait() noexcept {
    waiter* mine = add();
    __taskrace_promise_begin(&mine->promise);
    __taskrace_get(&mine->promise);
    __taskrace_promise_end(&mine->promise);
    return end(mine);
  }
  void wake_one() noexcept {
    if (waiter* woken = take(false)) __taskrace_promise_set(&woken->promise);
  }
  void abort() noexcept {
    while (waiter* woken = take(true)) __taskrace_promise_set(&woken->promise);
  }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept { return count_; }

 private:
  struct waiter {
    __taskrace_future promise;
    waiter* next;
    bool is_aborted;
  };
  TASKRACE_NO_INSTRUMENT waiter* add() noexcept {
    auto* made = ::new (__taskrace_state_storage(sizeof(waiter), alignof(waiter))) waiter{};
    waiter** at = &first_;
    while (*at != nullptr) at = &(*at)->next;
    *at = made;
    ++count_;
    return made;
  }
  TASKRACE_NO_INSTRUMENT waiter* take(bool is_aborted) noexcept {
    waiter* taken = first_;
    if (taken == nullptr) return nullptr;
    first_ = taken->next;
    --count_;
    taken->is_aborted = is_aborted;
    return taken;
  }
  TASKRACE_NO_INSTRUMENT static bool end(waiter* mine) noexcept {
    const bool goes_on = !mine->is_aborted;
    __taskrace_state_free(mine);
    return goes_on;
  }

  waiter* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
