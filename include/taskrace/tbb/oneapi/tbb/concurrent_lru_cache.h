// Not supported under detection.
#pragma GCC system_header
#error \
    "taskrace does not support <oneapi/tbb/concurrent_lru_cache.h> yet: its tasks and messages would not be seen. Leave it out, or compile with -ftaskrace-real-tbb, which detects nothing in oneTBB"
