// DisjointSets: union-find over 0, 1, 2, ...; every set carries a small label.
// Source:     Tarjan and van Leeuwen, JACM 1984: path halving, link by rank.
// Invariant:  ranks grow strictly along parents; a root's label is its set's.
// Thread rule: one thread at a time, Find included (it shortens paths).
// Cost:       8 bytes an element that is not forgotten; O(alpha) amortised per operation.
// Tested by:  test/detect/disjoint_sets_test.cc
#pragma once

#include <cstdint>
#include <utility>

#include "detect/ds/sparse_array.h"

namespace taskrace {

class DisjointSets {
 public:
  using Element = uint32_t;

  constexpr DisjointSets() = default;

  // A new set {element}, where element is the number of elements so far.
  Element Make(uint8_t label) {
    Element element = static_cast<Element>(nodes_.Size());
    nodes_.Append({.parent = element, .rank = 0, .label = label});
    return element;
  }

  // The set of the element, named by its root.
  Element Find(Element element) {
    Node* nodes = nodes_.Data();
    DCHECK(element < nodes_.Size(), "no such element");
    while (nodes[element].parent != element) {
      Element grandparent = nodes[nodes[element].parent].parent;
      nodes[element].parent = grandparent;
      element = grandparent;
    }
    return element;
  }

  uint8_t LabelOf(Element element) { return nodes_[Find(element)].label; }
  void Relabel(Element element, uint8_t label) { nodes_[Find(element)].label = label; }

  // The two sets become one, with the label of `into`.
  void Union(Element into, Element other) {
    Element a = Find(into);
    Element b = Find(other);
    if (a == b) return;
    uint8_t label = nodes_[a].label;
    if (nodes_[a].rank < nodes_[b].rank) std::swap(a, b);
    if (nodes_[a].rank == nodes_[b].rank) ++nodes_[a].rank;
    nodes_[b].parent = a;
    nodes_[a].label = label;
  }

  // The element is needed after ForgetOthers. Its set is, too.
  void Keep(Element element) {
    if (!nodes_.Keep(element)) return;
    const Element root = Find(element);
    nodes_[element].parent = root;
    nodes_.Keep(root);
  }
  void ForgetOthers() { nodes_.ForgetOthers(); }

  // No elements.
  void Clear() { nodes_.Truncate(0); }
  size_t Size() const { return nodes_.Size(); }
  size_t BytesUsed() const { return nodes_.BytesUsed(); }

  void CheckInvariant() const {
    for (size_t i = 0; i < nodes_.Size(); ++i) {
      Element parent = nodes_[i].parent;
      CHECK(parent == i || nodes_[parent].rank > nodes_[i].rank, "ranks do not grow to the root");
    }
  }

 private:
  struct Node {
    Element parent;  // itself: a root
    uint8_t rank;    // only a root's matters
    uint8_t label;
  };
  static_assert(sizeof(Node) == 8);

  SparseArray<Node> nodes_{"the sets of tasks"};
};

}  // namespace taskrace
