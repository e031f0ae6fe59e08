// The parts of libstdc++ that the runtime replaces (runtime/models), linked here without
// instrumentation: they must keep every promise of the originals.
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace {

// The number of black nodes on every path down from `node`, or -1 if the tree is not red-black.
int BlackHeight(const std::_Rb_tree_node_base* node) {
  if (node == nullptr) return 1;
  for (const auto* child : {node->_M_left, node->_M_right}) {
    if (child == nullptr) continue;
    if (child->_M_parent != node) return -1;
    if (node->_M_color == std::_S_red && child->_M_color == std::_S_red) return -1;
  }
  const int left = BlackHeight(node->_M_left), right = BlackHeight(node->_M_right);
  if (left != right || left < 0) return -1;
  return left + (node->_M_color == std::_S_black);
}

bool IsRedBlack(const std::map<int, int>& map) {
  const std::_Rb_tree_node_base* header = map.end()._M_node;
  const auto* root = header->_M_parent;
  if (map.empty())
    return root == nullptr && header->_M_left == header && header->_M_right == header;
  return root->_M_parent == header && root->_M_color == std::_S_black && BlackHeight(root) > 0;
}

TEST(RbTreeModel, StaysRedBlackAndInOrderUnderRandomInsertsAndErases) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::map<int, int> map;
    std::vector<bool> present(200, false);
    for (int step = 0; step < 2000; ++step) {
      const int key = static_cast<int>(random() % present.size());
      if (random() % 2 == 0) {
        EXPECT_EQ(map.insert({key, step}).second, !present[key]);
        present[key] = true;
      } else {
        EXPECT_EQ(map.erase(key), present[key] ? 1u : 0u);
        present[key] = false;
      }
      ASSERT_TRUE(IsRedBlack(map)) << "seed " << seed << ", step " << step;
    }
    std::vector<int> wanted, forward, backward;
    for (int key = 0; key < 200; ++key) {
      if (present[key]) wanted.push_back(key);
    }
    for (auto it = map.begin(); it != map.end(); ++it) forward.push_back(it->first);
    for (auto it = map.end(); it != map.begin();) backward.insert(backward.begin(), (--it)->first);
    EXPECT_EQ(forward, wanted);
    EXPECT_EQ(backward, wanted);
  }
}

TEST(RbTreeModel, StepsOverATreeOfOneNode) {
  std::set<int> one = {7};
  EXPECT_EQ(std::next(one.begin()), one.end());
  EXPECT_EQ(std::prev(one.end()), one.begin());
}

TEST(ListModel, SplicesSwapsAndReversesAsAVectorWould) {
  std::mt19937 random(1);
  std::list<int> a, b;
  std::vector<int> va, vb;
  for (int step = 0; step < 20000; ++step) {
    switch (random() % 6) {
      case 0:
        a.push_back(step);
        va.push_back(step);
        break;
      case 1:
        b.push_front(step);
        vb.insert(vb.begin(), step);
        break;
      case 2:
        a.reverse();
        va = {va.rbegin(), va.rend()};
        break;
      case 3:
        a.swap(b);
        va.swap(vb);
        break;
      case 4: {  // a piece of b goes to the front of a
        const size_t from = vb.empty() ? 0 : random() % vb.size();
        a.splice(a.begin(), b, std::next(b.begin(), from), b.end());
        va.insert(va.begin(), vb.begin() + from, vb.end());
        vb.resize(from);
        break;
      }
      case 5:
        if (!va.empty()) {
          const size_t at = random() % va.size();
          a.erase(std::next(a.begin(), at));
          va.erase(va.begin() + at);
        }
    }
    ASSERT_EQ(std::vector<int>(a.begin(), a.end()), va) << "step " << step;
    ASSERT_EQ(std::vector<int>(b.rbegin(), b.rend()), std::vector<int>(vb.rbegin(), vb.rend()));
    if (va.size() > 30) a.clear(), va.clear();
  }
}

}  // namespace
