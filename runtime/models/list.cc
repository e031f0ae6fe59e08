// The part of std::list that lives inside libstdc++.so, written anew so that it is instrumented.
// A circular list of nodes; the list object is one of them.

#include <list>

namespace std {
namespace __detail {
namespace {

using Node = _List_node_base;

void Link(Node* before, Node* after) {
  before->_M_next = after;
  after->_M_prev = before;
}

// The nodes of `from`, which may be empty, hang on `to` afterwards; `from` keeps its old links.
void Adopt(Node* to, const Node& from, const Node* old_place) {
  if (from._M_next == old_place) {
    to->_M_next = to->_M_prev = to;
  } else {
    Link(to, from._M_next);
    Link(from._M_prev, to);
  }
}

}  // namespace

__attribute__((visibility("default"))) void _List_node_base::_M_hook(
    _List_node_base* const position) noexcept {
  Link(position->_M_prev, this);
  Link(this, position);
}

__attribute__((visibility("default"))) void _List_node_base::_M_unhook() noexcept {
  Link(_M_prev, _M_next);
}

__attribute__((visibility("default"))) void _List_node_base::_M_transfer(
    _List_node_base* const first, _List_node_base* const last) noexcept {
  if (this == last) return;
  Node* const last_moved = last->_M_prev;
  Node* const before = _M_prev;
  Link(first->_M_prev, last);
  Link(before, first);
  Link(last_moved, this);
}

__attribute__((visibility("default"))) void _List_node_base::_M_reverse() noexcept {
  Node* node = this;
  do {
    Node* const next = node->_M_next;
    node->_M_next = node->_M_prev;
    node->_M_prev = next;
    node = next;
  } while (node != this);
}

__attribute__((visibility("default"))) void _List_node_base::swap(_List_node_base& a,
                                                                  _List_node_base& b) noexcept {
  const Node old_a = a, old_b = b;
  Adopt(&a, old_b, &b);
  Adopt(&b, old_a, &a);
}

}  // namespace __detail
}  // namespace std
