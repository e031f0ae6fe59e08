// The library's own header: it makes no task and takes no lock.
#pragma GCC system_header
#if __has_include_next(<oneapi/tbb/blocked_rangeNd.h>)
#include_next <oneapi/tbb/blocked_rangeNd.h>
#else
#error \
    "<oneapi/tbb/blocked_rangeNd.h> is missing: oneTBB is not installed, or older than 2021; install Debian's libtbb-dev"
#endif
