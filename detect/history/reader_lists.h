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
//             many nodes as after the last time. A bit a node says which are in use; nothing else
//             is done to the others.
// Tested by:  test/detect/reader_lists_test.cc, test/oracle/agreement_test.cc
#pragma once

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

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

  // The last one that was added, or none.
  StrandId Newest(const Readers& readers) const {
    return readers.IsMany() ? nodes_[readers.list()].strand : readers.strand;
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
      if (IsTaken(at) && (at < next_ || at >= end_)) visit(nodes_[at].strand);
    }
  }

  // So many nodes are in vain that looking for them pays.
  bool WantsCollection() const { return taken_ > limit_; }
  // Frees what is not reached. Requires: mark_roots(mark) calls mark(list) for every list in use.
  template <class MarkRoots>
  void Collect(MarkRoots mark_roots) {
    std::fill(std::begin(known_), std::end(known_), Known{});
    made_ = Made();
    std::fill_n(is_taken_.Data(), is_taken_.Size(), uint64_t{0});
    taken_ = next_ = end_ = 0;
    if (!is_taken_.Empty()) is_taken_[0] = 1;  // node 0 is nobody's
    mark_roots([this](List list) {
      for (List at = list; at != kNone && !IsTaken(at); at = nodes_[at].next) {
        is_taken_[at / kWord] |= BitOf(at);
        ++taken_;
      }
    });
    made_ -= taken_;
    limit_ = std::max(kLeastNodes, 2 * taken_);
  }

  size_t Used() const { return taken_ - (end_ - next_); }
  // Nodes ever made: how much reading in parallel costs.
  uint64_t Made() const { return made_ + Used(); }
  size_t BytesUsed() const { return Used() * sizeof(Node); }

 private:
  struct Node {
    StrandId strand;
    List next;
    uint32_t left;  // so many readers more, and all are looked at again
  };
  static_assert(sizeof(Node) == 12);
  struct Known {
    Readers readers;
    Readers added;
    Readers result;
  };
  static constexpr size_t kKnown = 256;
  static constexpr size_t kWord = 64;  // bits
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
    if (readers.IsNone() || (!readers.IsMany() && now.Ordered(readers.strand))) return added;
    List rest = AsList(readers);
    const List newest = rest;
    uint32_t left = nodes_[rest].left;
    while (rest != kNone && now.Ordered(nodes_[rest].strand)) rest = nodes_[rest].next;
    if (rest == kNone) return added;
    // Those under a reader that precedes were looked at when it came.
    if (rest == newest) rest = OldestEquivalent(rest, now, left);
    if (left == 0) {
      rest = Prune(rest, now);
      left = nodes_[rest].left;
    }
    return Readers::Many(Cons(rest, added.strand, left - 1));
  }

  // The list without those before the last of the first readers that are equivalent; counts them.
  template <class Now>
  List OldestEquivalent(List list, Now& now, uint32_t& dropped) const {
    List next = nodes_[list].next;
    if (next == kNone) return list;
    const uint64_t reader_class = now.context.ReaderClass(nodes_[list].strand);
    while (next != kNone && now.context.ReaderClass(nodes_[next].strand) == reader_class) {
      list = std::exchange(next, nodes_[next].next);
      ++dropped;
    }
    return list;
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

  // Requires: there are readers.
  List AsList(const Readers& readers) {
    if (readers.IsMany()) return readers.list();
    return Cons(kNone, readers.strand, kLeastAdded);
  }

  List Cons(List rest, StrandId strand, uint32_t left) {
    if (next_ == end_) [[unlikely]]
      FindRoom();
    nodes_[next_] = {strand, rest, left};
    return next_++;
  }

  static uint64_t BitOf(List list) { return uint64_t{1} << list % kWord; }
  bool IsTaken(List list) const { return (is_taken_[list / kWord] & BitOf(list)) != 0; }
  // Takes the next nodes that are free, or new ones, with a word of bits.
  [[gnu::noinline]] void FindRoom() {
    size_t word = end_ / kWord;
    while (word < is_taken_.Size() && is_taken_[word] == ~uint64_t{0}) ++word;
    if (word == is_taken_.Size()) {
      is_taken_.Append(word == 0 ? 1 : 0);  // node 0 is nobody's
      nodes_.Resize(nodes_.Size() + kWord);
      CheckLimit(nodes_.Size() <= kMostNodes, "too many bytes are read in parallel");
    }
    uint64_t& bits = is_taken_[word];
    const uint32_t begin = static_cast<uint32_t>(std::countr_one(bits));
    const uint32_t count = std::min(static_cast<uint32_t>(std::countr_zero(bits >> begin)),
                                    static_cast<uint32_t>(kWord) - begin);
    bits |= ~uint64_t{0} >> (kWord - count) << begin;
    next_ = static_cast<List>(word * kWord) + begin;
    end_ = next_ + count;
    taken_ += count;
  }

  MappedArray<Node> nodes_{"readers"};
  MappedArray<uint64_t> is_taken_{"readers"};  // a bit a node: in use, not collected yet, or below
  List next_ = 0;                              // the nodes that are made next: [next_, end_)
  List end_ = 0;
  size_t taken_ = 0;   // how many, but for node 0
  uint64_t made_ = 0;  // those made so far that were collected
  size_t limit_ = kLeastNodes;
  MappedArray<List> order_{"readers"};        // of the list that is pruned
  MappedArray<uint64_t> classes_{"readers"};  // those in it, plus one; open addressing
  Known known_[kKnown] = {};
};

}  // namespace taskrace
