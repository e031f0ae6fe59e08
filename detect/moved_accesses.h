// MovedAccesses: accesses of a parallel loop's iterations that the pass has moved before the loop.
//
// Idea:       iteration k + i touches `rows` ranges of `size` bytes at first + i * step. Whether two iterations can
//             meet is arithmetic, however many there are. Where they cannot, the accesses of all iterations
//             may be checked as those of one strand: all iterations stand alike to everything outside.
//             Where they may, or where other accesses stay in the loop, each iteration's are checked
//             when it begins: a history must hear of iterations in order. What was moved is kept then, for
//             reports: it says which code touched a byte.
//
//               b[i] = a[i] + 1       read a + 8i, write b + 8i: step = size, no two iterations meet
//               b[i] = b[i - 1] + 1   read b - 8 + 8i, write b + 8i: iteration i meets i - 1
//
// Thread rule: one thread.
// Cost:       O(1) a pair of accesses; 96 bytes for each that is kept.
// Tested by:  test/detect/moved_accesses_test.cc, test/oracle/whole_detector_test.cc
#pragma once

#include <algorithm>
#include <cstdlib>

#include "detect/access_log.h"
#include "detect/ds/mapped_array.h"
#include "report/race.h"

namespace taskrace {

struct MovedAccess {
  AccessKind kind;
  Where code;
  uintptr_t first;
  size_t size;
  size_t rows;
  ptrdiff_t distance;  // from row to row
  ptrdiff_t step;      // from iteration to iteration
  uint64_t k;          // the first iteration
  uint64_t count;

  // What iteration k + i touches.
  AccessLog::Touch In(uint64_t i) const {
    return {first + i * static_cast<uintptr_t>(step), size, rows, distance};
  }
  // Calls visit(touch) for as few touches as make up what all iterations touch. joins: rows that lie side by
  // side are one.
  template <class Visit>
  void ForEachTouch(bool joins, Visit visit) const {
    const auto joined = [joins](const AccessLog::Touch& touch) {
      return joins ? touch.InOnePiece() : touch;
    };
    const AccessLog::Touch one = joined({first, size, rows, distance});
    if (step == 0) return visit(one);
    if (one.count == 1) return visit(joined({one.first, one.size, count, step}));
    if (count < rows) {
      for (uint64_t i = 0; i < count; ++i) visit(In(i));
    } else {
      one.ForEachRow([&](uintptr_t row) { visit(joined({row, size, count, step})); });
    }
  }

  // The bytes that one iteration lies within: [low, low + Extent()) for the first.
  uintptr_t Low() const { return AccessLog::Touch{first, size, rows, distance}.Low(); }
  size_t Extent() const { return static_cast<size_t>(std::abs(distance)) * (rows - 1) + size; }
  // The bytes that all of them lie within.
  uintptr_t LowOfAll() const {
    return step >= 0 ? Low() : Low() + (count - 1) * static_cast<uintptr_t>(step);
  }
  size_t ExtentOfAll() const {
    return static_cast<size_t>(std::abs(step)) * (count - 1) + Extent();
  }
  // Are the rows of all iterations apart from each other?
  bool IsApart() const {
    const size_t across = static_cast<size_t>(std::abs(step));
    const size_t down = static_cast<size_t>(std::abs(distance));
    return across >= Extent() ||
           (across >= size && (rows == 1 || down >= across * (count - 1) + size));
  }
  // Does every iteration read the same bytes, and are there others?
  bool IsSharedRead() const { return step == 0 && kind == AccessKind::kRead && count > 1; }
  // Do they touch the same bytes in each iteration?
  bool IsSamePlace(const MovedAccess& other) const {
    return first == other.first && size == other.size && rows == other.rows &&
           (rows == 1 || distance == other.distance) && step == other.step;
  }
};

// False only if no two different iterations touch the same byte, one by `a`, one by `b`. Requires: both
// were moved out of the same iterations.
inline bool IterationsMayMeet(const MovedAccess& a, const MovedAccess& b) {
  if (a.count <= 1) return false;
  if (a.IsSamePlace(b)) return !a.IsApart();
  const uintptr_t a_low = a.LowOfAll(), b_low = b.LowOfAll();
  if (a_low < b_low ? b_low - a_low >= a.ExtentOfAll() : a_low - b_low >= b.ExtentOfAll()) {
    return false;
  }
  if (a.step != b.step || a.step == 0) return true;
  // Iteration i by a and i + m by b meet, at most, if -extent of b < offset + m * step < extent of a.
  using Wide = __int128;
  const Wide offset = static_cast<Wide>(b.Low()) - static_cast<Wide>(a.Low());
  const Wide step = a.step > 0 ? a.step : -static_cast<Wide>(a.step);
  const Wide low = -static_cast<Wide>(b.Extent()) + 1 - offset;
  const Wide high = static_cast<Wide>(a.Extent()) - 1 - offset;
  // The multiples of the step in [low, high] go from `from` to `to`; 0 is not asked for.
  const auto floor = [](Wide x, Wide y) { return x >= 0 ? x / y : -((-x + y - 1) / y); };
  const Wide from = -floor(-low, step), to = floor(high, step);
  const Wide most = static_cast<Wide>(a.count) - 1;
  return std::max(from, -most) <= std::min(to, Wide{-1}) ||
         std::max(from, Wide{1}) <= std::min(to, most);
}

class MovedAccesses {
 public:
  // Moved out of the iterations that run next.
  void Add(const MovedAccess& access) { next_.Append(access); }
  bool Empty() const { return next_.Empty(); }
  size_t Size() const { return next_.Size(); }
  const MovedAccess& operator[](size_t i) const { return next_[i]; }
  void Clear() {
    next_.Truncate(0);
    are_kept_ = false;
  }

  // Can two iterations conflict?
  bool MayConflict() const {
    for (size_t i = 0; i < next_.Size(); ++i) {
      for (size_t j = 0; j <= i; ++j) {
        if (next_[i].k != next_[j].k || next_[i].count != next_[j].count) return true;
        if (Conflict(next_[i].kind, next_[j].kind) && IterationsMayMeet(next_[i], next_[j])) {
          return true;
        }
      }
    }
    return false;
  }

  // The iterations that they are of, from the first to behind the last. Requires: !Empty().
  struct Span {
    uint64_t first;
    uint64_t end;
  };
  Span Iterations() const {
    Span span{next_[0].k, next_[0].k + next_[0].count};
    for (size_t i = 1; i < next_.Size(); ++i) {
      span.first = std::min(span.first, next_[i].k);
      span.end = std::max(span.end, next_[i].k + next_[i].count);
    }
    return span;
  }

  // Iteration k has the number `strand`, and so on: keeps the accesses for Find. Requires: strands come in
  // order.
  void Keep(StrandId strand, uint64_t k) {
    are_kept_ = true;
    for (size_t i = 0; i < next_.Size(); ++i) kept_.Append({next_[i], k, strand});
  }
  bool AreKept() const { return are_kept_; }
  // Of those that run next, the shared reads are done with.
  void DropSharedReads() {
    size_t left = 0;
    for (size_t i = 0; i < next_.Size(); ++i) {
      if (!next_[i].IsSharedRead()) next_[left++] = next_[i];
    }
    next_.Truncate(left);
  }
  void Drop() { kept_.Truncate(0); }
  // Where the iteration touched the byte; false: not by an access that was kept.
  bool Find(const RacingAccess& by, uintptr_t byte, AccessLog::Found& found) const {
    const Kept* const begin = kept_.Data();
    const Kept* after =
        std::upper_bound(begin, begin + kept_.Size(), by.strand,
                         [](StrandId wanted, const Kept& kept) { return wanted < kept.strand; });
    if (after == begin || by.locks != kNoLocks) return false;
    const StrandId first = after[-1].strand;
    while (after != begin && (--after)->strand == first) {
      const MovedAccess& access = after->access;
      const uint64_t number = after->k + (Index(by.strand) - Index(first)) - access.k;
      if (number >= access.count || access.kind != by.kind) continue;
      const AccessLog::Touch touch = access.In(number);
      bool is_found = false;
      touch.ForEachRow([&](uintptr_t row) {
        if (byte < row || byte - row >= touch.size) return;
        found = {access.code, row, touch.size, row + touch.size, 0};
        is_found = true;
      });
      if (is_found) return true;
    }
    return false;
  }
  size_t BytesUsed() const { return next_.BytesUsed() + kept_.BytesUsed(); }

 private:
  struct Kept {
    MovedAccess access;
    uint64_t k;
    StrandId strand;  // of iteration k, the first one of those that ran one after the other
  };

  MappedArray<MovedAccess> next_{"the accesses of a loop"};
  MappedArray<Kept> kept_{"the accesses of loops"};  // by strand
  bool are_kept_ = false;
};

}  // namespace taskrace
