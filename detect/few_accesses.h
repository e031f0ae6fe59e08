// FewAccesses: the accesses of a strand with few of them, until they are passed to the history.
//
// Idea:       a list is cheaper than bitmaps (coalescer.h) as long as it is short. The history
//             gets the same as from the bitmaps: writes first, so that written bytes do not count as
//             read, and neighbours merged. Rows that lie between each other's rows, as those of a
//             loop that was unrolled over the rows of a matrix, are neighbours too.
// Thread rule: one thread.
// Cost:       a comparison per access; passing them on sorts them.
// Tested by:  test/detect/few_accesses_test.cc
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "detect/access_log.h"

namespace taskrace {

template <size_t kMost>
class FewAccesses {
 public:
  using Touch = AccessLog::Touch;

  bool Empty() const { return size_ == 0; }
  void Clear() { size_ = 0; }

  // Requires: there were fewer than kMost since it was empty.
  [[gnu::always_inline]] void Add(AccessKind kind, const Touch& touch) {
    const Access added{kind, touch};
    if (size_ == 0 || !accesses_[size_ - 1].Absorbs(added)) accesses_[size_++] = added;
  }
  bool Touches(uintptr_t first, size_t size) const {
    for (size_t i = 0; i < size_; ++i) {
      if (accesses_[i].Overlaps(first, size)) return true;
    }
    return false;
  }

  // Can these bytes be forgotten, so that of each access one piece is left at most?
  bool CanForget(uintptr_t first, size_t size) const {
    return std::all_of(accesses_, accesses_ + size_, [&](const Access& access) {
      return access.Without(first, size).has_value();
    });
  }
  // Requires: CanForget.
  void Forget(uintptr_t first, size_t size) {
    size_t kept = 0;
    for (size_t i = 0; i < size_; ++i) {
      const Access left = *accesses_[i].Without(first, size);
      if (left.touch.size != 0) accesses_[kept++] = left;
    }
    size_ = kept;
  }

  // Calls visit(kind, touch) for all, as they came.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < size_; ++i) visit(accesses_[i].kind, accesses_[i].touch);
  }
  // Calls tell(kind, first, size) for all, writes first, in the order of addresses, and begins anew.
  template <class Tell>
  void Flush(Tell tell) {
    // Few, and mostly in order.
    uint8_t order[kSlots];
    for (size_t i = 0; i < size_; ++i) {
      size_t at = i;
      for (; at > 0 && accesses_[i].IsBefore(accesses_[order[at - 1]]); --at) {
        order[at] = order[at - 1];
      }
      order[at] = static_cast<uint8_t>(i);
    }
    for (size_t i = 0; i < size_;) {
      Access& told = accesses_[order[i]];
      while (++i < size_ && told.Absorbs(accesses_[order[i]])) continue;
      told.touch.ForEachRow([&](uintptr_t row) { tell(told.kind, row, told.touch.size); });
    }
    size_ = 0;
  }

 private:
  static constexpr size_t kSlots = kMost == 0 ? 1 : kMost;
  struct Access {
    AccessKind kind;
    Touch touch;

    uintptr_t Last() const {
      return touch.first + (touch.count - 1) * static_cast<uintptr_t>(touch.stride);
    }
    uintptr_t Low() const { return std::min(touch.first, Last()); }
    uintptr_t High() const { return std::max(touch.first, Last()) + touch.size; }
    bool Overlaps(uintptr_t first, size_t size) const {
      return Low() < first + size && first < High();
    }
    // What is left without some bytes, if that is one piece; its size may be 0.
    std::optional<Access> Without(uintptr_t first, size_t size) const {
      if (!Overlaps(first, size)) return *this;
      const uintptr_t low = Low(), high = High(), end = first + size;
      if (low >= first && high <= end) return Access{kind, {low, 0}};
      if (touch.count != 1 || (low < first && high > end)) return std::nullopt;
      return low < first ? Access{kind, {low, first - low}} : Access{kind, {end, high - end}};
    }
    bool IsBefore(const Access& other) const {
      if (kind != other.kind) return IsWrite(kind);
      return touch.first < other.touch.first;
    }
    // Does the other one begin within this one, or directly behind it? Of rows: each of them. Then it is
    // in here afterwards.
    [[gnu::always_inline]] bool Absorbs(const Access& other) {
      const size_t distance = other.touch.first - touch.first;
      if (kind != other.kind || distance > touch.size) return false;
      const size_t size = std::max(touch.size, distance + other.touch.size);
      if (touch.count == 1 && other.touch.count == 1) {
        touch.size = size;
        return true;
      }
      return AbsorbsRows(other, size);
    }
    bool AbsorbsRows(const Access& other, size_t size) {
      if (touch.count != other.touch.count || touch.stride != other.touch.stride) return false;
      touch.size = size;
      // Nothing is left between the rows.
      if (touch.stride == static_cast<ptrdiff_t>(size)) touch = {touch.first, size * touch.count};
      return true;
    }
  };

  Access accesses_[kSlots] = {};
  size_t size_ = 0;
};

}  // namespace taskrace
