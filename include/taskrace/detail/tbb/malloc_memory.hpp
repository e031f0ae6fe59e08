// What tbb_allocator and scalable_allocator of oneTBB have in common: memory of malloc, which the runtime knows.
//
// Thread rule, cost: as malloc.
#ifndef TASKRACE_DETAIL_TBB_MALLOC_MEMORY_HPP
#define TASKRACE_DETAIL_TBB_MALLOC_MEMORY_HPP

#include <cstddef>
#include <cstdlib>
#include <new>
#include <taskrace/detail/tbb/namespaces.hpp>
#include <type_traits>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T>
class malloc_memory {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > max_size()) throw std::bad_alloc();
    void* memory = std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
  static constexpr std::size_t max_size() noexcept { return (~std::size_t{0} >> 1) / sizeof(T); }

  friend bool operator==(const malloc_memory&, const malloc_memory&) noexcept { return true; }
  friend bool operator!=(const malloc_memory&, const malloc_memory&) noexcept { return false; }
};

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
