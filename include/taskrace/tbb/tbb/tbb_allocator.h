// <oneapi/tbb/tbb_allocator.h> by the name that programs of before 2021 use.
#pragma GCC system_header
#include <oneapi/tbb/tbb_allocator.h>
