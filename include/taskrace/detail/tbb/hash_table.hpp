// The table behind the unordered containers of oneTBB: nodes in the order of their insertion, and chains by hash.
//
// A node carries a message: whoever finds it, comes after its insertion, as in the library, which publishes nodes by atomics.
// A look-up that finds nothing is ordered with nothing. The table itself is bookkeeping, and never checked.
//
// Thread rule: as in the library, in serial runs. Cost: O(1) expected, and a promise a node.
#ifndef TASKRACE_DETAIL_TBB_HASH_TABLE_HPP
#define TASKRACE_DETAIL_TBB_HASH_TABLE_HPP

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <iterator>
#include <new>
#include <taskrace/detail/tbb/messages.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class Value>
class hash_node {
  __taskrace_future promise_;  // first, as the runtime demands

 public:
  TASKRACE_NO_INSTRUMENT static hash_node* make(std::size_t hash) noexcept {
    return ::new (__taskrace_state_storage(sizeof(hash_node), alignof(hash_node))) hash_node(hash);
  }
  TASKRACE_NO_INSTRUMENT void free() noexcept {
    if (promise_.promise != 0) __taskrace_promise_end(&promise_);
    __taskrace_state_free(this);
  }
  void* place() noexcept { return memory_; }
  Value& value() noexcept { return *std::launder(reinterpret_cast<Value*>(memory_)); }
  void send() noexcept {
    __taskrace_promise_begin(&promise_);
    __taskrace_promise_set(&promise_);
  }
  void receive() noexcept { __taskrace_get(&promise_); }

  const std::size_t hash;
  hash_node *next = nullptr, *before = nullptr;  // in the order of insertion
  hash_node* chain = nullptr;                    // with the same remainder of the hash

 private:
  TASKRACE_NO_INSTRUMENT explicit hash_node(std::size_t of) noexcept : promise_{}, hash(of) {}
  alignas(Value) unsigned char memory_[sizeof(Value)];
};

template <class Value>
class hash_table {
 public:
  using node = hash_node<Value>;

  TASKRACE_NO_INSTRUMENT hash_table() noexcept : first_(nullptr), last_(nullptr), count_(0) {}
  hash_table(const hash_table&) = delete;
  hash_table& operator=(const hash_table&) = delete;

  // The first node with this hash, and the next one after a node; null: none.
  TASKRACE_NO_INSTRUMENT node* find(std::size_t hash) const noexcept {
    if (chains_.empty()) return nullptr;
    return same(chains_.at(hash % chains_.size()), hash);
  }
  TASKRACE_NO_INSTRUMENT static node* find_next(node* of) noexcept {
    return same(of->chain, of->hash);
  }
  TASKRACE_NO_INSTRUMENT void add(node* made) {
    if (count_ >= chains_.size()) grow();
    made->before = last_;
    (last_ == nullptr ? first_ : last_->next) = made;
    last_ = made;
    ++count_;
    link(made);
  }
  TASKRACE_NO_INSTRUMENT void remove(node* one) noexcept {
    (one->before == nullptr ? first_ : one->before->next) = one->next;
    (one->next == nullptr ? last_ : one->next->before) = one->before;
    --count_;
    const std::size_t place = one->hash % chains_.size();
    if (chains_.at(place) == one) {
      chains_.set(place, one->chain);
      return;
    }
    node* at = chains_.at(place);
    while (at->chain != one) at = at->chain;
    at->chain = one->chain;
  }
  TASKRACE_NO_INSTRUMENT node* first() const noexcept { return first_; }
  TASKRACE_NO_INSTRUMENT static node* after(node* of) noexcept { return of->next; }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept { return count_; }
  TASKRACE_NO_INSTRUMENT std::size_t buckets() const noexcept {
    return chains_.empty() ? 8 : chains_.size();
  }
  TASKRACE_NO_INSTRUMENT void swap(hash_table& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(count_, other.count_);
    chains_.swap(other.chains_);
  }

 private:
  TASKRACE_NO_INSTRUMENT static node* same(node* at, std::size_t hash) noexcept {
    while (at != nullptr && at->hash != hash) at = at->chain;
    return at;
  }
  TASKRACE_NO_INSTRUMENT void link(node* made) noexcept {
    const std::size_t place = made->hash % chains_.size();
    made->chain = chains_.at(place);
    chains_.set(place, made);
  }
  TASKRACE_NO_INSTRUMENT void grow() {
    chains_.clear_to(2 * buckets());
    for (node* at = first_; at != nullptr; at = at->next) link(at);
  }

  node *first_, *last_;
  std::size_t count_;
  unchecked_pointers<node> chains_;
};

// Comes after the insertion of each element that it arrives at.
template <class Value, class Element>
class hash_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::remove_const_t<Element>;
  using difference_type = std::ptrdiff_t;
  using pointer = Element*;
  using reference = Element&;

  hash_iterator() = default;
  explicit hash_iterator(hash_node<Value>* at) : at_(at) {
    if (at_ != nullptr) at_->receive();
  }
  template <class Other, class = std::enable_if_t<std::is_convertible_v<Other*, Element*>>>
  hash_iterator(const hash_iterator<Value, Other>& other) : at_(other.node()) {}
  reference operator*() const { return at_->value(); }
  pointer operator->() const { return &at_->value(); }
  hash_iterator& operator++() { return *this = hash_iterator(hash_table<Value>::after(at_)); }
  hash_iterator operator++(int) {
    hash_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const hash_iterator& a, const hash_iterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const hash_iterator& a, const hash_iterator& b) { return a.at_ != b.at_; }
  hash_node<Value>* node() const { return at_; }

 private:
  hash_node<Value>* at_ = nullptr;
};

// The elements as a range that is divided down to single ones.
template <class Iterator>
class hash_range {
 public:
  using iterator = Iterator;
  using value_type = typename Iterator::value_type;
  using reference = typename Iterator::reference;

  hash_range(Iterator first, Iterator last) : first_(first), last_(last) {
    count_ = static_cast<std::size_t>(std::distance(first, last));
  }
  template <class Split>
  hash_range(hash_range& other, Split) : first_(other.first_), last_(other.last_) {
    const std::size_t half = other.count_ / 2;
    std::advance(first_, half);
    count_ = other.count_ - half;
    other.count_ = half;
    other.last_ = first_;
  }
  bool empty() const { return count_ == 0; }
  bool is_divisible() const { return count_ > 1; }
  std::size_t grainsize() const { return 1; }
  Iterator begin() const { return first_; }
  Iterator end() const { return last_; }

 private:
  Iterator first_, last_;
  std::size_t count_;
};

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
