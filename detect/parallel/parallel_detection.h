// ParallelDetection: what the workers of a parallel run share; and what they ask of whoever runs the
// program (ParallelHost).
//
// Thread rule: any worker. Cost: each part's head says.
#pragma once

#include <atomic>

#include "detect/parallel/collection.h"
#include "detect/parallel/parallel_history.h"
#include "detect/parallel/parallel_loop.h"
#include "detect/parallel/place_log.h"
#include "detect/parallel/quarantine.h"
#include "detect/parallel/root_alone.h"
#include "detect/parallel/task_tree.h"

namespace taskrace {

// Called by any worker at any time, several at once.
class ParallelHost {
 public:
  // The same race may come many times, from either side.
  virtual void OnRace(const ParallelRace& race) = 0;
  // Are accesses under these two sets of locks, neither of them empty, still a race?
  virtual bool MayRace(LockSet a, LockSet b) = 0;
  // The access itself; or, if it is several at one place (hooks.h), the one that touches the byte.
  virtual AccessLog::Found PartWith(uintptr_t byte, const AccessLog::Found& found) = 0;
  // Is it several?
  virtual bool HasParts(Where code) = 0;
  // The block may be used again.
  virtual void Release(const Quarantine::Block& block) = 0;

 protected:
  ~ParallelHost() = default;
};

struct ParallelDetection {
  explicit constexpr ParallelDetection(ParallelHost& host) : host(host) {}

  ParallelHost& host;
  TaskTree tree;
  RootAlone alone;
  LoneLoop lone;
  Epochs epochs;
  PlaceLogs places;
  RecordTable records;
  ParallelHistory history;
  Collection collection{epochs, records, places, tree};
  std::atomic<uint32_t> strands{1};  // numbers that workers have taken

  size_t BytesUsed() const { return tree.BytesUsed() + records.BytesUsed() + history.BytesUsed(); }
};

}  // namespace taskrace
