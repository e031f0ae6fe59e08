// Places: which readers of a location are equivalent, whatever the program does later. For runs in
// which the engine may still change, and for engines that have no classes of their own.
// Paper:      none. The folding of DoneSets, carried over to every task graph.
// Handles:    all constructs, promises and switching included.
// Words:      an ended task is *closed* if it has made no future or fork, and all that it has created
//             is pure or promised and is joined by itself or by its own group (a scope or a finish).
//             A closed task that its group joins is *pure* if it has set no promise that somebody
//             got. One that has set one promise is *settled*; it is *promised* when nobody can get
//             that any more, and nobody has but its creator, which has the same group.
// Invariant:  a pure task acts as one with all pure tasks that the next join of its group will
//             join, and after that join, strand j of task F, as j. A settled task acts, up to the
//             set, as the strand that set; a promised one as g, the first strand of its creator F
//             that got the promise. If F acts as something by then, so do they.
// Why:        what leaves a strand leads on in its task, to what the task creates, to the getters
//             of what it sets and, at the end, to the joiner. So every way out of a pure task leads
//             through j: by induction each of its children stays inside or leads through j too. For
//             a strand w that runs after the tasks have ended, u precedes w <=> j precedes w or is
//             w; before the join has happened, neither can be.
//             Every way out of a settled task leads through a get of its promise or through j, and
//             the set precedes both: what its children lead to lies in the task itself, or behind
//             j. If all gets are the creator's, they come after g; and g precedes j, because the
//             same join waits for F. So u precedes w <=> the set does (g does) or is w, for every w
//             outside the task.
// Query:      ClassOf(u) = the place that u's task acts as, or u itself if the task runs or has
//             other ways out, or u comes after the set.
// Cost:       O(1) per event; a query O(log n) amortised by path splitting, a step or two in flat
//             groups. 12 bytes a task, 20 where promises are
//             set, 4 a group, until they are forgotten; nothing a strand.
// Limits:     a future or fork that its creator has got makes the creator impure all the same, and
//             so does a child that is switched out when its creator ends, or whose promise could
//             still be got then.
// Thread rule: one thread.
// Tested by:  test/detect/places_test.cc
#pragma once

#include <algorithm>

#include "detect/ds/sparse_array.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class Places {
 public:
  constexpr Places() = default;

  void OnStart(TaskId task) {
    DCHECK(task == kRootTask, "the first task is not the root");
    nodes_.Append(
        {.parent = kRootTask, .detail = 0, .open = 0, .over = 0, .escapes = 0, .state = kImpure});
  }

  // Requires: groups are numbered in order of creation, and a scope is used only by the task that
  // made it, inside the finish that it was made in.
  void OnCreate(TaskId task, TaskId child, How how, GroupId group) {
    DCHECK(Index(child) == nodes_.Size(), "tasks are not numbered in order of creation");
    nodes_.Append({.parent = task,
                   .detail = Index(group),
                   .open = 0,
                   .over = 0,
                   .escapes = 0,
                   .state = IsSingle(how) ? kImpure : kUndecided});
    Node& creator = nodes_[Index(task)];
    ++creator.open;
    // Groups that the creator makes itself come after its own; an older one is a finish around
    // the scope that it belongs to, and joins the child later than that scope joins the creator.
    if (creator.state == kUndecided && Index(group) < creator.detail) creator.state = kImpure;
  }

  // The current strand of the task sets a promise. A task with two of them has too many ways out.
  void OnSet(TaskId task, StrandId strand) {
    Node& node = nodes_[Index(task)];
    if (node.state != kUndecided) return;
    if (HasSet(task)) {
      node.state = kImpure;
      return;
    }
    if (Index(task) >= exits_.Size()) exits_.Resize(Index(task) + 1);
    exits_[Index(task)] = {.set = strand, .got = kNoStrand};
    if (nodes_[Index(node.parent)].detail != node.detail) node.escapes = 1;
  }
  // `getter` goes on with `strand`, after the set of `task`.
  void OnGet(TaskId task, TaskId getter, StrandId strand) {
    Node& node = nodes_[Index(task)];
    if (!MayBePromised(node)) return;
    if (getter != node.parent) node.escapes = 1;
    StrandId& got = exits_[Index(task)].got;
    if (got == kNoStrand) got = strand;
  }
  // Nobody can get the promise any more that the task has set.
  void OnOver(TaskId task) {
    Node& node = nodes_[Index(task)];
    if (!MayBePromised(node)) return;
    if (exits_[Index(task)].got == kNoStrand) {
      // As if it were not there, unless its group may have joined the task by now.
      if (node.state == kUndecided) exits_[Index(task)] = {};
    } else if (node.state == kUndecided) {
      node.over = 1;
    } else {
      BecomePromised(task);
    }
  }

  void OnEnd(TaskId task) {
    if (task == kRootTask) return;
    Node& node = nodes_[Index(task)];
    if (node.state != kUndecided) return;
    if (node.open != 0) {
      node.state = kImpure;
    } else if (!HasSet(task)) {
      BecomePure(task);
    } else if (node.over) {
      BecomePromised(task);
    } else {
      node.state = kSettled;
    }
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
    const uint32_t state = nodes_[Index(task)].state;
    if (state < kPure) return Index(u);
    // The common case of readers that are kept. Whatever comes after the set acts as itself.
    if (state == kSettled) return Index(std::max(u, exits_[Index(task)].set));
    return ActsAsOther(u, task) ? Find(task) : Index(u);
  }

  // Does the task act as the get of its promise?
  bool IsPromised(TaskId task) const { return nodes_[Index(task)].state == kPromised; }
  // The strand that set the promise of a task that has set one.
  StrandId SetBy(TaskId task) const { return exits_[Index(task)].set; }
  // Has the task, which runs, no way out yet, and what it has created none but through it?
  bool IsOneWithItsChildren(TaskId task) const {
    const Node& node = nodes_[Index(task)];
    return node.state == kUndecided && node.open == 0 && !HasSet(task);
  }
  // Forgets the tasks after this one. Requires: their groups have been joined, or they are promised.
  void Drop(TaskId newest) {
    nodes_.Truncate(Index(newest) + 1);
    exits_.Truncate(std::min<size_t>(exits_.Size(), Index(newest) + 1));
  }

  // The task is needed after ForgetOthers, with what it acts as. Requires: nobody sets promises.
  void Keep(TaskId task) {
    while (nodes_.Keep(Index(task)) && !IsLast(task)) task = nodes_[Index(task)].parent;
  }
  void ForgetOthers() {
    pure_.ForEach([this](size_t, TaskId representative) {
      if (representative != kNone) Keep(representative);
    });
    ForgetJoinedGroups();
    nodes_.ForgetOthers();
  }
  // Forgets the groups that have no pure task that is not joined.
  void ForgetJoinedGroups() {
    pure_.ForEach([this](size_t group, TaskId representative) {
      if (representative != kNone) pure_.Keep(group);
    });
    pure_.ForgetOthers();
  }
  // Calls visit(strand) for all that ClassOf may return for another strand, and perhaps for other numbers.
  template <class Visit>
  void ForEachStrand(Visit visit) const {
    for (size_t i = 0; i < nodes_.Size(); ++i) {
      if (nodes_[i].state >= kPure) visit(StrandId{nodes_[i].detail});
    }
    for (size_t i = 0; i < exits_.Size(); ++i) {
      visit(exits_[i].set);
      visit(exits_[i].got);
    }
  }

  // Requires: the task is not the root, and has not ended.
  TaskId CreatorOf(TaskId task) const { return nodes_[Index(task)].parent; }

  size_t BytesUsed() const { return nodes_.BytesUsed() + exits_.BytesUsed() + pure_.BytesUsed(); }

 private:
  // Impure: none of the others, for good.
  enum State : uint32_t { kUndecided, kImpure, kPure, kSettled, kPromised };
  struct Node {
    // Its creator; of a pure task what it acts as: itself while its group has not been joined.
    TaskId parent;
    // Its group; of a pure or promised task the strand of `parent` that it acts as, if that does not
    // act as something else.
    uint32_t detail;
    uint32_t open : 27;    // how many of its children are neither pure nor promised yet
    uint32_t over : 1;     // nobody can get its promise any more
    uint32_t escapes : 1;  // its promise leads elsewhere than to its creator or its join
    uint32_t state : 3;
  };
  static_assert(sizeof(Node) == 12);
  // The promise of a task that has set one.
  struct Exit {
    StrandId set;  // the strand that did; none: there is no such promise
    StrandId got;  // the first strand that did; none: nobody has
  };
  static constexpr TaskId kNone = kRootTask;  // the root is never pure

  bool HasSet(TaskId task) const {
    return Index(task) < exits_.Size() && exits_[Index(task)].set != kNoStrand;
  }
  static bool MayBePromised(const Node& node) {
    return (node.state == kUndecided || node.state == kSettled) && !node.escapes;
  }
  // Does the strand act as what its task acts as?
  bool ActsAsOther(StrandId u, TaskId task) const {
    const uint32_t state = nodes_[Index(task)].state;
    return state == kPure || (state > kPure && u <= exits_[Index(task)].set);
  }
  // Does the task act as something of its own, as yet?
  bool IsLast(TaskId task) const {
    const Node& node = nodes_[Index(task)];
    return node.parent == task || node.state == kSettled;
  }
  // An unjoined pure task stands for those of its group: apart from the strands, which are 32-bit
  // numbers.
  uint64_t ClassOfLast(TaskId task) const {
    if (nodes_[Index(task)].state == kSettled) return Index(exits_[Index(task)].set);
    return uint64_t{1} << 32 | Index(task);
  }

  // The place that a pure or promised task acts as, by path splitting.
  [[gnu::noinline]] uint64_t Find(TaskId task) {
    for (;;) {
      Node& node = nodes_[Index(task)];
      const TaskId parent = node.parent;
      if (IsLast(task)) return ClassOfLast(task);
      if (!ActsAsOther(StrandId{node.detail}, parent)) return node.detail;
      if (IsLast(parent)) return ClassOfLast(parent);
      const Node& above = nodes_[Index(parent)];
      node.parent = above.parent;
      node.detail = above.detail;
      task = parent;
    }
  }

  void BecomePure(TaskId task) {
    Node& node = nodes_[Index(task)];
    --nodes_[Index(node.parent)].open;
    if (node.detail >= pure_.Size()) pure_.Resize(node.detail + 1);
    TaskId& representative = pure_[node.detail];
    if (representative == kNone) representative = task;
    node.parent = representative;
    node.state = kPure;
  }

  void BecomePromised(TaskId task) {
    Node& node = nodes_[Index(task)];
    --nodes_[Index(node.parent)].open;
    node.detail = Index(exits_[Index(task)].got);
    node.state = kPromised;
  }

  SparseArray<Node> nodes_{"the places of tasks"};
  MappedArray<Exit> exits_{"the promises of tasks"};
  // Of each group, one of the pure tasks that it has not joined yet.
  SparseArray<TaskId> pure_{"scopes and finishes"};
};

}  // namespace taskrace
