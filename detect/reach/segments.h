// Segments: which task a strand is of, and which part of the task, where the newest parts can be
// dropped.
//
// Idea:       a strand keeps the number of its segment; segments are numbered as they begin. When
//             the newest are dropped, their strands belong to the newest one that is left. Nobody
//             tells the strands: a number that is too large, or of a segment that began after the
//             strand, is out of date, and is looked up when somebody asks.
// Invariant:  the first strands of segments do not decrease with their numbers.
// Thread rule: one thread.
// Cost:       O(1) per event; Of is two loads, O(log n) the first time after a drop. 8 bytes a strand, until it is
//             forgotten.
// Tested by:  test/detect/segments_test.cc
#pragma once

#include <algorithm>
#include <span>

#include "detect/ds/sparse_array.h"
#include "detect/reach/ids.h"

namespace taskrace {

// Segment has a member `first`, the first strand that it can have.
template <class Segment>
class Segments {
 public:
  constexpr Segments() = default;

  uint32_t Begin(const Segment& segment) {
    DCHECK(segments_.Empty() || segments_.Back().first <= segment.first,
           "segments do not begin in order");
    segments_.Append(segment);
    return static_cast<uint32_t>(segments_.Size() - 1);
  }
  Segment& operator[](uint32_t index) { return segments_[index]; }
  const Segment& operator[](uint32_t index) const { return segments_[index]; }
  size_t Size() const { return segments_.Size(); }

  // The next strand. Requires: strands are numbered in order.
  void Enter(StrandId strand, uint32_t index, TaskId task) {
    if (strands_.Empty()) first_ = Index(strand);
    DCHECK(Index(strand) - first_ == strands_.Size(), "strands are not numbered in order");
    strands_.Append({index, task});
  }
  // The root, if the strand is from before ForgetStrands.
  TaskId TaskOf(StrandId strand) const {
    return Index(strand) < first_ ? kRootTask : strands_[Index(strand) - first_].task;
  }
  // The strand belongs to another segment from now on.
  void Move(StrandId strand, uint32_t index) { strands_[Index(strand) - first_].segment = index; }

  Segment& Of(StrandId strand) {
    uint32_t& index = strands_[Index(strand) - first_].segment;
    if (index >= segments_.Size() || segments_[index].first > strand) [[unlikely]]
      index = Find(strand);
    return segments_[index];
  }

  // Only the first `count` are left.
  void Drop(size_t count) { segments_.Truncate(count); }
  // Nobody asks about the strands so far any more.
  void ForgetStrands() { strands_.Truncate(0); }
  // The strand is needed after ForgetOtherStrands. It may be any number.
  void Keep(StrandId strand) {
    if (Index(strand) >= first_ && Index(strand) - first_ < strands_.Size()) {
      strands_.Keep(Index(strand) - first_);
    }
  }
  void ForgetOtherStrands() { strands_.ForgetOthers(); }

  size_t BytesUsed() const { return segments_.BytesUsed() + strands_.BytesUsed(); }

 private:
  struct Strand {
    uint32_t segment;
    TaskId task;
  };

  // The last one that began before the strand, or with it: one of the newest, as a rule.
  [[gnu::noinline]] uint32_t Find(StrandId strand) {
    size_t end = segments_.Size();
    size_t begin = end - 1;
    for (size_t step = 1; segments_[begin].first > strand; step *= 2) {
      DCHECK(begin > 0, "a strand from before the first segment");
      end = begin;
      begin -= std::min(step, begin);
    }
    const std::span<const Segment> some{segments_.Data() + begin, end - begin};
    const auto after = std::ranges::upper_bound(some, strand, {}, &Segment::first);
    return static_cast<uint32_t>(begin + static_cast<size_t>(after - some.begin()) - 1);
  }

  MappedArray<Segment> segments_{"the strands"};
  SparseArray<Strand> strands_{"the strands"};
  uint32_t first_ = 0;  // the first of them
};

}  // namespace taskrace
