// SP-bags: serial reachability for series-parallel programs.
// Paper:      Feng and Leiserson, SPAA 1997; with finish, ESP-bags (Raman et al., RV 2010).
// Handles:    spawn/sync and async/finish; serial depth-first execution. No futures.
// Invariant:  S(F) = task F and those of its ended descendants that precede it now; P(g) = the
//             ended tasks that group g (a scope or a finish) will join.
// Query:      u precedes now <=> u's task is in an S-bag.
// Cost:       O(alpha) amortised per event and query; 4 bytes a strand, 8 bytes a task.
// Deviation:  one P-bag per run of children of a group instead of one per task, so that a finish
//             joins transitively; a finish may hold several, which are united when it joins. The
//             class is checked for the sake of the single reader, see nesting_check.h.
// Thread rule: one thread.
// Tested by:  test/oracle/agreement_test.cc
#pragma once

#include "detect/ds/disjoint_sets.h"
#include "detect/reach/nesting_check.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class SpBags : public WithoutPromises {
 public:
  static constexpr const char* kName = "spbags";
  static constexpr bool kOneReader = true;

  constexpr SpBags() = default;

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    first_strand_ = Index(strand);
    nesting_.OnStart();
    Make(task);
    Enter(task, strand);
  }

  // F creates G:  S(G) = {G}
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    OutsideClass outside = nesting_.OnCreate(group, kEmpty);
    Make(child);
    Enter(child, strand);
    if (how == How::kFuture) return &reasons::kFuture;
    if (how == How::kFork) return &reasons::kFork;
    return outside;
  }

  // F ends, and group g will join it:  P(g) = P(g) u S(F)
  OutsideClass OnEnd(TaskId task) {
    if (task == kRootTask) return nullptr;
    auto [outside, asyncs] = nesting_.OnEnd();
    bags_.Relabel(Index(task), kP);
    if (asyncs && *asyncs != kEmpty) bags_.Union(Index(task), *asyncs);
    DisjointSets::Element& p_bag = nesting_.Newest();
    if (p_bag != kEmpty) bags_.Union(p_bag, Index(task));
    p_bag = Index(task);
    return outside;
  }

  void OnProceed(TaskId task, StrandId strand) { Enter(task, strand); }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    Enter(task, strand);
    return nullptr;
  }

  // F joins group g:  S(F) = S(F) u P(g);  P(g) = {}
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    auto [outside, p_bag] = nesting_.OnJoin(group);
    if (p_bag && *p_bag != kEmpty) bags_.Union(Index(task), *p_bag);
    Enter(task, strand);
    return outside;
  }

  // There is nothing to get: futures and forks are refused.
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    return how == How::kGet ? &reasons::kFuture : &reasons::kFork;
  }

  bool Precedes(StrandId u) { return bags_.LabelOf(task_of_[Index(u) - first_strand_]) == kS; }

  TaskId TaskOf(StrandId u) const { return TaskId{task_of_[Index(u) - first_strand_]}; }

  size_t BytesUsed() const {
    return bags_.BytesUsed() + task_of_.BytesUsed() + nesting_.BytesUsed();
  }

 private:
  enum Label : uint8_t { kS, kP };
  static constexpr DisjointSets::Element kEmpty = ~DisjointSets::Element{0};

  void Make(TaskId task) {
    DisjointSets::Element made = bags_.Make(kS);
    DCHECK(made == Index(task), "tasks are not numbered in order of creation");
  }
  void Enter(TaskId task, StrandId strand) {
    DCHECK(Index(strand) - first_strand_ == task_of_.Size(), "strands are not numbered in order");
    task_of_.Append(Index(task));
  }

  DisjointSets bags_;  // of tasks
  MappedArray<uint32_t> task_of_{"the strands"};
  NestingCheck<DisjointSets::Element> nesting_;  // of each run, a task in its P-bag
  uint32_t first_strand_ = 0;
};
static_assert(Reachability<SpBags>);

}  // namespace taskrace
