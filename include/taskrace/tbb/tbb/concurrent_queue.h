// <oneapi/tbb/concurrent_queue.h> by the name that programs of before 2021 use.
#pragma GCC system_header
#include <oneapi/tbb/concurrent_queue.h>
