// Dpst: the dynamic program structure tree, which says whether fork and join order two steps.
// Paper:      Raman, Zhao, Sarkar, Vechev, Yahav (SPD3), PLDI 2012, sections 3 and 4.
// Invariant:  an inner node is an async (a task), a finish (a finish or a scope) or a loop; a leaf is a
//             step, that is a strand. The children of a node are made by one task and ordered as it
//             made them, so the tree does not depend on the order of execution. The children of
//             a loop are iterations, all of them parallel, by their numbers: a step as long as the
//             iteration has met no construct, and an async of the same number from then on.
// Query:      the two children of the lowest common ancestor (LCA) that lie above two steps: the
//             steps are ordered from left to right iff the left child is no async.
// Cost:       O(1) per node, O(log height) per query; 16 bytes a node, steps are not stored.
// Deviation:  a node's number among its siblings is its first strand: whatever numbers strands in
//             each task's order will do. A step is known by the node above it and its own number.
//             Jump pointers (Myers, IPL 1983) instead of a walk: recursion may be 100 000 deep.
// Thread rule: nodes never change. To the tree of DpstIn<SharedTable> any thread adds; one thread at
//             a time to that of Dpst.
// Tested by:  test/detect/dpst_test.cc
#pragma once

#include <utility>

#include "detect/ds/sparse_array.h"
#include "detect/reach/ids.h"

namespace taskrace {

enum class DpstNode : uint32_t {};

// An inner node.
struct DpstInner {
  DpstNode parent;
  DpstNode jump;            // an ancestor; O(log height) of them and of parents lead anywhere
  uint32_t depth_and_kind;  // kind in the last two bits
  StrandId first;
};
static_assert(sizeof(DpstInner) == 16);

// The tree whose nodes are in a table: its questions, and what a new node says.
template <class Nodes>
class DpstIn {
 public:
  using Node = DpstNode;
  // Above a step, between it and the LCA: the step is itself a child of the LCA.
  static constexpr Node kNoNode{0xFFFFFFFF};
  static constexpr Node kRoot{0};
  enum class Kind : uint8_t { kAsync, kFinish, kLoop };

  struct Step {
    Node node;  // its parent
    StrandId strand;
  };
  // The children of the LCA above two steps; kNoNode: the step itself.
  struct Branches {
    Node a;
    Node b;
  };

  constexpr DpstIn() = default;

  Node Parent(Node node) const { return At(node).parent; }
  StrandId First(Node node) const { return At(node).first; }
  uint32_t Depth(Node node) const { return At(node).depth_and_kind >> kKindBits; }
  Kind KindOf(Node node) const {
    return static_cast<Kind>(At(node).depth_and_kind & ((1u << kKindBits) - 1));
  }
  // The first strand of a loop's iteration.
  bool IsIteration(Step step) const { return KindOf(step.node) == Kind::kLoop; }

  // Requires: two different steps.
  Branches BelowLca(Step a, Step b) const {
    Node x = a.node;
    Node y = b.node;
    if (Depth(x) > Depth(y)) {
      x = Ancestor(x, Depth(y) + 1);
      if (Parent(x) == y) return {x, kNoNode};
      x = Parent(x);
    } else if (Depth(x) < Depth(y)) {
      y = Ancestor(y, Depth(x) + 1);
      if (Parent(y) == x) return {kNoNode, y};
      y = Parent(y);
    }
    if (x == y) return {kNoNode, kNoNode};
    // Nodes of one depth have jumps of one depth.
    while (Parent(x) != Parent(y)) {
      const bool jumps = At(x).jump != At(y).jump;
      x = jumps ? At(x).jump : Parent(x);
      y = jumps ? At(y).jump : Parent(y);
    }
    return {x, y};
  }

  // Does a lie to the left of b? Requires: `below` is BelowLca(a, b).
  bool IsLeft(Step a, Step b, Branches below) const {
    return (below.a == kNoNode ? a.strand : At(below.a).first) <
           (below.b == kNoNode ? b.strand : At(below.b).first);
  }

  // How deep their LCA is; of one step, deeper than any other's. An iteration's first step is as deep as the
  // steps of the task that it may become.
  uint32_t LcaDepth(Step a, Step b) const {
    if (a.node == b.node) {
      if (a.strand != b.strand) return Depth(a.node);
      return Depth(a.node) + (IsIteration(a) ? 2 : 1);
    }
    const Branches below = BelowLca(a, b);
    if (IsFirstOf(a, below.a, below.b)) return Depth(below.b);
    if (IsFirstOf(b, below.b, below.a)) return Depth(below.a);
    return below.a != kNoNode ? Depth(below.a) - 1 : Depth(a.node);
  }

  size_t BytesUsed() const { return nodes_.BytesUsed(); }

 protected:
  // The root is its own parent.
  static DpstInner Root(Node self, Kind kind, StrandId first) {
    return {.parent = self, .jump = self, .depth_and_kind = Pack(0, kind), .first = first};
  }
  // A new last child of `parent`, whose first strand will be `first`.
  DpstInner Below(Node parent, Kind kind, StrandId first) const {
    const uint32_t depth = Depth(parent) + 1;
    CheckLimit(depth < kDeepest, "tasks are nested too deeply");
    const Node jump = At(parent).jump;
    const Node far = At(jump).jump;
    const bool doubles = Depth(parent) - Depth(jump) == Depth(jump) - Depth(far);
    return {.parent = parent,
            .jump = doubles ? far : parent,
            .depth_and_kind = Pack(depth, kind),
            .first = first};
  }
  const DpstInner& At(Node node) const { return nodes_[static_cast<uint32_t>(node)]; }
  // Is the step, which is itself the child of the LCA (`below` is kNoNode), the first one of the iteration
  // that is the task `other`?
  bool IsFirstOf(Step step, Node below, Node other) const {
    return below == kNoNode && other != kNoNode && IsIteration(step) &&
           At(other).first == step.strand;
  }

  Nodes nodes_{"the program structure tree"};

 private:
  static constexpr unsigned kKindBits = 2;
  static constexpr uint32_t kDeepest = uint32_t{1} << (32 - kKindBits);

  static constexpr uint32_t Pack(uint32_t depth, Kind kind) {
    return depth << kKindBits | static_cast<uint32_t>(kind);
  }

  // Requires: depth <= Depth(node).
  Node Ancestor(Node node, uint32_t depth) const {
    while (Depth(node) > depth) {
      node = Depth(At(node).jump) >= depth ? At(node).jump : Parent(node);
    }
    return node;
  }
};

class Dpst : public DpstIn<SparseArray<DpstInner>> {
 public:
  // A new last child of `parent`, whose first strand will be `first`. The first call makes the
  // root.
  Node Add(Node parent, Kind kind, StrandId first) {
    const Node node{static_cast<uint32_t>(nodes_.Size())};
    nodes_.Append(node == kRoot ? Root(kRoot, kind, first) : Below(parent, kind, first));
    return node;
  }
  // The node is needed after ForgetOthers, with all above it.
  void Keep(Node node) {
    while (nodes_.Keep(static_cast<uint32_t>(node)) && node != kRoot) node = Parent(node);
  }
  void ForgetOthers() { nodes_.ForgetOthers(); }
  // Forgets the nodes that were added after this one.
  void Drop(Node newest) { nodes_.Truncate(static_cast<uint32_t>(newest) + 1); }
};

}  // namespace taskrace
