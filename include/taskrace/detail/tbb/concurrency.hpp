// How many threads a program sees: the same number on every machine, so that the answer is, too.
//
// Thread rule: any task. Cost: O(1).
#ifndef TASKRACE_DETAIL_TBB_CONCURRENCY_HPP
#define TASKRACE_DETAIL_TBB_CONCURRENCY_HPP

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <cstddef>
#include <taskrace/detail/tbb/namespaces.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// What the running task's arena and the living objects of global_control have set; 0: nothing.
struct concurrency_limits {
  __attribute__((visibility("default"))) inline static thread_local int of_arena = 0;
  __attribute__((visibility("default"))) inline static std::size_t most = 0;
};

TASKRACE_NO_INSTRUMENT inline int default_concurrency() noexcept {
  const int workers = static_cast<int>(__taskrace_max_workers());
  const std::size_t most = __atomic_load_n(&concurrency_limits::most, __ATOMIC_RELAXED);
  return most == 0 || most >= static_cast<std::size_t>(workers) ? workers : static_cast<int>(most);
}
// That of the arena in which the running task is.
TASKRACE_NO_INSTRUMENT inline int current_concurrency() noexcept {
  return concurrency_limits::of_arena != 0 ? concurrency_limits::of_arena : default_concurrency();
}

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
