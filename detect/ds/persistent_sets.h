// PersistentSets: sets of 32-bit numbers that share what they have in common.
// Idea:       a trie of 16-way nodes over leaves of 64 bits. A node knows by two masks which of its
//             subtrees are empty and which are full, and has pointers to the others only; so a run
//             of numbers costs a node a level, and a union of two nodes is mostly one of two words.
//             Nothing is changed in place. Add and Union return one of their arguments wherever the
//             result equals it. A table remembers unions of inner nodes, as packages for decision
//             diagrams do: sets that grow side by side are compared once where they have settled.
// Invariant:  no node is empty or full; a node's subtrees are one level lower; a node is
//             referred to as often as its count says.
// Reclaimed:  by counting references. Dead intermediate results go at once; nodes that the table
//             knows, when another union takes their place there.
// Thread rule: one thread at a time; Meets and Contains change nothing.
// Cost:       16 bytes a leaf, 16 to 80 a node. Contains, Add: a step a level, of which there are
//             as many as the largest number needs (4 up to 4 million). Union: a step for each
//             pair of different nodes that are not remembered.
// Measured:   docs/algorithms/donesets.md.
// Tested by:  test/detect/persistent_sets_test.cc
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"

namespace taskrace {

class PersistentSets {
 public:
  // A set. Whoever keeps one has a reference to it: those that Add, Union and Share return.
  using Set = uint32_t;
  static constexpr Set kEmpty = 0;

  constexpr PersistentSets() = default;

  bool Contains(Set set, uint32_t number) const { return Meets(set, number, number); }

  // Is there an element x with low <= x <= high?
  bool Meets(Set set, uint32_t low, uint32_t high) const {
    if (set == kEmpty || low > high) return false;
    const uint64_t last = Capacity(LevelOf(set)) - 1;
    if (low > last) return false;
    return MeetsNode(set, low, static_cast<uint32_t>(std::min<uint64_t>(high, last)));
  }

  // The set with the number. A new reference.
  [[nodiscard]] Set Add(Set set, uint32_t number) {
    unsigned level = 0;
    while (number >= Capacity(level)) ++level;
    if (set == kEmpty) return Singleton(number, level);
    level = std::max(level, LevelOf(set));
    const Set lifted = Lift(Share(set), LevelOf(set), level);
    const Set result = AddToNode(lifted, level, number);
    Release(lifted);
    return Root(result, level);
  }

  // All numbers of a and b. A new reference.
  [[nodiscard]] Set Union(Set a, Set b) {
    if (a == b || b == kEmpty) return Share(a);
    if (a == kEmpty) return Share(b);
    if (LevelOf(a) < LevelOf(b)) std::swap(a, b);
    const unsigned level = LevelOf(a);
    return Root(level == LevelOf(b) ? UnionOfNodes(a, b, level) : UnionWithLower(a, b, level),
                level);
  }

  // Another reference to the same set.
  Set Share(Set set) {
    if (IsNode(set)) {
      uint32_t& references = Words(set)[kReferences];
      if (references < kMostReferences) references += kOneReference;
    }
    return set;
  }

  // Gives a reference back.
  void Release(Set set) {
    if (!IsNode(set)) return;
    uint32_t* words = Words(set);
    if (words[kReferences] >= kMostReferences) return;
    words[kReferences] -= kOneReference;
    if (words[kReferences] < kOneReference) Delete(set);
  }

  // Of all sets that somebody has, and of the table.
  size_t BytesUsed() const { return used_ * kUnitBytes + known_.BytesUsed(); }
  // How many pairs of nodes unions have looked at so far.
  uint64_t Steps() const { return steps_; }

  void CheckInvariant(Set set) const {
    if (set == kEmpty) return;
    CHECK(set != kFull, "a set is full without a level");
    CheckNode(set, LevelOf(set));
  }

 private:
  // A subtree is kEmpty, kFull or a node: its place in words_, in units. A node's words are
  //   kReferences   level in the lowest bits, count above it
  //   kMasks        inner: bits 0 to 15: which subtrees have elements; 16 to 31: which are full
  //   kFirst ...    inner: the subtrees that are neither; leaf: 64 bits
  static constexpr Set kFull = 1;
  static constexpr unsigned kLeafBits = 6;
  static constexpr unsigned kFanBits = 4;
  static constexpr unsigned kFan = 1 << kFanBits;
  static constexpr uint32_t kAllChildren = (uint32_t{1} << kFan) - 1;
  static constexpr uint64_t kAllNumbers = ~uint64_t{0};
  static constexpr size_t kUnitWords = 4;
  static constexpr size_t kUnitBytes = kUnitWords * sizeof(uint32_t);
  static constexpr size_t kMostUnits = (2 + kFan + kUnitWords - 1) / kUnitWords;
  enum : size_t { kReferences, kMasks, kFirst };
  static constexpr uint32_t kOneReference = 16;
  static constexpr uint32_t kMostReferences = ~uint32_t{0} - kOneReference;  // never given back

  // Which subtrees of a node have elements, and which of them are full.
  struct Masks {
    uint32_t some = 0;
    uint32_t full = 0;
    uint32_t Nodes() const { return some & ~full; }
    bool operator==(const Masks&) const = default;
  };
  // A node that is not made yet: nodes[i] counts where Nodes() has bit i.
  struct Draft {
    Masks masks;
    Set nodes[kFan];
    void Put(unsigned i, Set child) {
      masks.some |= 1u << i;
      if (child == kFull) masks.full |= 1u << i;
      nodes[i] = child;
    }
  };
  struct Known {
    Set a, b, both;
  };
  // The table grows with the sets: on a wavefront, what a union needs was last used a row ago.
  static constexpr size_t kLeastKnown = 1024;
  static constexpr size_t kUnitsPerKnown = 16;

  static constexpr size_t Count(uint32_t mask) { return static_cast<size_t>(std::popcount(mask)); }
  static constexpr bool IsNode(Set set) { return set > kFull; }
  // How many numbers a subtree of the level can hold.
  static constexpr uint64_t Capacity(unsigned level) {
    return uint64_t{1} << (kLeafBits + kFanBits * level);
  }
  static constexpr unsigned ChildShift(unsigned level) {
    return kLeafBits + kFanBits * (level - 1);
  }
  static constexpr unsigned ChildOf(uint32_t number, unsigned level) {
    return number >> ChildShift(level);
  }
  static constexpr uint32_t WithinChild(uint32_t number, unsigned level) {
    return number & static_cast<uint32_t>(Capacity(level - 1) - 1);
  }

  uint32_t* Words(Set node) { return words_.Data() + node * kUnitWords; }
  const uint32_t* Words(Set node) const { return &words_[node * kUnitWords]; }
  unsigned LevelOf(Set node) const { return Words(node)[kReferences] % kOneReference; }
  uint64_t BitsOf(Set leaf) const {
    const uint32_t* words = Words(leaf);
    return words[kFirst] | uint64_t{words[kFirst + 1]} << 32;
  }
  Masks MasksOf(Set node) const {
    const uint32_t masks = Words(node)[kMasks];
    return {.some = masks & kAllChildren, .full = masks >> kFan};
  }
  // Requires: the subtree is a node.
  Set ChildAt(Set node, Masks masks, unsigned i) const {
    return Words(node)[kFirst + Count(masks.Nodes() & ((1u << i) - 1))];
  }
  Set Child(Set node, unsigned i) const {
    const Masks masks = MasksOf(node);
    if ((masks.some >> i & 1) == 0) return kEmpty;
    if ((masks.full >> i & 1) != 0) return kFull;
    return ChildAt(node, masks, i);
  }

  // Requires: low <= high < capacity of the node's level.
  bool MeetsNode(Set node, uint32_t low, uint32_t high) const {
    for (unsigned level = LevelOf(node); level > 0; --level) {
      const Masks masks = MasksOf(node);
      const unsigned first = ChildOf(low, level);
      const unsigned last = ChildOf(high, level);
      if (first != last) return MeetsChildren(node, level, low, high);
      if ((masks.some >> first & 1) == 0) return false;
      if ((masks.full >> first & 1) != 0) return true;
      node = ChildAt(node, masks, first);
      low = WithinChild(low, level);
      high = WithinChild(high, level);
    }
    return (BitsOf(node) >> low & kAllNumbers >> (63 - (high - low))) != 0;
  }
  // The same, where low and high lie in different subtrees.
  bool MeetsChildren(Set node, unsigned level, uint32_t low, uint32_t high) const {
    const unsigned first = ChildOf(low, level);
    const unsigned last = ChildOf(high, level);
    const uint32_t between = ((1u << last) - 1) & ~((2u << first) - 1);
    if ((MasksOf(node).some & between) != 0) return true;
    const Set left = Child(node, first);
    const Set right = Child(node, last);
    if (left == kFull || right == kFull) return true;
    const uint32_t end = static_cast<uint32_t>(Capacity(level - 1) - 1);
    return (left != kEmpty && MeetsNode(left, WithinChild(low, level), end)) ||
           (right != kEmpty && MeetsNode(right, 0, WithinChild(high, level)));
  }

  // What follows takes its arguments as they are and returns new references, unless it says that
  // it takes a reference over.

  Set Singleton(uint32_t number, unsigned level) {
    if (level == 0) return MakeLeaf(uint64_t{1} << number);
    Draft draft;
    draft.Put(ChildOf(number, level), Singleton(WithinChild(number, level), level - 1));
    return MakeNode(draft, level);
  }

  // The subtree at another level, takes it over.
  Set Lift(Set set, unsigned level, unsigned to) {
    while (level < to) {
      Draft draft;
      draft.Put(0, set);
      set = MakeNode(draft, ++level);
    }
    return set;
  }

  // A subtree as a set, takes it over.
  Set Root(Set set, unsigned level) { return set == kFull ? Lift(set, level, level + 1) : set; }

  Set AddToNode(Set node, unsigned level, uint32_t number) {
    if (level == 0) {
      const uint64_t bits = BitsOf(node);
      return LeafOrOneOf(bits | uint64_t{1} << number, bits, node, bits, node);
    }
    const unsigned i = ChildOf(number, level);
    const uint32_t within = WithinChild(number, level);
    const Set child = Child(node, i);
    if (child == kFull) return Share(node);
    return WithChild(
        node, level, i,
        child == kEmpty ? Singleton(within, level - 1) : AddToNode(child, level - 1, within));
  }

  // Requires: b's level is lower than that of a.
  Set UnionWithLower(Set a, Set b, unsigned level) {
    ++steps_;
    const Set child = Child(a, 0);
    if (child == kFull) return Share(a);
    const bool same_level = LevelOf(b) == level - 1;
    return WithChild(a, level, 0,
                     child == kEmpty ? Lift(Share(b), LevelOf(b), level - 1)
                     : same_level    ? UnionOfNodes(child, b, level - 1)
                                     : UnionWithLower(child, b, level - 1));
  }

  // The node with another subtree i, takes that over.
  Set WithChild(Set node, unsigned level, unsigned i, Set child) {
    if (child == Child(node, i)) {
      Release(child);
      return Share(node);
    }
    Draft draft = DraftOf(node);
    for (uint32_t left = draft.masks.Nodes() & ~(1u << i); left != 0; left &= left - 1) {
      Share(draft.nodes[std::countr_zero(left)]);
    }
    draft.Put(i, child);
    return MakeNode(draft, level);
  }

  Draft DraftOf(Set node) const {
    Draft draft;
    draft.masks = MasksOf(node);
    const Set* child = Words(node) + kFirst;
    for (uint32_t left = draft.masks.Nodes(); left != 0; left &= left - 1) {
      draft.nodes[std::countr_zero(left)] = *child++;
    }
    return draft;
  }

  Set UnionOfNodes(Set a, Set b, unsigned level) {
    ++steps_;
    if (a == b) return Share(a);
    if (level == 0) {
      const uint64_t bits_a = BitsOf(a);
      const uint64_t bits_b = BitsOf(b);
      return LeafOrOneOf(bits_a | bits_b, bits_a, a, bits_b, b);
    }
    if (a > b) std::swap(a, b);  // the table knows each pair once
    if (const Known* known = Find(a, b)) return Share(known->both);
    const Set both = UnionOfChildren(a, b, level);
    Remember(Share(a), Share(b), Share(both));
    return both;
  }

  static size_t Slot(Set a, Set b, size_t slots) {
    return Mix(uint64_t{a} << 32 | b) & (slots - 1);
  }
  const Known* Find(Set a, Set b) const {
    if (known_.Empty()) return nullptr;
    const Known& known = known_[Slot(a, b, known_.Size())];
    return known.a == a && known.b == b ? &known : nullptr;
  }
  // Takes the references over, and forgets what else was in their place.
  void Remember(Set a, Set b, Set both) {
    if (known_.Size() * kUnitsPerKnown < std::max(used_, kLeastKnown)) GrowTable();
    const Known forgotten = std::exchange(known_[Slot(a, b, known_.Size())], {a, b, both});
    Release(forgotten.a);
    Release(forgotten.b);
    Release(forgotten.both);
  }
  // Of twice as many slots, the ones that a union may have now are its old one and that one's twin.
  [[gnu::noinline]] void GrowTable() {
    const size_t slots = known_.Size();
    known_.Resize(std::max(2 * slots, kLeastKnown));
    for (size_t i = 0; i < slots; ++i) {
      const size_t slot = Slot(known_[i].a, known_[i].b, known_.Size());
      if (slot != i && known_[i].a != kEmpty) std::swap(known_[i], known_[slot]);
    }
  }

  Set UnionOfChildren(Set a, Set b, unsigned level) {
    const Draft in_a = DraftOf(a);
    const Draft in_b = DraftOf(b);
    Draft draft;
    draft.masks = {.some = in_a.masks.some | in_b.masks.some,
                   .full = in_a.masks.full | in_b.masks.full};
    const uint32_t nodes = draft.masks.Nodes();
    const uint32_t in_both = nodes & in_a.masks.Nodes() & in_b.masks.Nodes();
    for (uint32_t left = nodes; left != 0; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(std::countr_zero(left));
      draft.Put(i, (in_both >> i & 1) != 0 ? UnionOfNodes(in_a.nodes[i], in_b.nodes[i], level - 1)
                   : (in_a.masks.some >> i & 1) != 0 ? Share(in_a.nodes[i])
                                                     : Share(in_b.nodes[i]));
    }
    for (const Draft* whole : {&in_a, &in_b}) {
      if (Equal(draft, *whole)) {
        Drop(draft);
        return Share(whole == &in_a ? a : b);
      }
    }
    return MakeNode(draft, level);
  }

  static bool Equal(const Draft& a, const Draft& b) {
    if (a.masks != b.masks) return false;
    for (uint32_t left = a.masks.Nodes(); left != 0; left &= left - 1) {
      if (a.nodes[std::countr_zero(left)] != b.nodes[std::countr_zero(left)]) return false;
    }
    return true;
  }

  void Drop(const Draft& draft) {
    for (uint32_t left = draft.masks.Nodes(); left != 0; left &= left - 1) {
      Release(draft.nodes[std::countr_zero(left)]);
    }
  }

  Set LeafOrOneOf(uint64_t bits, uint64_t bits_a, Set a, uint64_t bits_b, Set b) {
    if (bits == bits_a) return Share(a);
    if (bits == bits_b) return Share(b);
    return bits == kAllNumbers ? kFull : MakeLeaf(bits);
  }

  Set MakeLeaf(uint64_t bits) {
    const Set leaf = Allocate(1);
    uint32_t* words = Words(leaf);
    words[kReferences] = kOneReference;
    words[kMasks] = 0;
    words[kFirst] = static_cast<uint32_t>(bits);
    words[kFirst + 1] = static_cast<uint32_t>(bits >> 32);
    return leaf;
  }

  // Takes the draft's nodes over. kFull if all subtrees are.
  Set MakeNode(const Draft& draft, unsigned level) {
    const Masks masks = draft.masks;
    if (masks.full == kAllChildren) return kFull;
    const Set node = Allocate(Units(masks));
    uint32_t* words = Words(node);
    words[kReferences] = kOneReference | level;
    words[kMasks] = masks.some | masks.full << kFan;
    Set* child = words + kFirst;
    for (uint32_t left = masks.Nodes(); left != 0; left &= left - 1) {
      *child++ = draft.nodes[std::countr_zero(left)];
    }
    return node;
  }

  static size_t Units(Masks masks) {
    const size_t words = kFirst + Count(masks.Nodes());
    return std::max<size_t>(1, (words + kUnitWords - 1) / kUnitWords);
  }

  Set Allocate(size_t units) {
    used_ += units;
    if (Set node = free_[units]; node != kEmpty) {
      free_[units] = Words(node)[kMasks];
      return node;
    }
    const size_t first = std::max<size_t>(words_.Size(), (kFull + 1) * kUnitWords);
    CheckLimit(first / kUnitWords + units <= ~Set{0}, "too many tasks wait for each other");
    words_.Resize(first + units * kUnitWords);
    return static_cast<Set>(first / kUnitWords);
  }

  [[gnu::noinline]] void Delete(Set node) {
    size_t units = 1;
    if (LevelOf(node) > 0) {
      const Draft draft = DraftOf(node);
      units = Units(draft.masks);
      Drop(draft);
    }
    Words(node)[kMasks] = std::exchange(free_[units], node);
    used_ -= units;
  }

  void CheckNode(Set node, unsigned level) const {
    CHECK(LevelOf(node) == level, "a subtree has a wrong level");
    CHECK(Words(node)[kReferences] >= kOneReference, "a node is used that nobody refers to");
    if (level == 0) {
      CHECK(BitsOf(node) != 0 && BitsOf(node) != kAllNumbers, "a leaf is empty or full");
      return;
    }
    const Draft draft = DraftOf(node);
    CHECK(draft.masks.some != 0 && draft.masks.full != kAllChildren, "a node is empty or full");
    CHECK((draft.masks.full & ~draft.masks.some) == 0, "a subtree is empty and full");
    for (uint32_t left = draft.masks.Nodes(); left != 0; left &= left - 1) {
      CheckNode(draft.nodes[std::countr_zero(left)], level - 1);
    }
  }

  MappedArray<uint32_t> words_{"sets of ended tasks"};
  MappedArray<Known> known_{"sets of ended tasks"};  // each entry has three references
  Set free_[kMostUnits + 1] = {};                    // by size; linked in kMasks
  size_t used_ = 0;                                  // units
  uint64_t steps_ = 0;
};

}  // namespace taskrace
