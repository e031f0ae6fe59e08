// The access that a shadow history handles: its strand, kind and locks, and the races found so far, merged
// where their bytes are neighbours.
//
// Thread rule: one thread; lives as long as the access.
#pragma once

#include <algorithm>
#include <bit>

#include "detect/history/access_history.h"
#include "detect/history/shadow_cell.h"

namespace taskrace {

template <AccessContext C>
class CurrentAccess {
 public:
  CurrentAccess(AccessKind kind, C& c)
      : context(c), strand(c.Strand()), kind(kind), locks(c.Locks()) {}

  bool IsPlain() const { return !IsAtomic(kind) && locks == kNoLocks; }

  // Does u precede, or is it the strand at hand?
  [[gnu::always_inline]] bool Ordered(StrandId u) { return u == strand || context.Precedes(u); }

  // Was u an iteration of the loop whose iteration the strand at hand is, and no task? Then whatever comes
  // after u, but for the loop's end, comes after neither; and what is parallel to both is parallel to u.
  [[gnu::always_inline]] bool IsSibling(StrandId u) const {
    if constexpr (requires { context.IsSibling(u); }) return context.IsSibling(u);
    return false;
  }

  // Both accesses touch [first, first + size). Neighbouring bytes of one pair are one race.
  [[gnu::noinline]] void AddRace(const RacingAccess& earlier, uintptr_t first, size_t size) {
    for (size_t i = 0; i < found_; ++i) {
      Race& race = races_[i];
      if (race.first + race.size == first && race.earlier == earlier) {
        race.size += size;
        return;
      }
    }
    if (found_ == kMostRaces) {
      context.OnRace(races_[0]);
      std::move(races_ + 1, races_ + found_, races_);
      --found_;
    }
    races_[found_++] = {
        .first = first, .size = size, .earlier = earlier, .later = {strand, kind, locks}};
  }
  // One race for each row of bytes in `bytes`; bit 0 is the byte at `first`.
  void AddRaces(const RacingAccess& earlier, uintptr_t first, unsigned bytes) {
    while (bytes != 0) {
      const int begin = std::countr_zero(bytes);
      const int size = std::countr_one(bytes >> begin);
      AddRace(earlier, first + static_cast<uintptr_t>(begin), static_cast<size_t>(size));
      bytes &= ~(((1u << size) - 1) << begin);
    }
  }
  bool IsRaceFree() const { return found_ == 0; }
  void ReportRaces() {
    for (size_t i = 0; i < found_; ++i) context.OnRace(races_[i]);
    found_ = 0;
  }

  C& context;
  const StrandId strand;
  const AccessKind kind;
  const LockSet locks;

 private:
  static constexpr size_t kMostRaces = 4;

  size_t found_ = 0;
  Race races_[kMostRaces];
};

}  // namespace taskrace
