// MovedAccesses: accesses of a parallel loop's iterations that the pass has moved before the loop.
//
// Idea:       iteration k + i touches `rows` ranges of `size` bytes at first + i * step. Whether two iterations can
//             meet is arithmetic, however many there are. So is the question which iterations touch a given
//             byte: an access that stays in the loop is compared with the moved ones without a history.
//             All iterations have the same relation to every strand outside of the loop. So, when the loop is
//             over, the history gets the moved accesses as those of one strand.
//
//               b[i] = a[i] + 1       read a + 8i, write b + 8i: step = size, no two iterations meet
//               b[i] = b[i - 1] + 1   read b - 8 + 8i, write b + 8i: iteration i meets i - 1
//               b[i] = a[x[i]]        a[x[i]] stays: a race iff it is b[j] with j != i
//
//             Accesses that an iteration makes only under a condition are *possible*: they stay in the loop, but
//             are described as well. If nothing else is parallel to the loop, and no two iterations meet in them,
//             they need no check at all.
// Thread rule: one thread.
// Cost:       O(1) a pair of accesses; 96 bytes for each that is kept.
// Tested by:  test/detect/moved_accesses_test.cc, test/oracle/whole_detector_test.cc
#pragma once

#include <algorithm>
#include <cstdlib>

#include "detect/access_log.h"
#include "detect/ds/mapped_array.h"
#include "report/race.h"
#include "taskrace/hooks.h"

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
  // Is there no byte between the first and the last of all iterations that is also between those of the other?
  bool LiesApartFrom(const MovedAccess& other) const {
    const uintptr_t low = LowOfAll(), other_low = other.LowOfAll();
    return low < other_low ? other_low - low >= ExtentOfAll()
                           : low - other_low >= other.ExtentOfAll();
  }
  // Are the rows of all iterations apart from each other?
  bool IsApart() const {
    const size_t across = static_cast<size_t>(std::abs(step));
    const size_t down = static_cast<size_t>(std::abs(distance));
    return across >= Extent() ||
           (across >= size && (rows == 1 || down >= across * (count - 1) + size));
  }
  // Calls visit(i, row) for iterations k + i, but not i = except, and rows of theirs that touch bytes of
  // [low, end). Where all iterations touch the same bytes, one of them stands for the others.
  template <class Visit>
  void ForEachAt(uintptr_t low, uintptr_t end, uint64_t except, Visit visit) const;
  // Does every iteration read the same bytes, and are there others?
  bool IsSharedRead() const { return step == 0 && kind == AccessKind::kRead && count > 1; }
  // Do they touch the same bytes in each iteration?
  bool IsSamePlace(const MovedAccess& other) const {
    return first == other.first && size == other.size && rows == other.rows &&
           (rows == 1 || distance == other.distance) && step == other.step;
  }
};

// The numbers n from 0 to count - 1 with low <= n * step <= high: [from, to).
struct StepRange {
  int64_t from;
  int64_t to;
  int64_t Size() const { return to > from ? to - from : 0; }
};
inline StepRange StepsBetween(int64_t low, int64_t high, int64_t step, uint64_t count) {
  const int64_t most = static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
  if (step == 0) return {0, low <= 0 && high >= 0 ? most : 0};
  if (step < 0) {
    const int64_t other = -low;
    low = -high;
    high = other;
    step = -step;
  }
  const int64_t from = low <= 0 ? 0 : (low - 1) / step + 1;
  return {from, high < 0 ? 0 : std::min(most, high / step + 1)};
}

template <class Visit>
void MovedAccess::ForEachAt(uintptr_t low, uintptr_t end, uint64_t except, Visit visit) const {
  // Iteration i touches the bytes by its row r iff its offset, i * step + r * distance, is one of these.
  const int64_t lowest = static_cast<int64_t>(low - first) - static_cast<int64_t>(size) + 1;
  const int64_t highest = static_cast<int64_t>(end - first) - 1;
  const uint64_t different_rows = distance == 0 ? 1 : rows;
  const auto visit_row = [&](int64_t i, int64_t r) {
    visit(static_cast<uint64_t>(i), first + static_cast<uintptr_t>(i * step + r * distance));
  };
  const auto rows_of = [&](int64_t i) {
    return StepsBetween(lowest - i * step, highest - i * step, distance, different_rows);
  };
  if (step == 0) {
    const uint64_t other = except >= count ? 0 : except == 0 ? 1 : except - 1;
    if (other >= count) return;
    const StepRange r = rows_of(0);
    for (int64_t row = r.from; row < r.to; ++row) visit_row(static_cast<int64_t>(other), row);
    return;
  }
  // How far the iterations, and the rows of one, are apart from the first.
  const int64_t across = step * static_cast<int64_t>(count - 1);
  const int64_t down = distance * static_cast<int64_t>(different_rows - 1);
  const StepRange iterations = StepsBetween(lowest - std::max<int64_t>(down, 0),
                                            highest - std::min<int64_t>(down, 0), step, count);
  const StepRange candidates =
      StepsBetween(lowest - std::max<int64_t>(across, 0), highest - std::min<int64_t>(across, 0),
                   distance, different_rows);
  if (iterations.Size() <= candidates.Size()) {
    for (int64_t i = iterations.from; i < iterations.to; ++i) {
      if (static_cast<uint64_t>(i) == except) continue;
      const StepRange r = rows_of(i);
      for (int64_t row = r.from; row < r.to; ++row) visit_row(i, row);
    }
    return;
  }
  for (int64_t row = candidates.from; row < candidates.to; ++row) {
    const StepRange found =
        StepsBetween(lowest - row * distance, highest - row * distance, step, count);
    for (int64_t i = found.from; i < found.to; ++i) {
      if (static_cast<uint64_t>(i) != except) visit_row(i, row);
    }
  }
}

// False only if no two different iterations touch the same byte, one by `a`, one by `b`, that are less than `window` apart.
// Requires: both were moved out of the same iterations.
inline bool IterationsMayMeet(const MovedAccess& a, const MovedAccess& b,
                              uint64_t window = UINT64_MAX) {
  if (a.count <= 1) return false;
  if (a.IsSamePlace(b)) return !a.IsApart();
  if (a.LiesApartFrom(b)) return false;
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
  const Wide most = static_cast<Wide>(std::min(a.count, window)) - 1;
  return std::max(from, -most) <= std::min(to, Wide{-1}) ||
         std::max(from, Wide{1}) <= std::min(to, most);
}

class MovedAccesses {
 public:
  // Moved out of the iterations that run next.
  void Add(const MovedAccess& access) {
    next_.Append(access);
    Box box;
    box.Include(access);
    boxes_.Append(box);
    if (IsWrite(access.kind)) written_.Include(access);
  }
  // Possible in the iterations that run next, where it is checked.
  void AddPossible(const MovedAccess& access) {
    possible_.Append(access);
    if (IsWrite(access.kind)) possibly_written_.Include(access);
    // The condition may keep the program from addresses that are none.
    is_out_of_range_ |= static_cast<size_t>(std::abs(access.step)) > kAddressSpace / access.count ||
                        access.Extent() > kAddressSpace || access.LowOfAll() > kAddressSpace;
  }
  bool Empty() const { return next_.Empty(); }
  size_t Size() const { return next_.Size(); }
  const MovedAccess& operator[](size_t i) const { return next_[i]; }
  void Clear() {
    next_.Truncate(0);
    possible_.Truncate(0);
    boxes_.Truncate(0);
    written_ = possibly_written_ = {};
    is_out_of_range_ = false;
  }

  // Can an access that stays in the loop meet a moved one that it conflicts with?
  [[gnu::always_inline]] bool MayMeet(AccessKind kind, uintptr_t first, size_t size) const {
    if (IsWrite(kind)) return IsInABox(first, size);
    return written_.Touches(first, size) && IsInABox(first, size);
  }

  // Where accesses that stay must be checked, if nothing else is parallel to the loop. Reads of unknown address:
  // where another iteration may write. Possible accesses: nowhere, if no two iterations can meet in them.
  // `staying`: as in hooks.h.
  struct Box {
    uintptr_t low = UINTPTR_MAX;
    uintptr_t end = 0;  // 0: no byte

    bool Touches(uintptr_t first, size_t size) const { return first < end && first + size > low; }
    void Include(const MovedAccess& access) {
      low = std::min(low, access.LowOfAll());
      end = std::max(end, access.LowOfAll() + access.ExtentOfAll());
    }
  };
  static constexpr Box kEverywhere = {0, UINTPTR_MAX};
  Box ZoneOfReads(unsigned staying) const {
    if ((staying & TASKRACE_WRITES_STAY) != 0 || is_out_of_range_) return kEverywhere;
    return {std::min(written_.low, possibly_written_.low),
            std::max(written_.end, possibly_written_.end)};
  }
  Box ZoneOfPossible(unsigned staying) const {
    if ((staying & TASKRACE_WRITES_STAY) != 0 || is_out_of_range_) return kEverywhere;
    if ((staying & TASKRACE_READS_STAY) != 0 && possibly_written_.end != 0) return kEverywhere;
    for (size_t i = 0; i < possible_.Size(); ++i) {
      for (size_t j = 0; j < next_.Size(); ++j) {
        if (MayConflict(possible_[i], next_[j])) return kEverywhere;
      }
      for (size_t j = 0; j <= i; ++j) {
        if (MayConflict(possible_[i], possible_[j])) return kEverywhere;
      }
    }
    return {};
  }

  // Can two iterations conflict?
  bool MayConflict() const {
    for (size_t i = 0; i < next_.Size(); ++i) {
      for (size_t j = 0; j <= i; ++j) {
        if (MayConflict(next_[i], next_[j])) return true;
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
    for (size_t i = 0; i < next_.Size(); ++i) kept_.Append({next_[i], k, strand});
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
  size_t BytesUsed() const {
    return next_.BytesUsed() + boxes_.BytesUsed() + possible_.BytesUsed() + kept_.BytesUsed();
  }

 private:
  static constexpr size_t kAddressSpace = size_t{1} << 48;

  // They are few, and far apart: an array, the closure on the stack.
  [[gnu::always_inline]] bool IsInABox(uintptr_t first, size_t size) const {
    for (size_t i = 0; i < boxes_.Size(); ++i) {
      if (boxes_[i].Touches(first, size)) return true;
    }
    return false;
  }
  static bool MayConflict(const MovedAccess& a, const MovedAccess& b) {
    if (!Conflict(a.kind, b.kind) || a.LiesApartFrom(b)) return false;
    return a.k != b.k || a.count != b.count || IterationsMayMeet(a, b);
  }

  struct Kept {
    MovedAccess access;
    uint64_t k;
    StrandId strand;  // of iteration k, the first one of those that ran one after the other
  };

  MappedArray<MovedAccess> next_{"the accesses of a loop"};
  MappedArray<Box> boxes_{"the accesses of a loop"};  // of each of next_
  MappedArray<MovedAccess> possible_{"the accesses of a loop"};
  MappedArray<Kept> kept_{"the accesses of loops"};  // by strand
  Box written_;                                      // by all of next_
  Box possibly_written_;
  bool is_out_of_range_ = false;  // a possible access
};

}  // namespace taskrace
