// Why the two accesses of a race are parallel: the task that both come from, and where their chains of creations part.
//
//   main -> x.cpp:3 spawn -> x.cpp:9 spawn -> access 0        the fork is main's,
//   main -> x.cpp:4 spawn -> access 1                         below[0] = 2, below[1] = 1
//
// Iterations of one loop part at the loop. Thread rule: a pure function. Cost: the product of the chains' lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "report/report.h"

namespace taskrace::report {

struct Fork {
  uint64_t task = 0;  // that both accesses come from; 0: the main task
  // The number of creations in each chain that lie below it; 0: the task itself made the access.
  size_t below[2] = {0, 0};
  // The creation that makes them parallel: that of the earlier access's branch, or of the other one if the earlier
  // access is the task's own. Null if it is not known.
  const Stack* at = nullptr;
};

// Nothing if the chains are not known far enough.
std::optional<Fork> FindFork(const ReportedRace& race);

}  // namespace taskrace::report
