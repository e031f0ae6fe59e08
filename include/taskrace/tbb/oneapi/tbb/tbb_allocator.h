// tbb_allocator of oneTBB: malloc, which the runtime knows.
#pragma GCC system_header
#ifndef TASKRACE_TBB_TBB_ALLOCATOR_H
#define TASKRACE_TBB_TBB_ALLOCATOR_H

#include <taskrace/detail/tbb/malloc_memory.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T>
class tbb_allocator : public malloc_memory<T> {
 public:
  tbb_allocator() = default;
  template <class U>
  tbb_allocator(const tbb_allocator<U>&) noexcept {}
};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::tbb_allocator;
}  // namespace v1
}  // namespace tbb

#endif
