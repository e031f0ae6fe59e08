// bst: merges two binary search trees, with the tasks of its structured variant.
// From:   FutureRD (8 000 000 and 4 000 000 keys, depth limit 5), after Blelloch and Reid-Miller.
//         The paper counts no future here, only spawn and sync.
// Tasks:  the second tree is divided at the root's key of the first; then two merges in parallel,
//         down to the depth limit.
#include <taskrace/tasks.hpp>

#include "../kernels/search_tree.h"

using bench::Node;

[[maybe_unused]] long merges = 0;

Node* Merge(Node* first, Node* second, long depth) {
  if (depth == 0 || first == nullptr || second == nullptr) {
    return bench::MergeSerially(first, second);
  }
  // Seeded race: futurerd/bst-structured
  if constexpr (bench::kSeeded) ++merges;
  const auto [small, large] = bench::Divide(second, first->key);
  taskrace::scope tasks;
  tasks.spawn([=, small = small] { first->left = Merge(first->left, small, depth - 1); });
  first->right = Merge(first->right, large, depth - 1);
  tasks.sync();
  return first;
}

int main(int argc, char** argv) {
  const bench::Run<3> run("bst-structured", bench::kTreeMergeSizes, argc, argv);
  const auto [first_count, second_count, depth] = run.arguments();
  const bench::TreePair trees(first_count, second_count);
  Node* merged = nullptr;
  run.Kernel([&, depth = depth] { merged = Merge(trees.first(), trees.second(), depth); });
  return run.Result(trees.AreMergedIn(merged), static_cast<double>(merged->key));
}
