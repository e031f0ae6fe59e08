// The part of std::map, std::set and similar containers that is inside libstdc++.so, rewritten so that
// it is instrumented: this code runs in its place, and its accesses are the program's.
//
// A red-black tree with a header node: header.parent is the root, header.left the smallest and
// header.right the largest node, the root's parent is the header, and the header is red. An empty
// tree has a null root, and its header is its own left and right. Cost: O(log n), as in libstdc++.

#include <map>

namespace std {
namespace {

using Node = _Rb_tree_node_base;

bool IsRed(const Node* node) { return node != nullptr && node->_M_color == _S_red; }

Node*& Child(Node* node, bool left) { return left ? node->_M_left : node->_M_right; }

// Puts `with` where `node` hangs, at its parent or as the root.
void Replace(Node* node, Node* with, Node*& root) {
  Node* parent = node->_M_parent;
  if (node == root) {
    root = with;
  } else {
    Child(parent, node == parent->_M_left) = with;
  }
  if (with != nullptr) with->_M_parent = parent;
}

// Turns the edge between a node and its child on the other side than `left`;
// the child comes on top.
void Rotate(Node* node, bool left, Node*& root) {
  Node* up = Child(node, !left);
  Node* across = Child(up, left);
  Replace(node, up, root);
  Child(node, !left) = across;
  if (across != nullptr) across->_M_parent = node;
  Child(up, left) = node;
  node->_M_parent = up;
}

Node* Extreme(Node* node, bool left) {
  while (Node* next = Child(node, left)) node = next;
  return node;
}

// The neighbour in order on the given side. The header is behind the last and before the first.
Node* Step(Node* node, bool left) {
  if (Child(node, left) != nullptr) return Extreme(Child(node, left), !left);
  Node* parent = node->_M_parent;
  while (node == Child(parent, left)) {
    node = parent;
    parent = parent->_M_parent;
  }
  // Climbing from an extreme node whose tree has one root only ends at the header already.
  return Child(node, left) != parent ? parent : node;
}

bool IsHeader(const Node* node) {
  return node->_M_color == _S_red && node->_M_parent != nullptr &&
         node->_M_parent->_M_parent == node;
}

}  // namespace

__attribute__((visibility("default"))) Node* _Rb_tree_increment(Node* node) throw() {
  return Step(node, /*left=*/false);
}
__attribute__((visibility("default"))) const Node* _Rb_tree_increment(const Node* node) throw() {
  return Step(const_cast<Node*>(node), /*left=*/false);
}
__attribute__((visibility("default"))) Node* _Rb_tree_decrement(Node* node) throw() {
  return IsHeader(node) ? node->_M_right : Step(node, /*left=*/true);
}
__attribute__((visibility("default"))) const Node* _Rb_tree_decrement(const Node* node) throw() {
  return _Rb_tree_decrement(const_cast<Node*>(node));
}

__attribute__((visibility("default"))) void _Rb_tree_insert_and_rebalance(const bool insert_left,
                                                                          Node* node, Node* parent,
                                                                          Node& header) throw() {
  Node*& root = header._M_parent;
  node->_M_parent = parent;
  node->_M_left = node->_M_right = nullptr;
  node->_M_color = _S_red;
  if (parent == &header) {
    root = header._M_left = header._M_right = node;
  } else {
    Child(parent, insert_left) = node;
    Node*& extreme = Child(&header, insert_left);
    if (parent == extreme) extreme = node;
  }

  // Invariant: only `node` and its parent may both be red.
  while (node != root && node->_M_parent->_M_color == _S_red) {
    Node* up = node->_M_parent;
    Node* top = up->_M_parent;
    const bool left = up == top->_M_left;
    Node* uncle = Child(top, !left);
    if (IsRed(uncle)) {
      up->_M_color = uncle->_M_color = _S_black;
      top->_M_color = _S_red;
      node = top;
      continue;
    }
    if (node == Child(up, !left)) {
      Rotate(up, left, root);
      up = node;
    }
    up->_M_color = _S_black;
    top->_M_color = _S_red;
    Rotate(top, !left, root);
    break;
  }
  root->_M_color = _S_black;
}

__attribute__((visibility("default"))) Node* _Rb_tree_rebalance_for_erase(Node* const node,
                                                                          Node& header) throw() {
  Node*& root = header._M_parent;
  for (bool left : {true, false}) {
    if (Child(&header, left) == node) Child(&header, left) = Step(node, !left);
  }

  // `gap` is what now hangs where a node is missing, `above` what it hangs on.
  Node *gap, *above;
  _Rb_tree_color lost = node->_M_color;
  if (node->_M_left == nullptr || node->_M_right == nullptr) {
    gap = node->_M_left != nullptr ? node->_M_left : node->_M_right;
    above = node->_M_parent;
    Replace(node, gap, root);
  } else {
    // The next node in order has no left child: it leaves its place and takes this one's.
    Node* next = Extreme(node->_M_right, /*left=*/true);
    lost = next->_M_color;
    gap = next->_M_right;
    above = next->_M_parent == node ? next : next->_M_parent;
    if (above != next) {
      Replace(next, gap, root);
      next->_M_right = node->_M_right;
      next->_M_right->_M_parent = next;
    }
    Replace(node, next, root);
    next->_M_left = node->_M_left;
    next->_M_left->_M_parent = next;
    next->_M_color = node->_M_color;
  }
  if (lost == _S_red) return node;

  // Invariant: every path through `gap` has one black node too few.
  while (gap != root && !IsRed(gap)) {
    const bool left = gap == above->_M_left;
    Node* sibling = Child(above, !left);
    if (IsRed(sibling)) {
      sibling->_M_color = _S_black;
      above->_M_color = _S_red;
      Rotate(above, left, root);
      sibling = Child(above, !left);
    }
    if (!IsRed(sibling->_M_left) && !IsRed(sibling->_M_right)) {
      sibling->_M_color = _S_red;
      gap = above;
      above = above->_M_parent;
      continue;
    }
    if (!IsRed(Child(sibling, !left))) {
      Child(sibling, left)->_M_color = _S_black;
      sibling->_M_color = _S_red;
      Rotate(sibling, !left, root);
      sibling = Child(above, !left);
    }
    sibling->_M_color = above->_M_color;
    above->_M_color = _S_black;
    Child(sibling, !left)->_M_color = _S_black;
    Rotate(above, left, root);
    return node;
  }
  if (gap != nullptr) gap->_M_color = _S_black;
  return node;
}

}  // namespace std
