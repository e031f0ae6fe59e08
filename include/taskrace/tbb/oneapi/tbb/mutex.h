// mutex of oneTBB.
#pragma GCC system_header
#ifndef TASKRACE_TBB_MUTEX_H
#define TASKRACE_TBB_MUTEX_H

#include <taskrace/detail/tbb/mutexes.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {
class mutex : public basic_mutex<mutex, false> {};

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::mutex;
}  // namespace v1
}  // namespace tbb

#endif
