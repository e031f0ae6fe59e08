// <oneapi/tbb/task_arena.h> by the name that programs of before 2021 use.
#pragma GCC system_header
#include <oneapi/tbb/task_arena.h>
