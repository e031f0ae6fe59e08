// Places: which readers of a location are equivalent, whatever the program does later. For runs in
// which the engine may still change, and for engines that have no classes of their own.
// Paper:      none. The folding of the model's general_futures.py, carried over to every dag.
// Handles:    all constructs, promises and switching included.
// Words:      an ended task is *pure* if its group (a scope or a finish) joins it, it has set no
//             promise, it has made no future or fork, and all that it has created is pure and is
//             joined by itself or by its own group.
// Invariant:  a pure task acts as one with all pure tasks that the next join of its group will
//             join, and after that join, strand j of task F, as j; and, once F is pure, as F.
// Why:        what leaves a strand leads on in its task, to what the task creates, to the getters
//             of what it sets and, at the end, to the joiner. So every way out of a pure task leads
//             through j: by induction each of its children stays inside or leads through j too. For
//             a strand w that runs after the tasks have ended, u precedes w <=> j precedes w or is
//             w; before the join has happened, neither can be.
// Query:      ClassOf(u) = the place that u's task acts as, or u itself if the task is not pure
//             (it runs, or has another way out).
// Cost:       O(1) per event but for each task becoming impure once; a query O(log n) amortised by
//             path splitting, a step or two in flat groups. 12 bytes a task, 4 a group ever made,
//             nothing a strand.
// Limits:     a future or fork that its creator has got makes the creator impure all the same, and
//             so does a child that is switched out when its creator ends.
// Thread rule: one thread.
// Tested by:  test/detect/places_test.cc
#pragma once

#include "detect/ds/mapped_array.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class Places {
 public:
  constexpr Places() = default;

  void OnStart(TaskId task) {
    DCHECK(task == kRootTask, "the first task is not the root");
    nodes_.Append({.parent = kRootTask, .detail = 0, .running = 0, .state = kImpure});
  }

  // Requires: groups are numbered in order of creation, and a scope is used only by the task that
  // made it, inside the finish that it was made in.
  void OnCreate(TaskId task, TaskId child, How how, GroupId group) {
    DCHECK(Index(child) == nodes_.Size(), "tasks are not numbered in order of creation");
    nodes_.Append({.parent = task,
                   .detail = Index(group),
                   .running = 0,
                   .state = IsSingle(how) ? kImpure : kUndecided});
    Node& creator = nodes_[Index(task)];
    ++creator.running;
    // Groups that the creator makes itself come after its own; an older one is a finish around
    // the scope that it belongs to, and joins the child later than that scope joins the creator.
    if (creator.state == kUndecided && (IsSingle(how) || Index(group) < creator.detail)) {
      BecomeImpure(task);
    }
  }

  // The current strand of the task precedes others than those that come after its join.
  void OnSet(TaskId task) { BecomeImpure(task); }

  void OnEnd(TaskId task) {
    if (task == kRootTask) return;
    Node& node = nodes_[Index(task)];
    --nodes_[Index(node.parent)].running;
    if (node.running != 0) BecomeImpure(task);
    if (node.state == kUndecided) BecomePure(task);
  }

  // `task` goes on with `strand`, after all children of the group.
  void OnJoin(TaskId task, GroupId group, StrandId strand) {
    if (Index(group) >= pure_.Size()) return;
    TaskId& representative = pure_[Index(group)];
    if (representative == kNone) return;
    Node& node = nodes_[Index(representative)];
    node.parent = task;
    node.detail = Index(strand);
    representative = kNone;
  }

  // Equal for two strands that have run: as readers of a location they are equivalent from now on.
  uint64_t ClassOf(StrandId u, TaskId task) {
    if (!IsPure(task)) return Index(u);
    for (;;) {
      Node& node = nodes_[Index(task)];
      const TaskId parent = node.parent;
      if (parent == task) return ClassOfUnjoined(task);
      if (!IsPure(parent)) return node.detail;
      const Node& above = nodes_[Index(parent)];
      if (above.parent == parent) return ClassOfUnjoined(parent);
      node.parent = above.parent;
      node.detail = above.detail;
      task = parent;
    }
  }

  size_t BytesUsed() const { return nodes_.BytesUsed() + pure_.BytesUsed(); }

 private:
  enum State : uint32_t { kUndecided, kImpure, kPure };
  struct Node {
    // Its creator; of a pure task what it acts as: itself while its group has not been joined.
    TaskId parent;
    // Its group; of a pure task the strand of `parent` that it acts as, if that is not pure.
    uint32_t detail;
    uint32_t running : 30;  // how many of its children have not ended
    uint32_t state : 2;
  };
  static_assert(sizeof(Node) == 12);
  static constexpr TaskId kNone = kRootTask;  // the root is never pure

  bool IsPure(TaskId task) const { return nodes_[Index(task)].state == kPure; }

  // Apart from the strands, which are 32-bit numbers.
  static uint64_t ClassOfUnjoined(TaskId representative) {
    return uint64_t{1} << 32 | Index(representative);
  }

  // Whoever created an impure task is impure.
  void BecomeImpure(TaskId task) {
    while (nodes_[Index(task)].state != kImpure) {
      nodes_[Index(task)].state = kImpure;
      task = nodes_[Index(task)].parent;
    }
  }

  void BecomePure(TaskId task) {
    Node& node = nodes_[Index(task)];
    if (node.detail >= pure_.Size()) pure_.Resize(node.detail + 1);
    TaskId& representative = pure_[node.detail];
    if (representative == kNone) representative = task;
    node.parent = representative;
    node.state = kPure;
  }

  MappedArray<Node> nodes_{"the places of tasks"};
  // Of each group, one of the pure tasks that it has not joined yet.
  MappedArray<TaskId> pure_{"scopes and finishes"};
};

}  // namespace taskrace
