// What the tests of the histories share: a context in which the test says how strands are ordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/race.h"

namespace taskrace {

inline constexpr uintptr_t kBase = 0x7000'0000'0000;
inline constexpr AccessKind kRead = AccessKind::kRead;
inline constexpr AccessKind kWrite = AccessKind::kWrite;
inline constexpr AccessKind kAtomicRead = AccessKind::kAtomicRead;
inline constexpr AccessKind kAtomicWrite = AccessKind::kAtomicWrite;

// Strands are ordered as the test says; locks are bits.
template <bool kOne>
struct Context {
  static constexpr bool kOneReader = kOne;
  StrandId strand{1};
  LockSet locks = kNoLocks;
  bool lock_order = false;
  bool ordered = true;  // does everything precede?
  size_t queries = 0;
  std::vector<Race> races{};

  StrandId Strand() { return strand; }
  bool Precedes(StrandId) {
    ++queries;
    return ordered;
  }
  uint64_t ReaderClass(StrandId u) { return Index(u); }
  LockSet Locks() { return locks; }
  bool Disjoint(LockSet a, LockSet b) { return (Bits(a) & Bits(b)) == 0; }
  bool Subset(LockSet a, LockSet b) { return (Bits(a) & ~Bits(b)) == 0; }
  bool ReportsLockOrder() { return lock_order; }
  void OnRace(const Race& race) { races.push_back(race); }
  static uint32_t Bits(LockSet locks) { return static_cast<uint32_t>(locks); }

  // A new strand, parallel with all others or after all of them.
  void Go(bool parallel) {
    strand = StrandId{Index(strand) + 1};
    ordered = !parallel;
  }
};
using OneReader = Context<true>;
using ManyReaders = Context<false>;

template <class History>
size_t EntryCount(History& history, uintptr_t byte) {
  size_t count = 0;
  history.ForEachEntry(byte, [&](const auto&) { ++count; });
  return count;
}

}  // namespace taskrace
