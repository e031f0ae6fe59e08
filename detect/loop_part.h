// LoopPart: iterations of a parallel loop that one call of the program's function runs, in order.
//
// Thread rule: the thread that runs them. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taskrace/hooks.h"

namespace taskrace {

// The program's function: runs the iterations [begin, end).
using LoopRange = void (*)(void* closure, size_t begin, size_t end);

struct RunningLoop;

struct LoopPart {
  RunningLoop* loop;
  size_t k = 0;             // the iteration that runs
  bool is_task = false;     // and that it is a task by now
  bool loses_rest = false;  // it had to wait: the iterations after it are another part's
  // The number of the iteration that runs, less k, as long as the next numbers go on with it.
  uint32_t offset = 0;
  uint32_t ignored = 0;  // regions that every iteration begins in
  uint32_t ordered = 0;
  bool is_units = false;  // its iterations are units (executor.h)
  bool has_begun = false;
};

}  // namespace taskrace
