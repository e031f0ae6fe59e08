// Access hooks that count accesses for option stats, and then call the hooks that check.
//
// Thread rule: any worker; each counts for itself. Cost: an addition and a jump per access, only with
// stats=1.
#pragma once

#include <cstdint>

#include "detect/detection.h"

namespace taskrace {

struct AccessCounts {
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t ranges = 0;
  uint64_t range_bytes = 0;
  uint64_t atomics = 0;
};

// The counting hooks; each calls the same hook of `checking` afterwards.
const AccessHooks& CountingHooks(const AccessHooks& checking);
// What they have counted so far.
AccessCounts Counts();

}  // namespace taskrace
