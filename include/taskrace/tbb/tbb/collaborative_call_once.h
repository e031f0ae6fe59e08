// <oneapi/tbb/collaborative_call_once.h> by the name that programs of before 2021 use.
#pragma GCC system_header
#include <oneapi/tbb/collaborative_call_once.h>
