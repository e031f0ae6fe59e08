// The library's own header: it makes no task and takes no lock.
#pragma GCC system_header
#if __has_include_next(<oneapi/tbb/profiling.h>)
#include_next <oneapi/tbb/profiling.h>
#else
#error \
    "<oneapi/tbb/profiling.h> is missing: oneTBB is not installed, or older than 2021; install Debian's libtbb-dev"
#endif
