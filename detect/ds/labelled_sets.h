// LabelledSets: union-find over 0, 1, 2, ... whose sets carry a label of any plain type.
// Source:     Tarjan and van Leeuwen, JACM 1984: path halving, link by rank.
// Invariant:  ranks grow strictly along parents; a root has the record of its set, nobody else
//             has it.
// Thread rule: one thread at a time, Find included (it shortens paths).
// Cost:       4 bytes an element that is not forgotten; a label and 4 bytes for each set that exists. O(alpha) amortised
//             per operation. For one byte of label, DisjointSets is faster.
// Tested by:  test/detect/labelled_sets_test.cc
#pragma once

#include <cstdint>
#include <utility>

#include "detect/ds/sparse_array.h"

namespace taskrace {

template <class Label>
class LabelledSets {
 public:
  using Element = uint32_t;

  // `what` names the sets if memory runs out.
  explicit constexpr LabelledSets(const char* what = "sets") : links_(what), records_(what) {}

  // A new set {element}, where element is the number of elements so far.
  Element Make(const Label& label) {
    const Element element = static_cast<Element>(links_.Size());
    CheckLimit(element < kRoot, "it has too many tasks");
    uint32_t record = free_;
    if (record == kNone) {
      record = static_cast<uint32_t>(records_.Size());
      records_.Append({});
    } else {
      free_ = records_[record].rank_or_next;
    }
    records_[record] = {.label = label, .rank_or_next = 0};
    links_.Append(kRoot | record);
    return element;
  }

  // The set of the element, named by its root.
  Element Find(Element element) {
    uint32_t* links = links_.Data();
    DCHECK(element < links_.Size(), "no such element");
    while ((links[element] & kRoot) == 0) {
      const Element parent = links[element];
      if ((links[parent] & kRoot) != 0) return parent;
      element = links[element] = links[parent];
    }
    return element;
  }

  // The label of the element's set.
  Label& LabelOf(Element element) { return RecordOf(Find(element)).label; }

  // The two sets become one, with the label of `into`.
  void Union(Element into, Element other) {
    Element a = Find(into);
    Element b = Find(other);
    if (a == b) return;
    if (RecordOf(a).rank_or_next < RecordOf(b).rank_or_next) {
      std::swap(RecordOf(a).label, RecordOf(b).label);
      std::swap(a, b);
    }
    if (RecordOf(a).rank_or_next == RecordOf(b).rank_or_next) ++RecordOf(a).rank_or_next;
    const uint32_t record = links_[b] & ~kRoot;
    records_[record].rank_or_next = std::exchange(free_, record);
    links_[b] = a;
  }

  // The element is needed after ForgetOthers. Its set is, too.
  void Keep(Element element) {
    if (!links_.Keep(element)) return;
    const Element root = Find(element);
    if (root != element) links_[element] = root;
    links_.Keep(root);
  }
  // Requires: of each set with a label that is needed, an element is kept.
  void ForgetOthers() { links_.ForgetOthers(); }

  size_t Size() const { return links_.Size(); }
  size_t BytesUsed() const { return links_.BytesUsed() + records_.BytesUsed(); }

 private:
  static constexpr uint32_t kRoot = uint32_t{1} << 31;
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Record {
    Label label;
    uint32_t rank_or_next;  // a free record's: the next free one
  };

  Record& RecordOf(Element root) { return records_[links_[root] & ~kRoot]; }

  SparseArray<uint32_t> links_;  // the parent, or of a root kRoot and its record
  MappedArray<Record> records_;
  uint32_t free_ = kNone;
};

}  // namespace taskrace
