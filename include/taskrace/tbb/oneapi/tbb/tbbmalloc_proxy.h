// The allocator of oneTBB instead of malloc: under detection malloc stays, because the runtime knows it.
#pragma GCC system_header
