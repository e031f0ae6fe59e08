// Internals of oneTBB, which are not part of its interface.
#pragma GCC system_header
#error \
    "<oneapi/tbb/detail/_rtm_rw_mutex.h> is internal to oneTBB, and taskrace has nothing like it. Include the public header, or compile with -ftaskrace-real-tbb, which detects nothing in oneTBB"
