// FewAccesses: the accesses of a strand that has only few, until they are told to the history.
//
// Idea:       a list is cheaper than bitmaps (coalescer.h) as long as it is short. What is told of it
//             is what the bitmaps would say: writes first, so that nothing that is written counts as
//             read, and neighbours together. Rows that lie between each other's rows, as those of a
//             loop that was unrolled over the rows of a matrix, are neighbours too.
// Thread rule: one thread.
// Cost:       a comparison per access; telling sorts.
// Tested by:  test/detect/few_accesses_test.cc
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "detect/access_log.h"

namespace taskrace {

template <size_t kMost>
class FewAccesses {
 public:
  using Touch = AccessLog::Touch;

  bool Empty() const { return size_ == 0; }
  bool IsFull() const { return size_ == kMost; }
  void Clear() { size_ = 0; }

  // Requires: not IsFull().
  [[gnu::always_inline]] void Add(AccessKind kind, const Touch& touch) {
    const Access added{kind, touch};
    if (size_ == 0 || !accesses_[size_ - 1].Absorbs(added)) accesses_[size_++] = added;
  }
  bool Touches(uintptr_t first, size_t size) const {
    return std::any_of(accesses_, accesses_ + size_, [&](const Access& access) {
      return access.Low() < first + size && first < access.High();
    });
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
    for (size_t i = 1; i < size_; ++i) {
      const Access moved = accesses_[i];
      size_t at = i;
      for (; at > 0 && moved.IsBefore(accesses_[at - 1]); --at) accesses_[at] = accesses_[at - 1];
      accesses_[at] = moved;
    }
    for (size_t i = 0; i < size_;) {
      Access& told = accesses_[i];
      while (++i < size_ && told.Absorbs(accesses_[i])) continue;
      for (size_t row = 0; row < told.touch.count; ++row) {
        tell(told.kind, told.touch.first + row * static_cast<uintptr_t>(told.touch.stride),
             told.touch.size);
      }
    }
    size_ = 0;
  }

 private:
  struct Access {
    AccessKind kind;
    Touch touch;

    uintptr_t Last() const {
      return touch.first + (touch.count - 1) * static_cast<uintptr_t>(touch.stride);
    }
    uintptr_t Low() const { return std::min(touch.first, Last()); }
    uintptr_t High() const { return std::max(touch.first, Last()) + touch.size; }
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

  Access accesses_[kMost] = {};
  size_t size_ = 0;
};

}  // namespace taskrace
