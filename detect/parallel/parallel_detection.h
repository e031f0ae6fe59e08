// ParallelDetection: what the workers of a parallel run share; and what they ask of whoever runs the
// program (ParallelHost).
//
// Thread rule: any worker. Cost: each part's head says.
#pragma once

#include <atomic>

#include "detect/parallel/parallel_history.h"
#include "detect/parallel/quarantine.h"
#include "detect/parallel/record_table.h"
#include "detect/parallel/task_tree.h"

namespace taskrace {

// Hears of the accesses that a row of parts consists of.
class PartVisitor {
 public:
  virtual void OnPart(uintptr_t first, size_t size, Where where) = 0;

 protected:
  ~PartVisitor() = default;
};

// Called by any worker at any time, several at once.
class ParallelHost {
 public:
  // The same race may come many times, from either side.
  virtual void OnRace(const ParallelRace& race) = 0;
  // Are accesses under these two sets of locks, neither of them empty, still a race?
  virtual bool MayRace(LockSet a, LockSet b) = 0;
  // The accesses of the row at `row` that are together at the place `where`.
  virtual void ForEachPart(Where where, uintptr_t row, PartVisitor& visitor) = 0;
  // The block may be used again.
  virtual void Release(const Quarantine::Block& block) = 0;

 protected:
  ~ParallelHost() = default;
};

struct ParallelDetection {
  explicit constexpr ParallelDetection(ParallelHost& host) : host(host) {}

  ParallelHost& host;
  TaskTree tree;
  Epochs epochs;
  RecordTable records{epochs};
  ParallelHistory history;
  std::atomic<uint32_t> strands{1};  // numbers that workers have taken

  size_t BytesUsed() const { return tree.BytesUsed() + records.BytesUsed() + history.BytesUsed(); }
};

}  // namespace taskrace
