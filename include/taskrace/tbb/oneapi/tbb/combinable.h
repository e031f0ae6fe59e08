// combinable of oneTBB: an element for each slot, as in enumerable_thread_specific.
#pragma GCC system_header
#ifndef TASKRACE_TBB_COMBINABLE_H
#define TASKRACE_TBB_COMBINABLE_H

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>
#include <utility>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T>
class combinable {
 public:
  combinable() = default;
  template <class Function, class = std::enable_if_t<std::is_invocable_v<Function&>>>
  explicit combinable(Function function) : elements_(std::move(function)) {}
  combinable(const combinable&) = default;
  combinable(combinable&&) = default;
  combinable& operator=(const combinable&) = default;
  combinable& operator=(combinable&&) = default;

  T& local() { return elements_.local(); }
  T& local(bool& exists) { return elements_.local(exists); }
  void clear() { elements_.clear(); }
  template <class Combine>
  T combine(Combine function) {
    return elements_.combine(function);
  }
  template <class Visit>
  void combine_each(Visit visit) {
    elements_.combine_each(visit);
  }

 private:
  enumerable_thread_specific<T> elements_;
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::combinable;
}  // namespace v1
}  // namespace tbb

#endif
