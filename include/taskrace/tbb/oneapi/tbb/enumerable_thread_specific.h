// enumerable_thread_specific of oneTBB: an element for each slot (taskrace/detail/tbb/slots.hpp).
//
// An element is made by the first task of its slot that asks, by the program's own code. The table of elements is bookkeeping, and
// never checked; the elements are the program's memory.
#pragma GCC system_header
#ifndef TASKRACE_TBB_ENUMERABLE_THREAD_SPECIFIC_H
#define TASKRACE_TBB_ENUMERABLE_THREAD_SPECIFIC_H

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/cache_aligned_allocator.h>
#include <taskrace/annotate.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <taskrace/detail/exceptions.hpp>
#include <taskrace/detail/tbb/flattened.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <taskrace/detail/tbb/slots.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

enum ets_key_usage_type { ets_key_per_instance, ets_no_key, ets_suspend_aware };

// How an element is made.
template <class T>
class element_maker {
 public:
  virtual ~element_maker() = default;
  virtual void make(void* place) = 0;
  virtual std::unique_ptr<element_maker> copy() const = 0;

  template <class Function>
  static std::unique_ptr<element_maker> by(Function function) {
    struct maker final : element_maker {
      Function function;
      explicit maker(Function f) : function(std::move(f)) {}
      void make(void* place) override { function(place); }
      std::unique_ptr<element_maker> copy() const override {
        return std::make_unique<maker>(function);
      }
    };
    return std::make_unique<maker>(std::move(function));
  }
};

// The elements, in the order in which they were made. A list, so that they stay where they are.
template <class T>
class slot_elements {
 public:
  struct element {
    alignas(T) unsigned char memory[sizeof(T)];
    element* next;
    unsigned slot;
    T* value() { return reinterpret_cast<T*>(memory); }
  };
  TASKRACE_NO_INSTRUMENT slot_elements() noexcept = default;
  slot_elements(const slot_elements&) = delete;
  slot_elements& operator=(const slot_elements&) = delete;

  TASKRACE_NO_INSTRUMENT T* find(unsigned slot) const noexcept {
    for (element* one = first_; one != nullptr; one = one->next) {
      if (one->slot == slot) return one->value();
    }
    return nullptr;
  }
  TASKRACE_NO_INSTRUMENT static element* allocate() {
    return cache_aligned_allocator<element>().allocate(1);
  }
  TASKRACE_NO_INSTRUMENT static void free(element* one) noexcept {
    cache_aligned_allocator<element>().deallocate(one, 1);
  }
  static void* place(element* one) noexcept { return one; }
  TASKRACE_NO_INSTRUMENT T* add(element* made, unsigned slot) noexcept {
    made->slot = slot;
    made->next = nullptr;
    element** at = &first_;
    while (*at != nullptr) at = &(*at)->next;
    *at = made;
    ++count_;
    return made->value();
  }
  TASKRACE_NO_INSTRUMENT std::size_t count() const noexcept { return count_; }
  TASKRACE_NO_INSTRUMENT T* at(std::size_t k) const noexcept {
    element* one = first_;
    while (k-- != 0) one = one->next;
    return one->value();
  }
  TASKRACE_NO_INSTRUMENT unsigned slot_at(std::size_t k) const noexcept {
    element* one = first_;
    while (k-- != 0) one = one->next;
    return one->slot;
  }
  TASKRACE_NO_INSTRUMENT element* take_first() noexcept {
    element* taken = first_;
    if (taken != nullptr) {
      first_ = taken->next;
      --count_;
    }
    return taken;
  }
  TASKRACE_NO_INSTRUMENT void swap(slot_elements& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(count_, other.count_);
  }

 private:
  element* first_ = nullptr;
  std::size_t count_ = 0;
};

// Random access to the elements. They are few, so that each access counts from the first.
template <class T, class Value>
class slot_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<Value>;
  using difference_type = std::ptrdiff_t;
  using pointer = Value*;
  using reference = Value&;

  slot_iterator() = default;
  slot_iterator(const slot_elements<T>& of, std::ptrdiff_t at) : of_(&of), at_(at) {}
  template <class Other, class = std::enable_if_t<std::is_convertible_v<Other*, Value*>>>
  slot_iterator(const slot_iterator<T, Other>& other) : of_(other.of_), at_(other.at_) {}

  reference operator*() const { return *of_->at(static_cast<std::size_t>(at_)); }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type k) const { return *(*this + k); }
  slot_iterator& operator++() {
    ++at_;
    return *this;
  }
  slot_iterator operator++(int) { return slot_iterator(*of_, at_++); }
  slot_iterator& operator--() {
    --at_;
    return *this;
  }
  slot_iterator operator--(int) { return slot_iterator(*of_, at_--); }
  slot_iterator& operator+=(difference_type k) {
    at_ += k;
    return *this;
  }
  slot_iterator& operator-=(difference_type k) {
    at_ -= k;
    return *this;
  }
  friend slot_iterator operator+(slot_iterator a, difference_type k) { return a += k; }
  friend slot_iterator operator+(difference_type k, slot_iterator a) { return a += k; }
  friend slot_iterator operator-(slot_iterator a, difference_type k) { return a -= k; }
  template <class Other>
  difference_type operator-(const slot_iterator<T, Other>& b) const {
    return at_ - b.at_;
  }
  template <class Other>
  bool operator==(const slot_iterator<T, Other>& b) const {
    return at_ == b.at_;
  }
  template <class Other>
  bool operator!=(const slot_iterator<T, Other>& b) const {
    return at_ != b.at_;
  }
  template <class Other>
  bool operator<(const slot_iterator<T, Other>& b) const {
    return at_ < b.at_;
  }
  template <class Other>
  bool operator>(const slot_iterator<T, Other>& b) const {
    return at_ > b.at_;
  }
  template <class Other>
  bool operator<=(const slot_iterator<T, Other>& b) const {
    return at_ <= b.at_;
  }
  template <class Other>
  bool operator>=(const slot_iterator<T, Other>& b) const {
    return at_ >= b.at_;
  }

 private:
  template <class, class>
  friend class slot_iterator;
  const slot_elements<T>* of_ = nullptr;
  std::ptrdiff_t at_ = 0;
};

template <class T, class Allocator = cache_aligned_allocator<T>, ets_key_usage_type = ets_no_key>
class enumerable_thread_specific {
 public:
  using value_type = T;
  using allocator_type = Allocator;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = slot_iterator<T, T>;
  using const_iterator = slot_iterator<T, const T>;

  template <class Iterator>
  class generic_range_type : public blocked_range<Iterator> {
   public:
    using value_type = T;
    using reference = T&;
    using const_reference = const T&;
    using iterator = Iterator;
    using difference_type = std::ptrdiff_t;
    generic_range_type(Iterator first, Iterator last, std::size_t grain = 1)
        : blocked_range<Iterator>(first, last, grain) {}
    generic_range_type(generic_range_type& other, split)
        : blocked_range<Iterator>(other, split()) {}
  };
  using range_type = generic_range_type<iterator>;
  using const_range_type = generic_range_type<const_iterator>;

  enumerable_thread_specific()
      : maker_(element_maker<T>::by([](void* place) { ::new (place) T(); })) {}
  explicit enumerable_thread_specific(const T& exemplar)
      : maker_(element_maker<T>::by([exemplar](void* place) { ::new (place) T(exemplar); })) {}
  explicit enumerable_thread_specific(T&& exemplar)
      : maker_(element_maker<T>::by(
            [copied = std::move(exemplar)](void* place) { ::new (place) T(copied); })) {}
  // By a function that returns an element, or from arguments of a constructor.
  template <
      class Function,
      std::enable_if_t<std::is_invocable_v<std::decay_t<Function>&> &&
                           !std::is_same_v<std::decay_t<Function>, T> &&
                           !std::is_base_of_v<enumerable_thread_specific, std::decay_t<Function>>,
                       int> = 0>
  explicit enumerable_thread_specific(Function function)
      : maker_(element_maker<T>::by(
            [f = std::move(function)](void* place) mutable { ::new (place) T(f()); })) {}
  template <class First, class... Rest,
            std::enable_if_t<!std::is_invocable_v<std::decay_t<First>&> &&
                                 !std::is_same_v<std::decay_t<First>, T> &&
                                 !std::is_same_v<std::decay_t<First>, enumerable_thread_specific>,
                             int> = 0>
  enumerable_thread_specific(First&& first, Rest&&... rest)
      : maker_(
            element_maker<T>::by([a = std::decay_t<First>(std::forward<First>(first)),
                                  b = std::make_tuple(std::forward<Rest>(rest)...)](void* place) {
              std::apply([&](const auto&... more) { ::new (place) T(a, more...); }, b);
            })) {}
  enumerable_thread_specific(const enumerable_thread_specific& other)
      : maker_(other.maker_->copy()) {
    copy_elements(other);
  }
  enumerable_thread_specific(enumerable_thread_specific&& other) : maker_(other.maker_->copy()) {
    elements_.swap(other.elements_);
  }
  enumerable_thread_specific& operator=(const enumerable_thread_specific& other) {
    if (this == &other) return *this;
    clear();
    maker_ = other.maker_->copy();
    copy_elements(other);
    return *this;
  }
  enumerable_thread_specific& operator=(enumerable_thread_specific&& other) {
    if (this == &other) return *this;
    clear();
    maker_ = other.maker_->copy();
    elements_.swap(other.elements_);
    return *this;
  }
  ~enumerable_thread_specific() { clear(); }

  T& local() {
    bool exists;
    return local(exists);
  }
  T& local(bool& exists) {
    const auto slot = static_cast<unsigned>(current_slot());
    if (T* mine = elements_.find(slot)) {
      exists = true;
      return *mine;
    }
    exists = false;
    auto* made = slot_elements<T>::allocate();
    TASKRACE_DETAIL_TRY { maker_->make(slot_elements<T>::place(made)); }
    TASKRACE_DETAIL_CATCH {
      slot_elements<T>::free(made);
      TASKRACE_DETAIL_RETHROW;
    }
    return *elements_.add(made, slot);
  }

  // These are for when all tasks that use elements are joined.
  size_type size() const { return elements_.count(); }
  bool empty() const { return elements_.count() == 0; }
  iterator begin() { return iterator(elements_, 0); }
  iterator end() { return iterator(elements_, static_cast<std::ptrdiff_t>(size())); }
  const_iterator begin() const { return const_iterator(elements_, 0); }
  const_iterator end() const {
    return const_iterator(elements_, static_cast<std::ptrdiff_t>(size()));
  }
  range_type range(std::size_t grain = 1) { return range_type(begin(), end(), grain); }
  const_range_type range(std::size_t grain = 1) const {
    return const_range_type(begin(), end(), grain);
  }
  void clear() {
    while (auto* taken = elements_.take_first()) {
      taken->value()->~T();
      slot_elements<T>::free(taken);
    }
  }
  // An element that is made now is the result if there is none.
  template <class Combine>
  T combine(Combine function) {
    if (empty()) {
      alignas(T) unsigned char memory[sizeof(T)];
      maker_->make(memory);
      T* made = std::launder(reinterpret_cast<T*>(memory));
      T result(std::move(*made));
      made->~T();
      return result;
    }
    iterator at = begin();
    T result(*at);
    while (++at != end()) result = function(result, *at);
    return result;
  }
  template <class Visit>
  void combine_each(Visit visit) {
    for (T& element : *this) visit(element);
  }

 private:
  void copy_elements(const enumerable_thread_specific& other) {
    for (std::size_t k = 0; k != other.size(); ++k) {
      auto* made = slot_elements<T>::allocate();
      ::new (slot_elements<T>::place(made)) T(*other.elements_.at(k));
      elements_.add(made, other.elements_.slot_at(k));
    }
  }

  std::unique_ptr<element_maker<T>> maker_;
  slot_elements<T> elements_;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::enumerable_thread_specific;
using detail::ets_key_per_instance;
using detail::ets_key_usage_type;
using detail::ets_no_key;
using detail::ets_suspend_aware;
using detail::flatten2d;
using detail::flattened2d;
}  // namespace v1
}  // namespace tbb

#endif
