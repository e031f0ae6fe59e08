// ReaderLists: the plain readers of a cell, where one is not enough. A list is a number; cells that
// were read by the same strands in the same order have the same one, so that a range of them is
// still handled as one.
//
// Idea:       lists share their tails: a new reader is a node in front of the list so far, and a
//             bounded table remembers which node it was. Lists are never changed.
// Dropped:    a reader that precedes the new one (whatever races with it later races with the new
//             one), and all but the oldest of readers that are equivalent from now on (ReaderClass).
//             The first in the list are looked at each time: tasks that end one inside the other
//             become equivalent as neighbours. All of them are when eight times as many have been
//             added as were left the last time.
// Invariant:  a list has two readers at least: one alone lies in the cell.
// Thread rule: one thread.
// Cost:       12 bytes a node; O(1) per reader, amortised, and per cell with a list that is known.
//             Nodes that no cell refers to any more are found by marking, when there are twice as
//             many nodes as after the last time.
// Tested by:  test/detect/reader_lists_test.cc, test/oracle/agreement_test.cc
#pragma once

#include <algorithm>
#include <bit>
#include <iterator>

#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"
#include "detect/reach/ids.h"

namespace taskrace {

class ReaderLists {
 public:
  using List = uint32_t;
  static constexpr List kNone = 0;

  // The readers of a cell in one word: none, one, or a list, which is no strand's number.
  struct Readers {
    StrandId strand = kNoStrand;
    static Readers Many(List list) { return {StrandId{kFirst + list}}; }
    bool IsNone() const { return strand == kNoStrand; }
    bool IsMany() const { return strand > kLastStrand; }
    List list() const { return Index(strand) - kFirst; }
    bool operator==(const Readers&) const = default;

   private:
    static constexpr uint32_t kFirst = Index(kLastStrand) + 1;
  };

  constexpr ReaderLists() = default;

  // Calls visit(strand), the newest first, until it returns false; says if it never did.
  template <class Visit>
  bool All(const Readers& readers, Visit visit) const {
    if (readers.IsNone()) return true;
    if (!readers.IsMany()) return visit(readers.strand);
    for (List at = readers.list(); at != kNone; at = nodes_[at].next) {
      if (!visit(nodes_[at].strand)) return false;
    }
    return true;
  }

  // The readers after one more. now: Ordered(u) (precedes or is the strand at hand), strand,
  // context.ReaderClass(u).
  template <class Now>
  Readers Add(const Readers& readers, Now& now) {
    if (readers.IsMany() && nodes_[readers.list()].strand == now.strand) return readers;
    const Readers added{now.strand};
    Known& known = known_[SlotOf(readers, added)];
    if (known.readers == readers && known.added == added) return known.result;
    const Readers result = Make(readers, added, now);
    known = {readers, added, result};
    return result;
  }

  // A list of readers that are already pruned, one by one, the oldest first.
  Readers Append(const Readers& readers, StrandId strand) {
    if (readers.IsNone()) return {strand};
    return Readers::Many(Cons(AsList(readers), strand, kLeastAdded));
  }

  // Calls visit(strand) for the readers of every list that is in use or not collected yet.
  template <class Visit>
  void ForEachStrand(Visit visit) const {
    for (List at = 1; at < nodes_.Size(); ++at) {
      if (nodes_[at].strand != kNoStrand) visit(nodes_[at].strand);
    }
  }

  // So many nodes are in vain that looking for them pays.
  bool WantsCollection() const { return used_ > limit_; }
  // Frees what is not reached. Requires: mark_roots(mark) calls mark(list) for every list in use.
  template <class MarkRoots>
  void Collect(MarkRoots mark_roots) {
    std::fill(std::begin(known_), std::end(known_), Known{});
    mark_roots([this](List list) {
      for (List at = list; at != kNone && !nodes_[at].marked; at = nodes_[at].next) {
        nodes_[at].marked = true;
      }
    });
    for (List at = 1; at < nodes_.Size(); ++at) {
      Node& node = nodes_[at];
      if (node.strand == kNoStrand) continue;
      if (!node.marked) Free(at);
      node.marked = false;
    }
    limit_ = std::max(kLeastNodes, 2 * used_);
  }

  size_t Used() const { return used_; }
  // Nodes ever made: how much reading in parallel costs.
  uint64_t Made() const { return made_; }
  size_t BytesUsed() const { return used_ * sizeof(Node); }

 private:
  struct Node {
    StrandId strand;  // none: the node is free
    List next;
    uint32_t left : 31;  // so many readers more, and all are looked at again
    uint32_t marked : 1;
  };
  static_assert(sizeof(Node) == 12);
  struct Known {
    Readers readers;
    Readers added;
    Readers result;
  };
  static constexpr size_t kKnown = 256;
  static constexpr uint32_t kLeastAdded = 4;
  static constexpr size_t kLeastNodes = size_t{1} << 18;
  static constexpr List kMostNodes = UINT32_MAX - 1 - Index(kLastStrand);

  static size_t SlotOf(const Readers& readers, const Readers& added) {
    uint32_t mixed = Index(readers.strand) * 0x9E3779B1u;
    mixed = (mixed ^ Index(added.strand)) * 0xC2B2AE3Du;
    return (mixed ^ mixed >> 15) % kKnown;
  }

  template <class Now>
  [[gnu::noinline]] Readers Make(const Readers& readers, const Readers& added, Now& now) {
    List rest = AsList(readers);
    if (rest == kNone) return added;
    const List newest = rest;
    uint32_t left = nodes_[rest].left;
    while (rest != kNone && now.Ordered(nodes_[rest].strand)) rest = nodes_[rest].next;
    if (rest == kNone) return added;
    // Those under a reader that precedes were looked at when it came.
    if (rest == newest) {
      for (; nodes_[rest].next != kNone && AreEquivalent(rest, nodes_[rest].next, now); ++left) {
        rest = nodes_[rest].next;
      }
    }
    if (left == 0) {
      rest = Prune(rest, now);
      left = nodes_[rest].left;
    }
    return Readers::Many(Cons(rest, added.strand, left - 1));
  }

  template <class Now>
  bool AreEquivalent(List a, List b, Now& now) const {
    return now.context.ReaderClass(nodes_[a].strand) == now.context.ReaderClass(nodes_[b].strand);
  }

  // The list without the readers that precede, and with one of each class, the oldest.
  template <class Now>
  List Prune(List list, Now& now) {
    order_.Truncate(0);
    for (List at = list; at != kNone; at = nodes_[at].next) order_.Append(at);
    classes_.Truncate(0);
    classes_.Resize(std::bit_ceil(2 * order_.Size()));
    uint32_t kept = 0;
    for (size_t i = order_.Size(); i-- > 0;) {
      const StrandId reader = nodes_[order_[i]].strand;
      if (IsFirstOfClass(now.context.ReaderClass(reader)) && !now.Ordered(reader)) {
        order_[order_.Size() - 1 - kept++] = order_[i];
      }
    }
    DCHECK(kept > 0, "equivalent readers, and only some of them precede");
    const uint32_t left = std::max(kLeastAdded, 8 * kept);
    List pruned = kNone;
    for (size_t i = order_.Size(); i-- > order_.Size() - kept;) {
      pruned = Cons(pruned, nodes_[order_[i]].strand, left);
    }
    return pruned;
  }
  // Is it not in the table yet? Afterwards it is.
  bool IsFirstOfClass(uint64_t reader_class) {
    const size_t mask = classes_.Size() - 1;
    for (size_t i = Mix(reader_class) & mask;; i = (i + 1) & mask) {
      if (classes_[i] == reader_class + 1) return false;
      if (classes_[i] != 0) continue;
      classes_[i] = reader_class + 1;
      return true;
    }
  }

  List AsList(const Readers& readers) {
    if (readers.IsMany()) return readers.list();
    if (readers.IsNone()) return kNone;
    return Cons(kNone, readers.strand, kLeastAdded);
  }

  List Cons(List rest, StrandId strand, uint32_t left) {
    List made = free_;
    if (made != kNone) {
      free_ = nodes_[made].next;
    } else {
      if (nodes_.Empty()) nodes_.Append({});  // node 0 is nobody's
      made = static_cast<List>(nodes_.Size());
      nodes_.Append({});
    }
    ++used_;
    ++made_;
    CHECK(made <= kMostNodes, "there are too many lists of readers");
    nodes_[made] = {strand, rest, left, 0};
    return made;
  }

  void Free(List list) {
    nodes_[list].strand = kNoStrand;
    nodes_[list].next = free_;
    free_ = list;
    --used_;
  }

  MappedArray<Node> nodes_{"readers"};
  MappedArray<List> order_{"readers"};        // of the list that is pruned
  MappedArray<uint64_t> classes_{"readers"};  // those in it, plus one; open addressing
  List free_ = kNone;
  size_t used_ = 0;
  uint64_t made_ = 0;
  size_t limit_ = kLeastNodes;
  Known known_[kKnown] = {};
};

}  // namespace taskrace
