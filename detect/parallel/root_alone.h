// RootAlone: whether the root runs alone, with no task that it has not joined. Then whatever ran precedes
// what it does, and that precedes whatever comes: its accesses race with nothing, and what ran before need not
// be remembered.
//
// Idea:       joins nest. So the group of the first child that the root creates when it is alone is
//             joined after the groups of all other tasks that come meanwhile; only then it is alone again.
// Thread rule: changed only when one worker runs anything: before the first child is handed to others, and
//             after the last one has ended. Whoever hands over tasks and waits for them orders that.
// Cost:       a comparison per construct.
// Tested by:  test/detect/parallel_worker_test.cc, test/oracle/parallel_orders_test.cc
#pragma once

#include "detect/parallel/task_tree.h"

namespace taskrace {

class RootAlone {
 public:
  constexpr RootAlone() = default;

  bool Is() const { return is_alone_; }

  void OnStart() { is_alone_ = true; }
  void OnCreate(const TaskTree::Group& group) {
    if (!is_alone_) return;
    is_alone_ = false;
    first_ = &group;
  }
  // Returns whether the root is alone from now on, and was not before.
  bool OnJoin(const TaskTree::Group& group) {
    if (is_alone_ || &group != first_) return false;
    is_alone_ = true;
    return true;
  }

 private:
  bool is_alone_ = false;
  const TaskTree::Group* first_ = nullptr;
};

}  // namespace taskrace
