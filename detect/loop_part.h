// LoopPart: iterations of a parallel loop that one call of the program's function runs, in order.
//
// Thread rule: the thread that runs them. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/reach/ids.h"
#include "taskrace/hooks.h"

namespace taskrace {

// The program's function: runs the iterations [begin, end).
using LoopRange = void (*)(void* closure, size_t begin, size_t end);

struct RunningLoop;

struct LoopPart {
  RunningLoop* loop;
  uint32_t number = 0;      // of the loop, in the table of loops
  size_t begin = 0;         // the first iteration
  size_t end = 0;           // of units: behind the last one
  size_t k = SIZE_MAX;      // the iteration that runs
  bool is_task = false;     // and that it is a task by now
  bool loses_rest = false;  // it had to wait: the iterations after it are another part's
  // The strand of the running iteration, less k. is_numbered: the same for all iterations of the part.
  uint32_t offset = 0;
  bool is_numbered = false;
  uint32_t ignored = 0;  // regions that every iteration begins in
  uint32_t ordered = 0;
  bool is_units = false;  // its iterations are units (executor.h)
  uintptr_t own_end =
      0;  // what lies below on the machine stack is memory of the running iteration only

  // Requires: iteration k runs, or the part is numbered.
  StrandId StrandOf(size_t iteration) const {
    return StrandId{offset + static_cast<uint32_t>(iteration)};
  }
};

}  // namespace taskrace
