// TaskScheduler: what the parallel executor wants of oneTBB. The runtime itself needs libc only, so
// oneTBB and the C++ library stay behind this table, in libtaskrace_tbb.so, which is loaded when a run is
// to be parallel.
//
// Thread rule: any thread, once start() has returned. Bodies do not throw.
#pragma once

#include <cstddef>

namespace taskrace {

struct TaskScheduler {
  // Room for a group, aligned as malloc does.
  static constexpr size_t kGroupBytes = 256;

  // The largest number of threads that the detector supports.
  static constexpr unsigned kMostThreads = 256;
  // How many run, if the user wants `wanted`; 0: one for each core.
  static constexpr unsigned ThreadsFor(unsigned wanted, unsigned cores) {
    const unsigned threads = wanted == 0 ? cores : wanted;
    return threads < kMostThreads ? threads : kMostThreads;
  }

  // The largest number of threads that run tasks, including the caller; 0: one for each core.
  void (*start)(unsigned threads);
  void (*make_group)(void* room);
  void (*end_group)(void* room);
  // Runs body(task) at some time on some thread.
  void (*run)(void* group, void (*body)(void*), void* task);
  // Returns when all tasks of the group have ended; runs others meanwhile, on the same stack.
  void (*wait)(void* group);
  // Calls body(loop, begin, end) for parts of [0, count), on any threads; returns when all are over, and runs others
  // meanwhile, as wait does.
  void (*run_parts)(size_t count, void (*body)(void*, size_t, size_t), void* loop);
};

// The table's name in the library.
inline constexpr const char* kSchedulerSymbol = "taskrace_task_scheduler";

}  // namespace taskrace
