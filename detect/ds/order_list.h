// OrderList: a list that answers "does a stand before b?" by comparing two numbers.
// Source:     order maintenance, Dietz and Sleator, STOC 1987, section 2.
// Invariant:  labels, counted from that of the base, grow strictly along the
//             list; the base is first.
// Thread rule: one thread at a time; Precedes may be asked by many while nobody inserts.
// Cost:       12 bytes an element that is not forgotten. Precedes: two loads. Insertion: O(log n) amortised in the
//             middle of gaps, as in the paper; Room and GiveRoomBack place elements elsewhere,
//             which is measured, not proved.
// Tested by:  test/detect/order_list_test.cc
#pragma once

#include <cstdint>

#include "detect/ds/sparse_array.h"

namespace taskrace {

class OrderList {
 public:
  // Elements are 1, 2, ... in order of insertion; the base stands before all of them.
  using Element = uint32_t;
  static constexpr Element kBase = 0;

  // What the caller knows of later insertions beside the new element. A hint, for speed only.
  enum class Room { kBothSides, kOnlyAfter };

  constexpr OrderList() = default;

  // A new element directly behind `left`.
  Element InsertAfter(Element left, Room room = Room::kBothSides) {
    if (next_.Empty()) [[unlikely]]
      AddBase();
    if (GapBehind(left) < 2) [[unlikely]]
      MakeRoomBehind(left);
    uint64_t step = room == Room::kOnlyAfter ? 1 : GapBehind(left) / 2;
    Element element = static_cast<Element>(next_.Size());
    labels_.Append(labels_[left] + step);
    next_.Append(next_[left]);
    next_[left] = element;
    return element;
  }

  // Says that nothing will be inserted behind the element: the gap before it takes
  // the room. For speed.
  void GiveRoomBack(Element element) { labels_[element] = labels_[next_[element]] - 1; }

  // Drops the elements that were inserted after this one. Requires: they stand directly behind it.
  void Drop(Element newest) {
    size_t left = next_.Size();
    for (; next_[newest] > newest; --left) next_[newest] = next_[next_[newest]];
    DCHECK(left == newest + 1, "a newer element stands elsewhere");
    labels_.Truncate(newest + 1);
    next_.Truncate(newest + 1);
  }

  // The element is needed after ForgetOthers.
  void Keep(Element element) { labels_.Keep(element); }
  // Takes all others but the base out of the list. Requires: there is an element.
  void ForgetOthers() {
    Keep(kBase);
    for (Element e = kBase;;) {
      Element next = next_[e];
      for (; next != kBase && !labels_.IsKept(next); next = next_[next]) ++forgotten_;
      next_.Keep(e);
      next_[e] = next;
      if (next == kBase) break;
      e = next;
    }
    next_.ForgetOthers();
    labels_.ForgetOthers();
  }

  // Does a stand before b? An element does not stand before itself.
  bool Precedes(Element a, Element b) const {
    return labels_[a] - labels_[kBase] < labels_[b] - labels_[kBase];
  }

  size_t BytesUsed() const { return next_.BytesUsed() + labels_.BytesUsed(); }

  void CheckInvariant() const {
    if (next_.Empty()) return;
    size_t seen = 1;
    for (Element e = kBase; next_[e] != kBase; e = next_[e], ++seen) {
      CHECK(Precedes(e, next_[e]), "labels do not grow along the list");
    }
    CHECK(seen + forgotten_ == next_.Size(), "the list has lost an element");
  }

 private:
  void AddBase() {
    labels_.Append(0);
    next_.Append(kBase);
  }

  // How far the label of b lies behind that of a, around the circle of 2^64 labels.
  uint64_t Distance(Element a, Element b) const {
    return a == b ? ~uint64_t{0} : labels_[b] - labels_[a];
  }
  uint64_t GapBehind(Element element) const { return Distance(element, next_[element]); }

  // Dietz and Sleator: finds the first j such that the j-th successor lies more than j^2 behind,
  // and spreads those before it evenly.
  [[gnu::noinline]] void MakeRoomBehind(Element element) {
    uint64_t count = 1;
    Element end = next_[element];
    while (Distance(element, end) / count <= count) {
      CheckLimit(end != element, "it has too many tasks");
      end = next_[end];
      ++count;
    }
    uint64_t step = Distance(element, end) / count;
    uint64_t label = labels_[element];
    for (Element e = next_[element]; e != end; e = next_[e]) labels_[e] = label += step;
  }

  SparseArray<uint64_t> labels_{"the order of strands"};  // apart: all that a query reads
  SparseArray<Element> next_{"the order of strands"};     // kBase behind the last
  size_t forgotten_ = 0;
};

}  // namespace taskrace
