// Slots: what belongs to one thread. current_thread_index(), enumerable_thread_specific, combinable.
//
// Tasks that ask get slots in turn, and hold a lock that stands for the slot until they end. So tasks of one slot do not race
// on what the slot has, as in a parallel run; everything else that uses it does, unless it comes after the join.
// Missed: a race on other memory between two tasks that have the same slot by chance; the report says how
// many tasks have asked.
//
// Thread rule: serial runs; with --exec=parallel the run ends with an error. Cost: O(locks held).
#ifndef TASKRACE_DETAIL_TBB_SLOTS_HPP
#define TASKRACE_DETAIL_TBB_SLOTS_HPP

#include <taskrace/annotate.h>
#include <taskrace/hooks.h>

#include <taskrace/detail/tbb/concurrency.hpp>
#include <taskrace/detail/tbb/namespaces.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

// The slot of the running task, below the number of threads of its arena.
inline int current_slot() noexcept {
  return static_cast<int>(__taskrace_this_worker_of(static_cast<unsigned>(current_concurrency())));
}

}  // namespace taskrace1
}  // namespace detail
}  // namespace tbb

#endif
