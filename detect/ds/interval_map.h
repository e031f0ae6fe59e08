// IntervalMap: a value for every address, in as few intervals as say it. Neighbouring intervals
// differ, so the map follows what was put in, not how.
//
// Idea:       the value is a step function of the address. An interval is where it begins and what
//             holds from there on; it ends where the next one begins, and a gap is an interval with
//             the value V{}. So all cases of overlap are one: the pieces within a range get other
//             values, with a step more or less at its two ends. The steps lie in a B+-tree of
//             nodes with 63 entries.
// Invariant:  1. keys grow, the first of all is 0, and a node's first key is its key above;
//             2. neighbouring values differ, across leaves too;
//             3. all leaves are equally deep; a node has eight entries at least, a root two unless
//                it is a leaf;
//             4. the path leads from the root to a leaf, which ends at `leaf_end_`.
// Thread rule: one thread at a time. What Update calls must not use the map.
// Cost:       O(log n + intervals overlapped) per update; no descent if it begins in the leaf where
//             the last one ended. 16 bytes an interval where V has 8; with what is free in
//             nodes, 19 after an ascending sweep and 33 after a descending one.
// Tested by:  test/detect/interval_map_test.cc
#pragma once

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "detect/ds/block_pool.h"

namespace taskrace {

template <class V>
class IntervalMap {
  static_assert(std::is_trivially_copyable_v<V>);

 public:
  // The addresses are [0, kLimit).
  static constexpr uintptr_t kLimit = ~uintptr_t{0};

  // `what` names the map if memory runs out.
  explicit constexpr IntervalMap(const char* what = "intervals") : nodes_(what) {}

  // Whatever has the value v in [first, end) has the value become(from, to, v) afterwards. Called
  // once for each part [from, to) of an interval, in order.
  template <class Become>
  void Update(uintptr_t first, uintptr_t end, Become become) {
    if (first >= end) return;
    if (root_ == nullptr) [[unlikely]]
      MakeRoot();
    for (uintptr_t at = first;;) {
      // The byte before comes along: its interval may go on into the range from now on.
      Seek(at == 0 ? 0 : at - 1);
      bool shrunk = false;
      if (leaf_end_ == at) [[unlikely]] {
        UpdateNextLeaf(at, end, become);
        shrunk = true;
      } else {
        shrunk = UpdateLeaf(at, end, become);
      }
      at = leaf_end_;
      if (shrunk && Leaf()->count < kLeast && height_ > 1) [[unlikely]] {
        Balance(0);
        Descend(at - 1);
      }
      // A leaf that begins at `end` may go on with what the range ends with.
      if (at > end || at == kLimit) break;
    }
    if constexpr (kChecked) CheckPath();
  }

  // The value of an address.
  V At(uintptr_t address) const {
    if (root_ == nullptr) return V{};
    const Node* node = root_;
    for (size_t level = height_ - 1; level > 0; --level) {
      node = node->entries[node->Find(address)].child;
    }
    return node->entries[node->Find(address)].value;
  }

  // Calls visit(first, end, value) for all intervals but gaps, in order.
  template <class Visit>
  void ForEach(Visit visit) const {
    if (root_ != nullptr) ForEachBelow(*root_, height_ - 1, kLimit, visit);
  }

  // How many intervals there are, gaps included.
  size_t Size() const { return size_; }
  size_t Height() const { return height_; }
  size_t BytesUsed() const { return nodes_.BytesUsed(); }

  void CheckInvariant() const {
    if (root_ == nullptr) return;
    Found found{};
    CheckBelow(*root_, height_ - 1, 0, found);
    CHECK(found.intervals == size_, "a map miscounts its intervals");
    CHECK(found.nodes == nodes_.Used(), "a map has lost a node");
    CHECK(height_ == 1 || root_->count > 1, "a root has a single child");
    CheckPath();
  }

 private:
  static constexpr size_t kMost = 63;    // entries of a node
  static constexpr size_t kLeast = 8;    // of a node, unless it is the root
  static constexpr size_t kJoin = 48;    // of neighbours that become one, if one has too few
  static constexpr size_t kGuesses = 3;  // entries that are tried before a search
  static constexpr size_t kLevels = 12;  // enough for 8^12 intervals

  struct Node;
  union Entry {
    V value;      // of a leaf
    Node* child;  // of any other node
  };
  // Entry i holds from keys[i] on. Keys of no entry are kLimit, so that a search has a fixed number
  // of steps.
  struct alignas(16) Node {
    uint32_t count;
    uintptr_t keys[kMost + 1];
    Entry entries[kMost];

    // The entry that holds for the address. Requires: keys[0] <= address < kLimit.
    size_t Find(uintptr_t address) const {
      const uintptr_t* at = keys;
      for (size_t half = (kMost + 1) / 2; half > 0; half /= 2) {
        at = __builtin_unpredictable(at[half] <= address) ? at + half : at;
      }
      return static_cast<size_t>(at - keys);
    }
    const Entry& Last() const { return entries[count - 1]; }

    void Set(size_t i, uintptr_t key, const V& value) {
      keys[i] = key;
      entries[i].value = value;
    }
    // There is room for `wanted` entries in place of [first, end); the caller fills it.
    void MakeRoom(size_t first, size_t end, size_t wanted) {
      if (end - first == wanted) return;
      memmove(keys + first + wanted, keys + end, (count - end) * sizeof(keys[0]));
      memmove(entries + first + wanted, entries + end, (count - end) * sizeof(entries[0]));
      SetCount(count + wanted - (end - first));
    }
    void SetCount(size_t wanted) {
      if (wanted < count) std::fill(keys + wanted, keys + count, kLimit);
      count = static_cast<uint32_t>(wanted);
    }
    // The entries from `first` on become the first ones of the other.
    void Move(size_t first, Node& other) {
      const size_t moved = count - first;
      other.MakeRoom(0, 0, moved);
      std::copy_n(keys + first, moved, other.keys);
      std::copy_n(entries + first, moved, other.entries);
      SetCount(first);
    }
    // The first `moved` entries become the last ones of the other.
    void MoveFirst(size_t moved, Node& other) {
      std::copy_n(keys, moved, other.keys + other.count);
      std::copy_n(entries, moved, other.entries + other.count);
      other.count += static_cast<uint32_t>(moved);
      MakeRoom(0, moved, 0);
    }
  };
  static_assert(sizeof(V) != 8 || sizeof(Node) == 1024);
  // A node on the way from the root, and the entry where the way goes on; in the leaf, a guess.
  struct Step {
    Node* node;
    size_t index;
  };

  Node* Leaf() { return path_[0].node; }

  Node* MakeNode() {
    Node* node = static_cast<Node*>(nodes_.Allocate());
    node->count = 0;
    std::fill(std::begin(node->keys), std::end(node->keys), kLimit);
    return node;
  }
  [[gnu::noinline]] void MakeRoot() {
    root_ = MakeNode();
    root_->count = 1;
    root_->keys[0] = 0;
    root_->entries[0].value = V{};
    height_ = size_ = 1;
    Descend(0);
  }

  // The path leads to the leaf of the address.
  [[gnu::always_inline]] void Seek(uintptr_t address) {
    if (address < Leaf()->keys[0] || address >= leaf_end_) Descend(address);
  }
  [[gnu::noinline]] void Descend(uintptr_t address) {
    Node* node = root_;
    leaf_end_ = kLimit;
    for (size_t level = height_ - 1; level > 0; --level) {
      const size_t index = node->Find(address);
      path_[level] = {node, index};
      if (index + 1 < node->count) leaf_end_ = node->keys[index + 1];
      node = node->entries[index].child;
    }
    path_[0] = {node, 0};
  }

  // The entry of the leaf for the address. Runs of a strand come in order: it is often the entry
  // where the last one ended, or one of the next.
  [[gnu::always_inline]] size_t FindInLeaf(const Node& leaf, uintptr_t address) const {
    const size_t guess = path_[0].index;
    if (guess + kGuesses <= kMost && leaf.keys[guess] <= address) {
      for (size_t i = guess; i < guess + kGuesses; ++i) {
        if (address < leaf.keys[i + 1]) return i;
      }
    }
    return leaf.Find(address);
  }

  // Updates the part of [first, end) in the leaf of the path, which may become the half of it that
  // has the first change. Has it fewer entries now?
  template <class Become>
  [[gnu::always_inline]] bool UpdateLeaf(uintptr_t first, uintptr_t end, Become& become) {
    Node* leaf = Leaf();
    uintptr_t from = std::max(first, leaf->keys[0]);
    const uintptr_t to = std::min(end, leaf_end_);
    if (from >= to) return false;
    for (size_t i = FindInLeaf(*leaf, from);; ++i) {  // what stays as it is
      const uintptr_t entry_end = EndOf(*leaf, i);
      const V value = become(from, std::min(entry_end, to), leaf->entries[i].value);
      path_[0].index = i;
      if (!(value == leaf->entries[i].value)) {
        // A program that does the same again meets its own intervals.
        if (from == leaf->keys[i] && to == entry_end && !IsBeside(*leaf, i, value)) {
          leaf->entries[i].value = value;
          return false;
        }
        if (leaf->count > kMost - 2) [[unlikely]]
          MakeRoomInLeaf(from, end);
        const size_t before = Leaf()->count;
        if (entry_end >= to) {
          ChangeOne(from, to, value);
        } else {
          ChangeSeveral(from, std::min(to, leaf_end_), value, become);
        }
        size_ += Leaf()->count - before;
        return Leaf()->count < before;
      }
      if (entry_end >= to) return false;
      from = entry_end;
    }
  }

  // The same in the leaf that follows; it may begin with what the leaf of the path ends with.
  template <class Become>
  [[gnu::noinline]] void UpdateNextLeaf(uintptr_t first, uintptr_t end, Become& become) {
    const V before = Leaf()->Last().value;
    Descend(first);
    if (Leaf()->count == kMost && end < leaf_end_) SplitLeaf();  // the first half is updated
    UpdateLeaf(first, end, become);
    if (Leaf()->entries[0].value == before) DropFirst();
  }

  uintptr_t EndOf(const Node& leaf, size_t i) const {
    return std::min(leaf.keys[i + 1], leaf_end_);
  }

  // Has the entry before or behind this value?
  static bool IsBeside(const Node& leaf, size_t i, const V& value) {
    return (i > 0 && leaf.entries[i - 1].value == value) ||
           (i + 1 < leaf.count && leaf.entries[i + 1].value == value);
  }

  // The path's entry has another value in [from, to), which lies within it.
  void ChangeOne(uintptr_t from, uintptr_t to, const V& value) {
    Node& leaf = *Leaf();
    const size_t i = path_[0].index;
    const V replaced = leaf.entries[i].value;
    const bool keeps_end = to < EndOf(leaf, i);
    const bool joins_next = !keeps_end && i + 1 < leaf.count && leaf.entries[i + 1].value == value;
    if (leaf.keys[i] < from) {
      path_[0].index = i + 1;
      if (joins_next) {
        leaf.keys[i + 1] = from;
      } else {
        leaf.MakeRoom(i + 1, i + 1, keeps_end ? 2 : 1);
        leaf.Set(i + 1, from, value);
        if (keeps_end) leaf.Set(i + 2, to, replaced);
      }
      return;
    }
    const bool joins_previous = i > 0 && leaf.entries[i - 1].value == value;
    if (!keeps_end) {
      if (!joins_previous) leaf.entries[i].value = value;
      const size_t gone = joins_previous ? i : i + 1;
      leaf.MakeRoom(gone, gone + joins_previous + joins_next, 0);
    } else if (joins_previous) {
      leaf.keys[i] = to;
    } else {
      leaf.entries[i].value = value;
      leaf.MakeRoom(i + 1, i + 1, 1);
      leaf.Set(i + 1, to, replaced);
    }
  }
  // The path's entry has another value from `from` on; the entries behind it are asked about.
  template <class Become>
  [[gnu::noinline]] void ChangeSeveral(uintptr_t from, uintptr_t to, V value, Become& become) {
    Node& leaf = *Leaf();
    size_t kept = path_[0].index;  // entries before this one are done,
    size_t next = kept + 1;        // and those up to this one are gone
    if (leaf.keys[kept] < from) {
      leaf.MakeRoom(kept + 1, kept + 1, 1);
      leaf.Set(kept + 1, from, value);
      kept = next = kept + 2;
    } else if (kept == 0 || !(leaf.entries[kept - 1].value == value)) {
      leaf.entries[kept++].value = value;
    }
    V last = value;
    for (; next < leaf.count && leaf.keys[next] < to; ++next) {
      const uintptr_t key = leaf.keys[next];
      const uintptr_t entry_end = EndOf(leaf, next);
      const V replaced = leaf.entries[next].value;
      value = become(key, std::min(entry_end, to), replaced);
      if (entry_end > to) {  // its end stays
        if (!(value == last)) {
          if (kept == next) leaf.MakeRoom(kept, next++, 1);
          leaf.Set(kept++, key, value);
          last = value;
        }
        leaf.keys[next] = to;
        break;
      }
      if (!(value == last)) leaf.Set(kept++, key, value);
      last = value;
    }
    if (next < leaf.count && leaf.entries[next].value == last) ++next;
    leaf.MakeRoom(kept, next, 0);
    path_[0].index = kept - 1;
  }

  // Splits the leaf if the path's entry and those behind it, changed in [from, end), may not fit.
  [[gnu::noinline]] void MakeRoomInLeaf(uintptr_t from, uintptr_t end) {
    const size_t wanted = (Leaf()->keys[path_[0].index] < from) + (end < leaf_end_);
    if (Leaf()->count + wanted > kMost) SplitLeaf();
  }
  // Makes room in the leaf of the path, which goes on to the half that has its entry.
  void SplitLeaf() {
    const Node* left = Leaf();
    const Node* right = Split(0);
    if (Leaf() == left) leaf_end_ = right->keys[0];
  }
  // Moves half of the path's node of this level to a new one, and returns that. A sweep adds at the
  // end: then most of it stays. The path keeps its entry.
  Node* Split(size_t level) {
    Step& step = path_[level];
    Node* left = step.node;
    Node* right = MakeNode();
    size_t middle = step.index + kLeast >= left->count ? left->count - kLeast : left->count / 2;
    if (middle == step.index) --middle;  // the update looks at the entry before
    left->Move(middle, *right);
    if (level + 1 == height_) {
      AddRoot();
    } else if (path_[level + 1].node->count == kMost) {
      Split(level + 1);
    }
    Step& above = path_[level + 1];
    above.node->MakeRoom(above.index + 1, above.index + 1, 1);
    above.node->keys[above.index + 1] = right->keys[0];
    above.node->entries[above.index + 1].child = right;
    if (step.index >= middle) {
      step = {right, step.index - middle};
      ++above.index;
    }
    return right;
  }
  void AddRoot() {
    CHECK(height_ < kLevels, "a map of intervals is too high");
    Node* root = MakeNode();
    root->count = 1;
    root->keys[0] = root_->keys[0];
    root->entries[0].child = root_;
    root_ = root;
    path_[height_++] = {root, 0};
  }

  // The interval before goes on over the first one of the leaf. Requires: it is in another leaf.
  void DropFirst() {
    Node* leaf = Leaf();
    const uintptr_t first = leaf->keys[0];
    --size_;
    leaf->MakeRoom(0, 1, 0);
    if (leaf->count > 0) return SetFirst(1, leaf->keys[0]);
    const Step& above = path_[1];
    nodes_.Free(leaf);
    above.node->MakeRoom(above.index, above.index + 1, 0);
    if (above.index == 0) SetFirst(2, above.node->keys[0]);
    Balance(1);
    Descend(first);
  }
  // What lies below the path's node of this level begins at the key now.
  void SetFirst(size_t level, uintptr_t key) {
    for (; level < height_; ++level) {
      path_[level].node->keys[path_[level].index] = key;
      if (path_[level].index != 0) return;
    }
  }

  // The path's node of this level has lost entries: if few are left, it gets some of a neighbour,
  // or the two become one. The path is broken then.
  void Balance(size_t level) {
    if (level + 1 == height_) return DropRoots();
    if (path_[level].node->count >= kLeast) return;
    const Step& above = path_[level + 1];
    const size_t index = above.index == 0 ? 0 : above.index - 1;
    Node* left = above.node->entries[index].child;
    Node* right = above.node->entries[index + 1].child;
    if (level == 0 && left->Last().value == right->entries[0].value) {
      right->MakeRoom(0, 1, 0);  // the update has not come so far
      --size_;
    }
    const size_t together = left->count + right->count;
    if (together <= kJoin) {
      right->MoveFirst(right->count, *left);
      nodes_.Free(right);
      above.node->MakeRoom(index + 1, index + 2, 0);
      return Balance(level + 1);
    }
    if (left->count > right->count) {
      left->Move(together / 2, *right);
    } else {
      right->MoveFirst(right->count - together / 2, *left);
    }
    above.node->keys[index + 1] = right->keys[0];
  }
  void DropRoots() {
    while (height_ > 1 && root_->count == 1) {
      Node* child = root_->entries[0].child;
      nodes_.Free(root_);
      root_ = child;
      --height_;
    }
  }

  template <class Visit>
  static void ForEachBelow(const Node& node, size_t level, uintptr_t end, Visit& visit) {
    for (size_t i = 0; i < node.count; ++i) {
      const uintptr_t entry_end = i + 1 < node.count ? node.keys[i + 1] : end;
      if (level > 0) {
        ForEachBelow(*node.entries[i].child, level - 1, entry_end, visit);
      } else if (!(node.entries[i].value == V{})) {
        visit(node.keys[i], entry_end, node.entries[i].value);
      }
    }
  }

  void CheckNode(const Node& node, size_t level) const {
    CHECK(node.count >= kLeast || &node == root_, "a node has too few entries");
    CHECK(node.count <= kMost, "a node has too many entries");
    CHECK(std::all_of(node.keys + node.count, std::end(node.keys),
                      [](uintptr_t key) { return key == kLimit; }),
          "a key of no entry");
    for (size_t i = 1; i < node.count; ++i) {
      CHECK(node.keys[i - 1] < node.keys[i], "intervals are out of order");
      CHECK(level > 0 || !(node.entries[i - 1].value == node.entries[i].value),
            "two intervals say the same");
    }
    for (size_t i = 0; level > 0 && i < node.count; ++i) {
      CHECK(node.entries[i].child->keys[0] == node.keys[i], "a node does not begin at its key");
    }
  }
  struct Found {
    size_t nodes = 0;
    size_t intervals = 0;
    const V* last = nullptr;
  };
  void CheckBelow(const Node& node, size_t level, uintptr_t first, Found& found) const {
    CheckNode(node, level);
    CHECK(node.keys[0] == first, "a node does not begin at its key");
    ++found.nodes;
    for (size_t i = 0; level > 0 && i < node.count; ++i) {
      CheckBelow(*node.entries[i].child, level - 1, node.keys[i], found);
    }
    if (level > 0) return;
    CHECK(found.last == nullptr || !(*found.last == node.entries[0].value),
          "two intervals in two leaves say the same");
    found.intervals += node.count;
    found.last = &node.Last().value;
  }
  void CheckPath() const {
    uintptr_t end = kLimit;
    const Node* node = root_;
    for (size_t level = height_ - 1;; --level) {
      const auto& [at, index] = path_[level];
      CHECK(at == node, "the path is broken");
      CheckNode(*node, level);
      if (level == 0) break;
      CHECK(index < node->count, "the path is broken");
      if (index + 1 < node->count) end = node->keys[index + 1];
      node = node->entries[index].child;
    }
    CHECK(end == leaf_end_, "the path's leaf ends elsewhere");
  }

  Node* root_ = nullptr;
  size_t height_ = 0;
  size_t size_ = 0;
  uintptr_t leaf_end_ = 0;
  Step path_[kLevels] = {};
  BlockPool<sizeof(Node)> nodes_;
};

}  // namespace taskrace
