// TaskTree: the program structure tree of a program that runs in parallel.
// Paper:      Raman, Zhao, Sarkar, Vechev, Yahav (SPD3), PLDI 2012, sections 3 and 5.1.
// Handles:    spawn/sync, async/finish and parallel loops, nested; tasks and parts of loops on any workers, in
//             any order.
// Invariant:  as in detect/reach/dpst.h. The children of a node are made by the one task that is in
//             it, so numbers that this task counts by itself order them: nothing is shared but the
//             table of nodes. The open groups of a task are a stack, and their nodes a chain.
// Query:      u precedes v <=> of the two children of the lowest common ancestor, the one above u is
//             the left one, and no async; and if both are below one loop, iff u is the first strand of
//             the iteration that v belongs to.
// Loops:      a finish, which its creator has among its other children, and in it the loop, whose children are
//             iterations by number. An iteration that meets no construct is a step {loop, number}; at
//             its first construct it becomes an async of the same number. All workers that run iterations
//             add such asyncs: numbers say who is who, and nobody counts. The number that a report calls
//             iteration 0 is kept in the two nodes: they have fields that no query asks for.
// Class:      a child of a group that is not the innermost open one of its task cannot be joined in
//             nested order. Both are known to the task alone, so the check needs nobody else.
// Reclaimed:  a node whose task has ended, or whose group is joined, gets no more children; it is used again
//             when no record of a cell is below it, nor a node that has not ended (collection.h).
//             Workers hand over what has ended a batch at a time. What was handed over before a collection
//             began has all its children among the nodes of that time, so those that have not ended are
//             found by going through them.
// Thread rule: a TaskPlace and its groups belong to the worker that runs the task; whoever hands a
//             task to another worker orders the two. Questions may be asked by anyone.
// Cost:       O(1) per construct: one node of 20 bytes for a task, a finish and a sync with
//             children; a lock for 256 of them at most. O(log height) per query.
// Tested by:  test/detect/parallel_tree_test.cc, test/detect/parallel_nodes_test.cc,
//             test/oracle/parallel_orders_test.cc
#pragma once

#include "detect/ds/spin_lock.h"
#include "detect/parallel/number_set.h"
#include "detect/parallel/reclaimed_table.h"
#include "detect/reach/dpst.h"
#include "detect/reach/reachability.h"
#include "report/race.h"

namespace taskrace {

// A node, and for a task or a loop where it was created. Of a loop's finish: the lower half of its index.
struct TaskTreeNode : DpstInner {
  Where created_at;
};

class TaskTree : public DpstIn<ReclaimedTable<TaskTreeNode>> {
 public:
  // What a worker has of the tree.
  class Cursor {
   public:
    // As ReclaimedTable's.
    void LetGo() { made_.LetGo(); }

   private:
    friend TaskTree;
    static constexpr size_t kMostEnded = 256;
    ReclaimedTable<TaskTreeNode>::Cursor made_;
    size_t ended_count_ = 0;
    Node ended_[kMostEnded];  // not handed over yet
  };

  // A scope or a finish; lives where the program has it.
  struct Group {
    Node node = kNoNode;     // while it is open
    Group* outer = nullptr;  // the group of the task that was open before
  };
  // Where a task is.
  struct TaskPlace {
    Node node = kNoNode;         // its step's parent
    uint32_t count = 0;          // of its steps and of the nodes that it has made
    Group* open = nullptr;       // the innermost open group that it has opened
    Group* joined_by = nullptr;  // joins the task itself
    Step Now() const { return {node, StrandId{count}}; }
  };

  // The root task begins, inside its implicit finish.
  void Start(Cursor& cursor, TaskPlace& root, Group& finish) {
    const Node self{nodes_.Add(cursor.made_, {})};
    nodes_[Index(self)] = {DpstIn::Root(self, Kind::kAsync, StrandId{0}), kNowhere};
    root = {.node = self};
    Open(cursor, root, finish);
  }

  // `task` creates `child`, which `group` joins: a scope of the task (kSpawn), or the innermost
  // finish around it (kAsync). Both go on with a new step.
  OutsideClass Create(Cursor& cursor, TaskPlace& task, TaskPlace& child, How how, Group& group,
                      Where at) {
    if (how == How::kFuture) return &reasons::kFuture;
    if (how == How::kFork) return &reasons::kFork;
    Group* const innermost = task.open != nullptr ? task.open : task.joined_by;
    if (innermost != &group) {
      if (how == How::kAsync) return &reasons::kAsyncOutlivesScope;
      if (group.node != kNoNode) return &reasons::kAlternatingGroups;
      OpenNode(cursor, task, group);
    }
    child = {.node = Add(cursor, task, Kind::kAsync, at), .joined_by = &group};
    ++child.count;
    ++task.count;
    return nullptr;
  }

  // `task` begins a finish.
  void Open(Cursor& cursor, TaskPlace& task, Group& finish) {
    OpenNode(cursor, task, finish);
    ++task.count;
  }

  // `task` begins a loop, and goes on when that is joined. `index`: what reports call iteration 0.
  void BeginLoop(Cursor& cursor, TaskPlace& task, Group& loop, int64_t index, Where at) {
    const uint64_t bits = static_cast<uint64_t>(index);
    const Node finish = Add(cursor, task, Kind::kFinish, Where{static_cast<uint32_t>(bits)});
    // It has no siblings that its own number would tell it from.
    const StrandId upper{static_cast<uint32_t>(bits >> 32)};
    loop.node = Node{nodes_.Add(cursor.made_, {Below(finish, Kind::kLoop, upper), at})};
  }
  // The first strand of iteration `number`.
  static Step IterationOf(const Group& loop, uint32_t number) {
    return {loop.node, StrandId{number}};
  }
  // That iteration becomes a task.
  void BecomeTask(Cursor& cursor, Group& loop, uint32_t number, TaskPlace& task) {
    const TaskTreeNode made{Below(loop.node, Kind::kAsync, StrandId{number}), CreatedAt(loop.node)};
    task = {.node = Node{nodes_.Add(cursor.made_, made)}, .count = 1, .joined_by = &loop};
  }
  // All iterations have ended; `task`, which began the loop, goes on.
  void JoinLoop(Cursor& cursor, TaskPlace& task, Group& loop) {
    End(cursor, Parent(loop.node));
    End(cursor, loop.node);
    loop = {};
    ++task.count;
  }

  // All children of the group have ended; `task` goes on. A scope without children was never open.
  OutsideClass Join(TaskPlace& task, Group& group) {
    if (group.node == kNoNode) return nullptr;
    if (task.open != &group) return &reasons::kLaterChildrenLeft;
    task.node = Parent(group.node);
    task.open = group.outer;
    group = {};
    ++task.count;
    return nullptr;
  }

  // The node, which a task or a group had, gets no more children.
  void End(Cursor& cursor, Node node) {
    cursor.ended_[cursor.ended_count_++] = node;
    if (cursor.ended_count_ == Cursor::kMostEnded) HandOver(cursor);
  }
  // What has ended by now, the next collection may reclaim.
  void HandOver(Cursor& cursor) {
    const SpinLock::Guard guard(busy_);
    for (size_t i = 0; i < cursor.ended_count_; ++i) ended_.Add(Index(cursor.ended_[i]));
    cursor.ended_count_ = 0;
  }
  // The node is in a report: its number is nobody else's.
  void Keep(Node node) {
    const SpinLock::Guard guard(busy_);
    kept_.Add(Index(node));
  }

  // As ReclaimedTable's.
  constexpr void SetWhenLarge(std::atomic<bool>& wanted) { nodes_.SetWhenLarge(wanted); }
  // A collection: BeginCollection; when everybody has let go of blocks, MarkRunning, and Mark for each
  // node that a cell knows; when nobody else is known, EndCollection.
  void BeginCollection() {
    const SpinLock::Guard guard(busy_);
    candidates_.Copy(ended_);
    nodes_.BeginCollection();
  }
  void MarkRunning() {
    nodes_.ForEachCandidateWord([this](size_t i) {
      NumberSet::ForEachOf(i, ~candidates_.Word(i), [this](uint32_t number) {
        if (nodes_[number].parent != kUnused) Mark(Node{number});
      });
    });
  }
  // With all that are above it.
  void Mark(Node node) {
    while (nodes_.Mark(Index(node))) node = Parent(node);
  }
  void EndCollection(size_t others) {
    {
      const SpinLock::Guard guard(busy_);
      kept_.ForEach([this](uint32_t number) { Mark(Node{number}); });
      nodes_.ForEachCandidateWord([this](size_t i) {
        const uint64_t unused = ~nodes_.MarkedWord(i);
        ended_.RemoveFromWord(i, unused);
        NumberSet::ForEachOf(i, unused,
                             [this](uint32_t number) { nodes_[number].parent = kUnused; });
      });
    }
    nodes_.EndCollection(others);
  }

  // How u lies to v, a later one or one that runs at the same time.
  struct Relation {
    bool precedes;
    uint32_t lca_depth;
  };
  Relation Relate(Step u, Step v) const {
    if (u.node == v.node) {
      return {Index(u.strand) < Index(v.strand) && !IsIteration(u), LcaDepth(u, v)};
    }
    const Branches below = BelowLca(u, v);
    const uint32_t depth = below.a != kNoNode ? Depth(below.a) - 1 : Depth(u.node);
    if (below.a != kNoNode && KindOf(below.a) == Kind::kAsync) return {false, depth};
    if (below.a == kNoNode && IsIteration(u)) {
      const bool is_first = IsFirstOf(u, below.a, below.b);
      return {is_first, depth + (is_first ? 1 : 0)};
    }
    return {IsLeft(u, v, below), depth};
  }
  bool Precedes(Step u, Step v) const { return Relate(u, v).precedes; }

  // How a step u lies to all steps below the children of a node, but those below one child.
  struct Outlook {
    Node parent = kNoNode;  // the node; none: nothing is known
    Node except = kNoNode;  // the child that u is below, if any
    bool is_above = false;  // u meets all of them above the node: as `relation` says
    Relation relation = {};
    bool is_async = false;  // else: what of u is a child of the node, and where that lies
    StrandId first = {};
  };
  // As Relate; and what that says for the steps that have other parents beside v's.
  Relation Relate(Step u, Step v, Outlook& outlook) const {
    const Relation relation = Relate(u, v);
    const uint32_t depth = Depth(v.node);
    // Below its own loop, an iteration's first strand has no place among the nodes.
    const bool is_in_loop = IsIteration(u) && relation.lca_depth >= Depth(u.node);
    if (relation.lca_depth >= depth || is_in_loop) {
      outlook = {};
      return relation;
    }
    outlook = {
        .parent = Parent(v.node), .is_above = relation.lca_depth + 1 < depth, .relation = relation};
    if (outlook.is_above) return relation;
    outlook.except = u.node == outlook.parent ? kNoNode : BelowLca(u, v).a;
    outlook.is_async = outlook.except != kNoNode && KindOf(outlook.except) == Kind::kAsync;
    outlook.first = outlook.except != kNoNode ? nodes_[Index(outlook.except)].first : u.strand;
    return relation;
  }
  // Requires: v's parent is a child of the outlook's node, and not its exception.
  Relation Relate(const Outlook& u, Step v) const {
    if (u.is_above) return u.relation;
    const bool is_left = Index(u.first) < Index(nodes_[Index(v.node)].first);
    return {!u.is_async && is_left, u.relation.lca_depth};
  }

  // The task that the node belongs to, as its async node; or the loop.
  Node TaskOf(Node node) const {
    while (KindOf(node) == Kind::kFinish) node = Parent(node);
    return node;
  }
  // The task that has created a task or a loop.
  Node CreatorOf(Node task) const {
    const Node parent = Parent(task);
    return TaskOf(KindOf(parent) == Kind::kLoop ? Parent(parent) : parent);
  }
  bool IsRoot(Node node) const { return Parent(node) == node; }
  bool IsLoop(Node node) const { return KindOf(node) == Kind::kLoop; }
  // Was the task an iteration when it began?
  bool WasIteration(Node task) const { return !IsRoot(task) && IsLoop(Parent(task)); }
  // What reports call the iteration with this number.
  int64_t IndexOf(Node loop, uint32_t number) const {
    const uint64_t upper = Index(First(loop));
    const uint64_t lower = static_cast<uint32_t>(CreatedAt(Parent(loop)));
    return static_cast<int64_t>((upper << 32 | lower) + number);
  }
  Where CreatedAt(Node task) const { return nodes_[Index(task)].created_at; }

 private:
  // Nobody's number, and so no node's parent.
  static constexpr Node kUnused{0};
  static constexpr uint32_t Index(Node node) { return static_cast<uint32_t>(node); }
  static constexpr uint32_t Index(StrandId strand) { return taskrace::Index(strand); }

  Node Add(Cursor& cursor, TaskPlace& task, Kind kind, Where at) {
    ++task.count;
    CheckLimit(task.count < UINT32_MAX - 2, "a task has too many children");
    const TaskTreeNode made{Below(task.node, kind, StrandId{task.count}), at};
    return Node{nodes_.Add(cursor.made_, made)};
  }
  void OpenNode(Cursor& cursor, TaskPlace& task, Group& group) {
    group = {.node = Add(cursor, task, Kind::kFinish, kNowhere), .outer = task.open};
    task.node = group.node;
    task.open = &group;
  }

  SpinLock busy_;
  NumberSet ended_{"the program structure tree"};
  NumberSet kept_{"the program structure tree"};
  NumberSet candidates_{"the program structure tree"};  // had ended when the collection began
};

}  // namespace taskrace
