// KnownRanges: the ranges that the running strand has touched wholly, of late. Loops are often
// entered again with the same ranges: a table that is searched for every query, a matrix for every
// vector.
//
// Idea:       a small table by a hash of the range, and one box around all that it has, so that
//             forgetting other memory costs nothing.
// Invariant:  every range of the table is in the box.
// Thread rule: one thread. Cost: O(1) a question or range; forgetting memory inside the box empties the
//             table.
// Tested by:  test/detect/known_ranges_test.cc
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "report/race.h"

namespace taskrace {

class KnownRanges {
 public:
  // `rows` times `size` bytes, each `distance` after the one before.
  struct Range {
    AccessKind kind;
    uintptr_t first;
    size_t size;
    size_t rows;
    ptrdiff_t distance;

    bool operator==(const Range&) const = default;
  };

  bool Has(const Range& range) const { return ranges_[SlotOf(range)] == range; }

  void Add(const Range& range) {
    ranges_[SlotOf(range)] = range;
    const uintptr_t span = (range.rows - 1) * static_cast<uintptr_t>(range.distance);
    first_ = std::min({first_, range.first, range.first + span});
    last_ = std::max({last_, range.first + range.size - 1, range.first + span + range.size - 1});
  }

  // The bytes first to last are not known any more.
  void Forget(uintptr_t first, uintptr_t last) {
    if (first <= last_ && last >= first_) ForgetAll();
  }
  void ForgetAll() {
    if (first_ > last_) return;
    std::fill(std::begin(ranges_), std::end(ranges_), Range{});
    first_ = UINTPTR_MAX;
    last_ = 0;
  }

 private:
  static constexpr size_t kRanges = 16;

  static size_t SlotOf(const Range& range) {
    return (range.first / 16 ^ range.size ^ range.size / 16 ^ range.rows) % kRanges;
  }

  Range ranges_[kRanges] = {};  // of size 0: none
  uintptr_t first_ = UINTPTR_MAX;
  uintptr_t last_ = 0;
};

}  // namespace taskrace
