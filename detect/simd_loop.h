// SimdLoop: races between the lanes of a simd loop of OpenMP.
//
// Idea:       iterations i < j of a simd loop may run at the same time, on one thread, iff j - i is less than the safe
//             length. To engines and histories the whole loop is a part of the strand that runs it. Its
//             lanes are compared with each other here, and forgotten when the loop ends.
//
//               #pragma omp simd                 a[i] = a[i - 1]     i and i + 1 race on a[i]
//               #pragma omp simd safelen(4)      a[i] = a[i - 4]     no race
//
//             Iterations come in rising order. So of each kind of access to a byte the latest two lanes are enough: an
//             earlier one is farther away from whoever comes, and the latest one may be the running lane itself.
//             Accesses that the pass has moved before the loop are compared by arithmetic (moved_accesses.h).
//             `ordered simd` blocks are in order: what a lane does before or in its block precedes what later lanes do in
//             or after theirs.
// Thread rule: one thread.
// Cost:       a probe of a table an access that stays in the loop, 48 bytes a word of 8 bytes that they touch;
//             O(1) a pair of moved accesses that cannot meet.
// Tested by:  test/detect/simd_loop_test.cc, test/lit/openmp/
#pragma once

#include <algorithm>
#include <cstdint>

#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"
#include "detect/moved_accesses.h"
#include "report/race.h"

namespace taskrace {

// An access of a lane.
struct LaneAccess {
  uint64_t lane;
  AccessKind kind;
  Where where;
};

// The latest accesses of lanes to each byte.
class LaneTable {
 public:
  // Calls meet(first, size, earlier) for each remembered access of another lane, less than `window` lanes before, that conflicts
  // with this one on these bytes.
  template <class Meet>
  void ForEachConflict(const LaneAccess& access, uintptr_t first, size_t size, uint64_t window,
                       Meet meet) const {
    ForEachWord(first, size, [&](uintptr_t word, uint8_t mask) {
      for (uint32_t at = FirstOf(word); at != 0; at = entries_[at].next) {
        const Entry& entry = entries_[at];
        unsigned common = entry.mask & mask;
        if (common == 0 || !Conflict(entry.kind, access.kind)) continue;
        const bool is_own = entry.lane == access.lane;
        const uint64_t lane = is_own ? entry.lane_before : entry.lane;
        if (lane == kNoLane || access.lane - lane >= window) continue;
        const LaneAccess earlier{lane, entry.kind, is_own ? entry.where_before : entry.where};
        while (common != 0) {
          const int from = __builtin_ctz(common), count = __builtin_ctz(~(common >> from));
          meet(word * kWord + static_cast<unsigned>(from), static_cast<size_t>(count), earlier);
          common &= ~(((1u << count) - 1) << from);
        }
      }
    });
  }
  // Requires: lanes come in rising order.
  void Add(const LaneAccess& access, uintptr_t first, size_t size) {
    ForEachWord(first, size, [&](uintptr_t word, uint8_t mask) { AddTo(word, mask, access); });
  }
  // The bytes are new.
  void Forget(uintptr_t first, size_t size) {
    if (used_ == 0) return;
    const uintptr_t low = first / kWord, high = (first + size - 1) / kWord;
    if (high - low < entries_.Size()) {
      ForEachWord(first, size, [&](uintptr_t word, uint8_t mask) { ForgetIn(word, mask); });
      return;
    }
    for (size_t i = 1; i < entries_.Size(); ++i) {
      Entry& entry = entries_[i];
      if (entry.word < low || entry.word > high) continue;
      entry.mask &= static_cast<uint8_t>(~MaskOf(entry.word, first, size));
    }
  }
  void Clear() {
    ++generation_;
    used_ = 0;
    entries_.Truncate(0);
  }
  size_t BytesUsed() const { return slots_.BytesUsed() + entries_.BytesUsed(); }

 private:
  static constexpr uintptr_t kWord = 8;
  static constexpr uint64_t kNoLane = UINT64_MAX;
  // The entries of a word. Those of another generation are none.
  struct Slot {
    uint32_t first;
    uint32_t generation;
  };
  // The latest two lanes with accesses of this kind to these bytes.
  struct Entry {
    uintptr_t word;
    uint64_t lane;
    uint64_t lane_before;
    Where where;
    Where where_before;
    uint32_t next;
    uint8_t mask;
    AccessKind kind;
  };

  static uint8_t MaskOf(uintptr_t word, uintptr_t first, size_t size) {
    const uintptr_t low = std::max(first, word * kWord) - word * kWord;
    const uintptr_t end = std::min(first + size, word * kWord + kWord) - word * kWord;
    return static_cast<uint8_t>(((1u << end) - 1) & ~((1u << low) - 1));
  }
  template <class Visit>
  static void ForEachWord(uintptr_t first, size_t size, Visit visit) {
    if (size == 0) return;
    const uintptr_t last = (first + size - 1) / kWord;
    for (uintptr_t word = first / kWord; word <= last; ++word)
      visit(word, MaskOf(word, first, size));
  }

  // The slot of the word, or the empty one where it belongs. Requires: there are slots.
  size_t SlotOf(uintptr_t word) const {
    const size_t mask = slots_.Size() - 1;
    for (size_t i = Mix(word) & mask;; i = (i + 1) & mask) {
      if (slots_[i].generation != generation_ || entries_[slots_[i].first].word == word) return i;
    }
  }
  uint32_t FirstOf(uintptr_t word) const {
    if (used_ == 0) return 0;
    const Slot& slot = slots_[SlotOf(word)];
    return slot.generation == generation_ ? slot.first : 0;
  }
  void AddTo(uintptr_t word, uint8_t mask, const LaneAccess& access) {
    for (uint32_t at = FirstOf(word); at != 0; at = entries_[at].next) {
      Entry& entry = entries_[at];
      if (entry.kind != access.kind || entry.mask != mask) continue;
      if (entry.lane == access.lane) return;
      entry.lane_before = entry.lane;
      entry.where_before = entry.where;
      entry.lane = access.lane;
      entry.where = access.where;
      return;
    }
    if (entries_.Empty()) entries_.Append({});  // 0 is none
    if (used_ * 2 >= slots_.Size()) Grow();
    entries_.Append({word, access.lane, kNoLane, access.where, kNowhere, 0, mask, access.kind});
    Link(static_cast<uint32_t>(entries_.Size() - 1));
  }
  void Link(uint32_t number) {
    Slot& slot = slots_[SlotOf(entries_[number].word)];
    if (slot.generation != generation_) {
      slot = {0, generation_};
      ++used_;
    }
    entries_[number].next = slot.first;
    slot.first = number;
  }
  void ForgetIn(uintptr_t word, uint8_t mask) {
    for (uint32_t at = FirstOf(word); at != 0; at = entries_[at].next) {
      entries_[at].mask &= static_cast<uint8_t>(~mask);
    }
  }
  void Grow() {
    const size_t wanted = std::max<size_t>(64, slots_.Size() * 2);
    slots_.Truncate(0);
    slots_.Resize(wanted);
    used_ = 0;
    for (uint32_t i = 1; i < entries_.Size(); ++i) Link(i);
  }

  MappedArray<Slot> slots_{"the lanes of a simd loop"};
  MappedArray<Entry> entries_{"the lanes of a simd loop"};
  size_t used_ = 0;          // slots
  uint32_t generation_ = 1;  // of the slots that are in use
};

class SimdLoop {
 public:
  // Gets the races of two lanes.
  class Sink {
   public:
    virtual void OnLanes(uintptr_t first, size_t size, const LaneAccess& earlier,
                         const LaneAccess& later) = 0;

   protected:
    ~Sink() = default;
  };

  explicit SimdLoop(Sink& sink) : sink_(sink) {}

  // A loop begins whose lanes less than `window` apart are not ordered. What lies on the stack below `stack_pointer` is a
  // lane's own.
  void Begin(uint64_t window, uintptr_t stack_low, uintptr_t stack_pointer) {
    is_open_ = true;
    window_ = window;
    stack_low_ = stack_low;
    stack_pointer_ = stack_pointer;
    lane_ = kNoLane;
    place_ = Place::kBeforeBlock;
  }
  void Lane(uint64_t lane) {
    if (lane == lane_) return;
    lane_ = lane;
    place_ = Place::kBeforeBlock;
  }
  // The running lane begins and ends its `ordered simd` block.
  void BeginOrdered() { place_ = Place::kInBlock; }
  void EndOrdered() { place_ = Place::kAfterBlock; }
  // Each lane has a copy of its own of what lies here.
  void AddOwn(uintptr_t first, size_t size) { own_.Append({first, size}); }
  void End() {
    CompareMoved();
    is_open_ = false;
    all_.Clear();
    after_blocks_.Clear();
    moved_.Truncate(0);
    own_.Truncate(0);
  }
  bool is_open() const { return is_open_; }
  uintptr_t stack_pointer() const { return stack_pointer_; }

  // The running lane touches these bytes.
  void Access(AccessKind kind, uintptr_t first, size_t size, Where where) {
    if (size == 0 || lane_ == kNoLane || IsOwn(first, size)) return;
    const LaneAccess access{lane_, kind, where};
    // Nothing but what earlier lanes did after their blocks is parallel to a block, and to what follows it.
    const LaneTable& parallel = place_ == Place::kBeforeBlock ? all_ : after_blocks_;
    parallel.ForEachConflict(access, first, size, window_,
                             [&](uintptr_t at, size_t bytes, const LaneAccess& earlier) {
                               sink_.OnLanes(at, bytes, earlier, access);
                             });
    all_.Add(access, first, size);
    if (place_ == Place::kAfterBlock) after_blocks_.Add(access, first, size);
    for (size_t i = 0; i < moved_.Size(); ++i) {
      if (Conflict(kind, moved_[i].kind)) Compare(access, first, size, moved_[i], /*all=*/true);
    }
  }
  // The pass has moved these accesses before the loop.
  void Move(const MovedAccess& access) {
    if (access.size != 0 && access.rows != 0 && access.count != 0 &&
        !IsOwn(access.LowOfAll(), access.ExtentOfAll())) {
      moved_.Append(access);
    }
  }
  void Forget(uintptr_t first, size_t size) {
    if (size == 0) return;
    all_.Forget(first, size);
    after_blocks_.Forget(first, size);
  }

 private:
  static constexpr uint64_t kNoLane = UINT64_MAX;
  enum class Place { kBeforeBlock, kInBlock, kAfterBlock };
  struct Range {
    uintptr_t first;
    size_t size;
  };

  bool IsOwn(uintptr_t first, size_t size) const {
    if (first >= stack_low_ && first < stack_pointer_) return true;
    for (size_t i = 0; i < own_.Size(); ++i) {
      if (first >= own_[i].first && first + size <= own_[i].first + own_[i].size) return true;
    }
    return false;
  }
  // An access of a lane against those that were moved out of others: of all lanes, or only of later ones.
  void Compare(const LaneAccess& access, uintptr_t first, size_t size, const MovedAccess& moved,
               bool all) {
    moved.ForEachAt(first, first + size, access.lane - moved.k, [&](uint64_t i, uintptr_t row) {
      const LaneAccess other{moved.k + i, moved.kind, moved.code};
      const bool is_later = other.lane > access.lane;
      if (!is_later && !all) return;
      if ((is_later ? other.lane - access.lane : access.lane - other.lane) >= window_) return;
      const uintptr_t from = std::max(first, row), to = std::min(first + size, row + moved.size);
      sink_.OnLanes(from, to - from, is_later ? access : other, is_later ? other : access);
    });
  }
  // What was moved out of the loop, each lane against all others.
  void CompareMoved() {
    for (size_t i = 0; i < moved_.Size(); ++i) {
      for (size_t j = 0; j <= i; ++j) {
        const MovedAccess &a = moved_[i], &b = moved_[j];
        if (!Conflict(a.kind, b.kind) || a.LiesApartFrom(b)) continue;
        if (a.k == b.k && a.count == b.count && !IterationsMayMeet(a, b, window_)) continue;
        for (uint64_t number = 0; number < a.count; ++number) {
          const LaneAccess access{a.k + number, a.kind, a.code};
          const AccessLog::Touch touch = a.In(number);
          touch.ForEachRow(
              [&](uintptr_t row) { Compare(access, row, touch.size, b, /*all=*/i != j); });
        }
      }
    }
  }

  Sink& sink_;
  LaneTable all_;
  LaneTable after_blocks_;  // of lanes that have left their ordered block
  MappedArray<MovedAccess> moved_{"the accesses of a simd loop"};
  MappedArray<Range> own_{"the variables of lanes"};
  uint64_t window_ = 0;
  uint64_t lane_ = kNoLane;  // that runs
  uintptr_t stack_low_ = 0;
  uintptr_t stack_pointer_ = 0;
  Place place_ = Place::kBeforeBlock;
  bool is_open_ = false;
};

}  // namespace taskrace
