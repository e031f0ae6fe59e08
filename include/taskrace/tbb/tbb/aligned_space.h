// Classic TBB.
#pragma GCC system_header
#error \
    "<tbb/aligned_space.h> was removed from oneTBB in 2021; the last version that had it is TBB 2020. Port the program to oneTBB: docs/tbb.md"
