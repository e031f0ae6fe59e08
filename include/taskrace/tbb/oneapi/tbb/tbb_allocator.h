// tbb_allocator of oneTBB: malloc, which the runtime knows.
#pragma GCC system_header
#ifndef TASKRACE_TBB_TBB_ALLOCATOR_H
#define TASKRACE_TBB_TBB_ALLOCATOR_H

#include <cstddef>
#include <cstdlib>
#include <new>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T>
class tbb_allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  tbb_allocator() = default;
  template <class U>
  tbb_allocator(const tbb_allocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > max_size()) throw std::bad_alloc();
    void* memory = std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
  static constexpr std::size_t max_size() noexcept { return (~std::size_t{0} >> 1) / sizeof(T); }

  friend bool operator==(const tbb_allocator&, const tbb_allocator&) noexcept { return true; }
  friend bool operator!=(const tbb_allocator&, const tbb_allocator&) noexcept { return false; }
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::tbb_allocator;
}  // namespace v1
}  // namespace tbb

#endif
