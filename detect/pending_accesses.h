// PendingAccesses: accesses of a loop's iterations on their way to the history, in the order in which they were made.
//
// Idea:       an access whose address depends on data looks at a cell that is mostly in no cache. A processor waits
//             for several such cells at once only if few instructions lie between them. So accesses wait here
//             until there are some, their cells are fetched meanwhile, and then all are checked in a row.
//
//               a[x[0]] = 0; a[x[1]] = 1; ...    32 fetches, then 32 checks
//
// Thread rule: one thread. Cost: 32 bytes an access.
// Tested by:  test/oracle/whole_loops_test.cc
#pragma once

#include <cstdint>
#include <span>

#include "detect/contexts.h"
#include "detect/reach/ids.h"
#include "report/race.h"

namespace taskrace {

// Without locks.
struct PendingAccess {
  static constexpr size_t kMostBytes = 64;

  uintptr_t first;
  uintptr_t pc;
  StrandId strand;
  ContextId context;
  AccessKind kind;
  uint8_t size;
  Operation operation;

  Contexts::Site Site() const { return {pc, context, 0, operation}; }
};
static_assert(sizeof(PendingAccess) == 32);

class PendingAccesses {
 public:
  bool Empty() const { return count_ == 0; }
  bool IsFull() const { return count_ == kMost; }
  // Requires: !IsFull().
  [[gnu::always_inline]] void Add(const PendingAccess& access) { accesses_[count_++] = access; }
  // None is pending afterwards. The result is valid until the next Add.
  std::span<const PendingAccess> TakeAll() {
    const std::span<const PendingAccess> all(accesses_, count_);
    count_ = 0;
    return all;
  }

 private:
  static constexpr size_t kMost = 32;

  size_t count_ = 0;
  PendingAccess accesses_[kMost];
};

}  // namespace taskrace
