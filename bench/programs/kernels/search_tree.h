// Binary search trees that are merged in place, but for the tasks: making two balanced ones without
// a common key, dividing one at a key, merging two serially.
//
// Thread rule: whoever has the root of a tree has the tree.
// Cost: a division O(height); a merge of m into n >= m keys O(m log(1 + n / m)) expected.
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_SEARCH_TREE_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_SEARCH_TREE_H

#include <algorithm>
#include <vector>

#include "../common.h"

namespace bench {

// What the paper ran takes 0.1 s by now: «small» merges more.
inline constexpr Sizes<3> kTreeMergeSizes = {.parameters = {"first_count", "second_count", "depth"},
                                             .test = {20'000, 10'000, 4},
                                             .small = {8'000'000, 8'000'000, 5},
                                             .paper = {8'000'000, 4'000'000, 5}};

struct Node {
  long key;
  Node* left;
  Node* right;
};

struct DividedTree {
  Node *small, *large;
};

// The nodes with smaller keys and those with larger ones. Requires: the tree does not have the key.
inline DividedTree Divide(Node* tree, long key) {
  DividedTree divided;
  Node **small = &divided.small, **large = &divided.large;
  while (tree != nullptr) {
    if (tree->key < key) {
      *small = tree;
      small = &tree->right;
      tree = tree->right;
    } else {
      *large = tree;
      large = &tree->left;
      tree = tree->left;
    }
  }
  *small = *large = nullptr;
  return divided;
}

inline Node* MergeSerially(Node* first, Node* second) {
  if (first == nullptr) return second;
  if (second == nullptr) return first;
  const auto [small, large] = Divide(second, first->key);
  first->left = MergeSerially(first->left, small);
  first->right = MergeSerially(first->right, large);
  return first;
}

// Two balanced trees, the keys of one even and those of the other odd, from about the same range.
class TreePair {
 public:
  TreePair(long first_count, long second_count)
      : nodes_(static_cast<std::size_t>(first_count + second_count)) {
    const long longer = std::max(first_count, second_count);
    Random random(1);
    Node* next = nodes_.data();
    long key = 0;
    first_ = Build(&next, &key, first_count, 4 * longer / first_count, random);
    key = 1;
    second_ = Build(&next, &key, second_count, 4 * longer / second_count, random);
  }

  Node* first() const { return first_; }
  Node* second() const { return second_; }

  // Whether the tree has all the nodes, in the order of their keys.
  bool AreMergedIn(const Node* tree) const {
    unsigned long key_sum = 0;
    for (const Node& node : nodes_) key_sum += static_cast<unsigned long>(node.key);
    Walk walk;
    return walk.Through(tree) && walk.count == nodes_.size() && walk.key_sum == key_sum;
  }

 private:
  struct Walk {
    long last_key = -1;
    std::size_t count = 0;
    unsigned long key_sum = 0;

    bool Through(const Node* tree) {
      if (tree == nullptr) return true;
      if (!Through(tree->left) || tree->key <= last_key) return false;
      last_key = tree->key;
      ++count;
      key_sum += static_cast<unsigned long>(tree->key);
      return Through(tree->right);
    }
  };

  // The root comes before its subtrees in memory. Keys grow by an even number up to `gap`.
  static Node* Build(Node** next, long* key, long count, long gap, Random& random) {
    if (count == 0) return nullptr;
    Node* const node = (*next)++;
    node->left = Build(next, key, (count - 1) / 2, gap, random);
    node->key = *key += 2 * (1 + random.Below(gap / 2));
    node->right = Build(next, key, count - 1 - (count - 1) / 2, gap, random);
    return node;
  }

  std::vector<Node> nodes_;
  Node *first_, *second_;
};

}  // namespace bench

#endif
