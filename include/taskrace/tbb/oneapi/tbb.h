// All of oneTBB.
#pragma GCC system_header
#ifndef TASKRACE_TBB_H
#define TASKRACE_TBB_H

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/partitioner.h>
#endif
