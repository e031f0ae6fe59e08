// flattened2d of oneTBB: the elements of containers in a container as one sequence.
//
// Thread rule: as the containers. Cost: O(1) a step, and the number of containers for size().
#ifndef TASKRACE_DETAIL_TBB_FLATTENED_HPP
#define TASKRACE_DETAIL_TBB_FLATTENED_HPP

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// The elements of containers in a container, one after the other.
template <class Container>
class flattened2d {
  using inner = typename Container::value_type;

 public:
  using value_type = typename inner::value_type;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = value_type&;
  using const_reference = const value_type&;

  template <class Outer, class Inner, class Value>
  class basic_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::remove_const_t<Value>;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;

    basic_iterator() = default;
    basic_iterator(Outer outer, Outer end) : outer_(outer), end_(end) { settle(); }
    reference operator*() const { return *inner_; }
    pointer operator->() const { return &*inner_; }
    basic_iterator& operator++() {
      if (++inner_ == outer_->end()) {
        ++outer_;
        settle();
      }
      return *this;
    }
    basic_iterator operator++(int) {
      basic_iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const basic_iterator& a, const basic_iterator& b) {
      return a.outer_ == b.outer_ && (a.outer_ == a.end_ || a.inner_ == b.inner_);
    }
    friend bool operator!=(const basic_iterator& a, const basic_iterator& b) { return !(a == b); }

   private:
    void settle() {
      while (outer_ != end_ && outer_->begin() == outer_->end()) ++outer_;
      if (outer_ != end_) inner_ = outer_->begin();
    }
    Outer outer_{}, end_{};
    Inner inner_{};
  };
  using iterator =
      basic_iterator<typename Container::iterator, typename inner::iterator, value_type>;
  using const_iterator = basic_iterator<typename Container::const_iterator,
                                        typename inner::const_iterator, const value_type>;

  explicit flattened2d(const Container& container)
      : container_(const_cast<Container*>(&container)),
        first_(container_->begin()),
        last_(container_->end()) {}
  flattened2d(const Container& container, typename Container::const_iterator first,
              typename Container::const_iterator last)
      : container_(const_cast<Container*>(&container)),
        first_(container_->begin() + (first - container.begin())),
        last_(container_->begin() + (last - container.begin())) {}

  iterator begin() { return iterator(first_, last_); }
  iterator end() { return iterator(last_, last_); }
  const_iterator begin() const { return const_iterator(first_, last_); }
  const_iterator end() const { return const_iterator(last_, last_); }
  size_type size() const {
    size_type total = 0;
    for (auto at = first_; at != last_; ++at) total += at->size();
    return total;
  }

 private:
  Container* container_;
  typename Container::iterator first_, last_;
};
template <class Container>
flattened2d<Container> flatten2d(const Container& container) {
  return flattened2d<Container>(container);
}
template <class Container>
flattened2d<Container> flatten2d(const Container& container,
                                 typename Container::const_iterator first,
                                 typename Container::const_iterator last) {
  return flattened2d<Container>(container, first, last);
}

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
