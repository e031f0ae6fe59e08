// What all headers of oneTBB have in common: the build that they are for, and the names of namespaces.
//
// Everything of ours is in tbb::detail::taskrace1, so that an object which is shared with code that was compiled with
// the library's own headers does not link, instead of being misread.
#ifndef TASKRACE_DETAIL_TBB_NAMESPACES_HPP
#define TASKRACE_DETAIL_TBB_NAMESPACES_HPP

#ifndef __TASKRACE__
#error \
    "these headers of oneTBB are for `taskrace c++` only; remove include/taskrace/tbb from the include path"
#endif
#if __cplusplus < 201703L
#error \
    "taskrace needs C++17 for oneTBB: compile with -std=c++17 or later, or with -ftaskrace-real-tbb"
#endif

// The version, macros that programs test, and the types `split` and `proportional_split`, are the library's own.
#if !__has_include_next(<oneapi/tbb/version.h>)
#error "oneTBB is not installed, or is older than 2021 (classic TBB); install Debian's libtbb-dev"
#endif
#include <oneapi/tbb/version.h>

namespace tbb {
inline namespace v1 {}
namespace detail {
inline namespace taskrace1 {}
}  // namespace detail
}  // namespace tbb

#endif
