// spin_rw_mutex and speculative_spin_rw_mutex of oneTBB. A lock that is taken blocks; it does not spin.
#pragma GCC system_header
#ifndef TASKRACE_TBB_SPIN_RW_MUTEX_H
#define TASKRACE_TBB_SPIN_RW_MUTEX_H

#include <taskrace/detail/tbb/mutexes.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {
class speculative_spin_rw_mutex : public basic_rw_mutex<speculative_spin_rw_mutex, false> {};
class spin_rw_mutex : public basic_rw_mutex<spin_rw_mutex, false> {};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::speculative_spin_rw_mutex;
using detail::spin_rw_mutex;
}  // namespace v1
}  // namespace tbb

#endif
