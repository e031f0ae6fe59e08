// A race as a value: what a history finds and the runtime writes to its log. No strings.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/reach/ids.h"

namespace taskrace {

// Where an access happened: calling context and program counter, interned by the runtime. 0: none.
enum class Where : uint32_t {};
inline constexpr Where kNowhere{0};

// What reports call iteration 0 of something that is no loop: section k has the number kFirstSection + k.
inline constexpr int64_t kFirstSection = int64_t{1} << 62;
inline constexpr int64_t kFirstLane = int64_t{1} << 61;  // of a simd loop
inline constexpr int64_t kSingleBlock = INT64_MIN;

// The interned set of locks that a strand holds. 0: none.
enum class LockSet : uint32_t {};
inline constexpr LockSet kNoLocks{0};

// Ordered: two atomic accesses never race with each other, two reads neither.
enum class AccessKind : uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite };

constexpr bool IsWrite(AccessKind kind) {
  return kind == AccessKind::kWrite || kind == AccessKind::kAtomicWrite;
}
constexpr bool IsAtomic(AccessKind kind) { return kind >= AccessKind::kAtomicRead; }
constexpr bool Conflict(AccessKind a, AccessKind b) {
  return (IsWrite(a) || IsWrite(b)) && !(IsAtomic(a) && IsAtomic(b));
}

// One side of a race.
struct RacingAccess {
  StrandId strand;
  AccessKind kind;
  LockSet locks;
  bool operator==(const RacingAccess&) const = default;
};

// Two parallel accesses to the bytes [first, first + size); `earlier` came first in the execution.
struct Race {
  uintptr_t first;
  size_t size;
  RacingAccess earlier;
  RacingAccess later;
};

}  // namespace taskrace
