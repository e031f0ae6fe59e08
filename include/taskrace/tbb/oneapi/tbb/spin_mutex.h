// spin_mutex and speculative_spin_mutex of oneTBB. A lock that is taken blocks; it does not spin.
#pragma GCC system_header
#ifndef TASKRACE_TBB_SPIN_MUTEX_H
#define TASKRACE_TBB_SPIN_MUTEX_H

#include <taskrace/detail/tbb/mutexes.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {
class speculative_spin_mutex : public basic_mutex<speculative_spin_mutex, false> {};
class spin_mutex : public basic_mutex<spin_mutex, false> {};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::speculative_spin_mutex;
using detail::spin_mutex;
}  // namespace v1
}  // namespace tbb

#endif
