// bst: merges two binary search trees, pipelined with general futures.
// From:   FutureRD (8 000 000 and 4 000 000 keys, depth limit 5), after Blelloch and Reid-Miller.
// Tasks:  as bst-structured, but a merge does not wait until the second tree is divided: a division
//         is a chain of futures, one a node on the way down as far as the depth limit, the last for
//         what is below. Each says on which side its node is and who knows the rest; the
//         merges of both sides get it, and so do divisions further down.
#include <taskrace/tasks.hpp>

#include "../kernels/search_tree.h"

using bench::Node;

struct Cut;

// A tree that may be one side of a division which is under way.
struct Tree {
  Node* root = nullptr;              // the tree, if the division is not valid
  taskrace::shared_future<Cut> cut;  // of which it is a side
  bool large = false;                // which
};

// One step of a division: a node, which belongs to one side, with its subtrees, one of which is
// that side of the rest. Without a node: both sides, complete.
struct Cut {
  Node* node = nullptr;
  bool node_is_large = false;
  Tree left, right;
  taskrace::shared_future<Cut> rest;
  bench::DividedTree complete = {nullptr, nullptr};
};

Tree SideOf(const taskrace::shared_future<Cut>& cut, bool large) { return {nullptr, cut, large}; }
Tree Whole(Node* root) { return {root, {}, false}; }

// A root that is known, and its subtrees. No node: the tree is empty.
struct Top {
  Node* node = nullptr;
  Tree left, right;
};

// Waits until the root is known.
Top Look(Tree tree) {
  while (tree.cut.valid()) {
    const Cut& cut = tree.cut.get();
    if (cut.node == nullptr) {
      tree = Whole(tree.large ? cut.complete.large : cut.complete.small);
    } else if (cut.node_is_large == tree.large) {
      return {cut.node, cut.left, cut.right};
    } else {
      tree = SideOf(cut.rest, tree.large);
    }
  }
  if (tree.root == nullptr) return {};
  return {tree.root, Whole(tree.root->left), Whole(tree.root->right)};
}

// Waits until all of the tree is known.
Node* Link(const Tree& tree) {
  if (!tree.cut.valid()) return tree.root;
  const Top top = Look(tree);
  if (top.node == nullptr) return nullptr;
  top.node->left = Link(top.left);
  top.node->right = Link(top.right);
  return top.node;
}

taskrace::shared_future<Cut> Divide(const Tree& tree, long key, long steps) {
  return taskrace::make_future([=] {
    Cut cut;
    if (steps == 0) {
      cut.complete = bench::Divide(Link(tree), key);
      return cut;
    }
    const Top top = Look(tree);
    if (top.node == nullptr) return cut;
    cut.node = top.node;
    cut.node_is_large = key < top.node->key;
    cut.rest = Divide(cut.node_is_large ? top.left : top.right, key, steps - 1);
    cut.left = cut.node_is_large ? SideOf(cut.rest, true) : top.left;
    cut.right = cut.node_is_large ? top.right : SideOf(cut.rest, false);
    return cut;
  });
}

[[maybe_unused]] long merges = 0;

// Divisions are pipelined for so many steps.
Node* Merge(Node* first, const Tree& second, long depth, long steps) {
  if (depth == 0 || first == nullptr) return bench::MergeSerially(first, Link(second));
  // Seeded race: futurerd/bst-general
  if constexpr (bench::kSeeded) ++merges;
  const auto cut = Divide(second, first->key, steps);
  taskrace::scope tasks;
  tasks.spawn([=] { first->left = Merge(first->left, SideOf(cut, false), depth - 1, steps); });
  first->right = Merge(first->right, SideOf(cut, true), depth - 1, steps);
  tasks.sync();
  return first;
}

int main(int argc, char** argv) {
  const bench::Run<3> run("bst-general", bench::kTreeMergeSizes, argc, argv);
  const auto [first_count, second_count, depth] = run.arguments();
  const bench::TreePair trees(first_count, second_count);
  Node* merged = nullptr;
  run.Kernel(
      [&, depth = depth] { merged = Merge(trees.first(), Whole(trees.second()), depth, depth); });
  return run.Result(trees.AreMergedIn(merged), static_cast<double>(merged->key));
}
