// What a WholeDetector knows of a loop that runs, of its iterations, and of accesses.
#pragma once

#include <vector>

#include "detect/loop_part.h"
#include "detect/reach/ids.h"
#include "test/oracle/moved_loop.h"

namespace taskrace::oracle {

// A loop from its beginning to its join.
struct LoopHere {
  GroupId group;
  TaskId creator;  // as the oracle calls it
  TaskId all;      // stands for the iterations
  StrandId strand;
  uint32_t number;
  int64_t index;
  size_t count;
  std::vector<MovedRows> moved = {};
  std::vector<MovedRows> staying = {};  // at most one
  __taskrace_zone zone = {};            // where it is made, if there are no marks
  bool has_marks = true;
  bool has_part = false;  // the iterations that come are some part's
  LoopPart part = {.loop = nullptr};
};
struct IterationOfLoop {
  LoopHere* loop;
  size_t k;
  StrandId strand = kNoStrand;  // none: not known, for all its accesses are moved
  bool is_task = false;
  bool lost_rest = false;

  bool IsLast() const { return k + 1 == loop->count; }
  int64_t Number() const { return loop->index + static_cast<int64_t>(k); }
};
// By whom, and by what code, an access of the oracle's was done.
struct Deed {
  StrandId strand;
  TaskId task;  // as the oracle calls it
  uintptr_t code;
  const MovedRows* moved = nullptr;
  HookCall call = nullptr;
  __taskrace_parts parts = nullptr;

  // Is it checked once for all iterations?
  bool MayBeOfAll() const { return moved != nullptr; }
  // Where the byte of its row was touched.
  uintptr_t CodeOf(uintptr_t row, uintptr_t byte) const {
    if (call != nullptr) return LineOf(call);
    return parts != nullptr ? LineOf(parts, row, byte) : code;
  }
};

}  // namespace taskrace::oracle
