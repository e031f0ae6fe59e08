// The library's own header: macros that programs test.
#pragma GCC system_header
#include_next <oneapi/tbb/detail/_config.h>
