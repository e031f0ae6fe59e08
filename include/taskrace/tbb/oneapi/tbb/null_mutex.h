// The library's own header: it makes no task and takes no lock.
#pragma GCC system_header
#if __has_include_next(<oneapi/tbb/null_mutex.h>)
#include_next <oneapi/tbb/null_mutex.h>
#else
#error \
    "<oneapi/tbb/null_mutex.h> is missing: oneTBB is not installed, or older than 2021; install Debian's libtbb-dev"
#endif
