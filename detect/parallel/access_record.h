// AccessRecord: who touched memory; what a shadow cell remembers by number. Where in the program that
// was, the log of its worker knows (place_log.h): so all that a strand touches says the same.
//
// Thread rule: written by its worker before its number is handed on; not changed as long as somebody knows
//             that.
// Cost:       16 bytes for each strand that some cell remembers (record_table.h).
#pragma once

#include "detect/parallel/reclaimed_table.h"
#include "detect/parallel/task_tree.h"
#include "report/race.h"

namespace taskrace {

struct AccessRecord {
  TaskTree::Step step;
  StrandId strand;  // a strand may have several records
  uint32_t worker;  // that ran it
};
static_assert(sizeof(AccessRecord) == 16);

// The number of a record. 0: nobody.
using RecordId = uint32_t;
inline constexpr RecordId kNobody = 0;

// One side of a race.
struct ParallelSide {
  AccessRecord record;
  AccessKind kind;
  LockSet locks;
  Where where;
  size_t size;  // of the access, which may be larger than what races
};
// Two parallel accesses to the bytes [first, first + size). `later` was told later, which says
// nothing of the order in which the two were done.
struct ParallelRace {
  uintptr_t first;
  size_t size;
  ParallelSide earlier;
  ParallelSide later;
};

}  // namespace taskrace
