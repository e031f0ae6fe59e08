// queuing_mutex of oneTBB.
#pragma GCC system_header
#ifndef TASKRACE_TBB_QUEUING_MUTEX_H
#define TASKRACE_TBB_QUEUING_MUTEX_H

#include <taskrace/detail/tbb/mutexes.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {
class queuing_mutex : public basic_mutex<queuing_mutex, true> {};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::queuing_mutex;
}  // namespace v1
}  // namespace tbb

#endif
