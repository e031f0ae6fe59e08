// DPST: reachability by the dynamic program structure tree, here in serial execution.
// Paper:      Raman, Zhao, Sarkar, Vechev, Yahav (SPD3), PLDI 2012, sections 3 and 4.
// Handles:    spawn/sync and async/finish, nested. No futures. The same tree serves parallel
//             execution (detect/parallel/task_tree.h), where strands run in any order.
// Invariant:  an open group (a finish, or a scope with unjoined children) has a finish node; the
//             open groups of a task are a stack, and their nodes a chain in the tree.
// Query:      u precedes now <=> of the two children of the lowest common ancestor, the one above u
//             is the left one, and no async. What ran earlier in depth-first order is left.
// Cost:       O(1) per event, O(log height) per query; 4 bytes a strand, 20 a task or finish, until
//             Collect forgets them. A spawn into an older scope than the innermost costs a step per open
//             scope of the task.
// Deviation:  a scope becomes a finish node at its first spawn; a sync closes it, and the next spawn
//             opens another. The class is checked at each create: a child of a group that is not
//             the innermost open one cannot be joined in nested order.
// Thread rule: one thread. After a reason was returned answers mean nothing; events stay harmless.
// Tested by:  test/oracle/agreement_test.cc
#pragma once

#include "detect/ds/mapped_array.h"
#include "detect/reach/dpst.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class DpstEngine : public WithoutPromises {
 public:
  static constexpr const char* kName = "dpst";
  static constexpr bool kOneReader = true;

  constexpr DpstEngine() = default;

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    first_strand_ = Index(strand);
    Begin(AddNode(Dpst::kRoot, Dpst::Kind::kAsync, task, strand), kNoGroup);
    Open(task, finish, strand);
    Enter(strand);
  }

  // F creates G: an async node; for the first child of a scope a finish node above it
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    const bool innermost = HasOpen() ? open_.Back().group == group : Now().joined_by == group;
    OutsideClass outside = nullptr;
    if (how == How::kFuture) outside = &reasons::kFuture;
    if (how == How::kFork) outside = &reasons::kFork;
    if (!innermost && how == How::kAsync) outside = &reasons::kAsyncOutlivesScope;
    if (!innermost && how == How::kSpawn) {
      if (IsOpen(group)) outside = &reasons::kAlternatingGroups;
      Open(task, group, strand);
    }
    Begin(AddNode(Place(), Dpst::Kind::kAsync, child, strand), group);
    Enter(strand);
    return outside;
  }

  OutsideClass OnEnd(TaskId task) {
    if (task == kRootTask) return nullptr;
    open_.Truncate(Now().first_open);
    running_.PopBack();
    return nullptr;
  }

  void OnProceed(TaskId task, StrandId strand) { Enter(strand); }

  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    Open(task, finish, strand);
    Enter(strand);
    return nullptr;
  }

  // F joins a group: goes on to the right of the finish node
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    OutsideClass outside = nullptr;
    if (HasOpen() && open_.Back().group == group) {
      open_.PopBack();
    } else if (IsOpen(group)) {
      outside = &reasons::kLaterChildrenLeft;
    }
    Enter(strand);
    return outside;
  }

  // There is nothing to get: futures and forks are refused.
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    return how == How::kGet ? &reasons::kFuture : &reasons::kFork;
  }

  bool Precedes(StrandId u) {
    if (u == strand_) return true;
    const Dpst::Step earlier{NodeOf(u), u}, now{NodeOf(strand_), strand_};
    const Dpst::Node below = tree_.BelowLca(earlier, now).a;
    return below == Dpst::kNoNode || tree_.KindOf(below) != Dpst::Kind::kAsync;
  }

  TaskId TaskOf(StrandId u) const { return task_of_[Index(NodeOf(u))]; }

  template <class Roots>
  void Collect(const Roots& roots) {
    const auto keep = [this](Node node) {
      tree_.Keep(node);
      task_of_.Keep(Index(node));
    };
    roots.ForEachStrand([&](StrandId u) {
      if (node_of_.Keep(Index(u) - first_strand_)) keep(NodeOf(u));
    });
    for (size_t i = 0; i < running_.Size(); ++i) keep(running_[i].node);
    for (size_t i = 0; i < open_.Size(); ++i) keep(open_[i].node);
    tree_.ForgetOthers();
    task_of_.ForgetOthers();
    node_of_.ForgetOthers();
  }

  size_t BytesUsed() const {
    return tree_.BytesUsed() + task_of_.BytesUsed() + node_of_.BytesUsed() + running_.BytesUsed() +
           open_.BytesUsed();
  }

 private:
  using Node = Dpst::Node;
  struct Running {
    Node node;
    uint32_t first_open;  // of its open groups
    GroupId joined_by;
  };
  struct OpenGroup {
    GroupId group;
    Node node;
  };

  static constexpr uint32_t Index(Node node) { return static_cast<uint32_t>(node); }
  static constexpr uint32_t Index(StrandId strand) { return taskrace::Index(strand); }

  Running& Now() { return running_.Back(); }
  bool HasOpen() { return open_.Size() > Now().first_open; }
  bool IsOpen(GroupId group) {
    for (size_t i = Now().first_open; i < open_.Size(); ++i) {
      if (open_[i].group == group) return true;
    }
    return false;
  }
  // Where the running task's next step or child belongs.
  Node Place() { return HasOpen() ? open_.Back().node : Now().node; }
  Node NodeOf(StrandId strand) const { return node_of_[Index(strand) - first_strand_]; }

  Node AddNode(Node parent, Dpst::Kind kind, TaskId task, StrandId first) {
    task_of_.Append(task);
    return tree_.Add(parent, kind, first);
  }
  void Begin(Node node, GroupId joined_by) {
    running_.Append({node, static_cast<uint32_t>(open_.Size()), joined_by});
  }
  void Open(TaskId task, GroupId group, StrandId strand) {
    open_.Append({group, AddNode(Place(), Dpst::Kind::kFinish, task, strand)});
  }
  void Enter(StrandId strand) {
    DCHECK(Index(strand) - first_strand_ == node_of_.Size(), "strands are not numbered in order");
    node_of_.Append(Place());
    strand_ = strand;
  }

  Dpst tree_;
  SparseArray<TaskId> task_of_{"the program structure tree"};  // of each node, who made it
  SparseArray<Node> node_of_{"the strands"};                   // of each strand, its parent
  MappedArray<Running> running_{"running tasks"};
  MappedArray<OpenGroup> open_{"open scopes"};
  StrandId strand_ = kNoStrand;
  uint32_t first_strand_ = 0;
};
static_assert(Reachability<DpstEngine>);

}  // namespace taskrace
