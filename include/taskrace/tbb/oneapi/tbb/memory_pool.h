// Pools of memory would look like memory that tasks share.
#pragma GCC system_header
#error \
    "taskrace does not support memory pools of oneTBB: memory that is used again would look shared. Use malloc or std::pmr in the build for detection"
