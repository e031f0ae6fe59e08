// SP-bags: serial reachability for series-parallel programs.
// Paper:      Feng and Leiserson, SPAA 1997; with finish, ESP-bags (Raman et al., RV 2010).
// Handles:    spawn/sync and async/finish; serial depth-first execution. No futures.
// Invariant:  S(F) = task F and those of its ended descendants that precede it now; P(g) = the
//             ended tasks that group g (a scope or a finish) will join.
// Query:      u precedes now <=> u's task is in an S-bag.
// Cost:       O(alpha) amortised per event and query; 4 bytes a strand, 8 bytes a task, until they are
//             forgotten: by Collect, and whenever the root has joined all of them (task_bags.h).
// Deviation:  one P-bag per run of children of a group instead of one per task, so that a finish
//             joins transitively; a finish may hold several, which are united when it joins. The
//             class is checked for the sake of the single reader, see nesting_check.h.
// Thread rule: one thread.
// Tested by:  test/oracle/agreement_test.cc
#pragma once

#include "detect/reach/nesting_check.h"
#include "detect/reach/reachability.h"
#include "detect/reach/task_bags.h"

namespace taskrace {

class SpBags : public WithoutPromises {
 public:
  static constexpr const char* kName = "spbags";
  static constexpr bool kOneReader = true;

  constexpr SpBags() = default;

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    nesting_.OnStart();
    bags_.OnStart(strand);
  }

  // F creates G:  S(G) = {G}
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    OutsideClass outside = nesting_.OnCreate(group, kEmpty);
    bags_.OnCreate(child, strand);
    if (how == How::kFuture) return &reasons::kFuture;
    if (how == How::kFork) return &reasons::kFork;
    return outside;
  }

  // F ends, and group g will join it:  P(g) = P(g) u S(F)
  OutsideClass OnEnd(TaskId task) {
    if (task == kRootTask) return nullptr;
    auto [outside, asyncs] = nesting_.OnEnd();
    bags_.OnEnd();
    TaskId& p_bag = nesting_.Newest();
    if (p_bag == kEmpty) {
      bags_.BecomeP(task);
      p_bag = task;
    } else {
      bags_.PutIntoP(p_bag, task);
    }
    if (asyncs && *asyncs != kEmpty) bags_.UniteP(p_bag, *asyncs);
    return outside;
  }

  void OnProceed(TaskId task, StrandId strand) { bags_.Enter(task, strand); }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    bags_.Enter(task, strand);
    return nullptr;
  }

  // F joins group g:  S(F) = S(F) u P(g);  P(g) = {}
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    auto [outside, p_bag] = nesting_.OnJoin(group);
    if (p_bag && *p_bag != kEmpty) bags_.Join(task, *p_bag);
    bags_.EnterJoined(task, strand);
    return outside;
  }

  // There is nothing to get: futures and forks are refused.
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    return how == How::kGet ? &reasons::kFuture : &reasons::kFork;
  }

  bool IsSettled(StrandId u) const { return bags_.IsSettled(u); }
  bool AllIsSettled(StrandId now) const { return bags_.BeginsAnewWith(now); }
  bool Precedes(StrandId u) { return bags_.Precedes(u); }

  TaskId TaskOf(StrandId u) const { return bags_.TaskOf(u); }

  template <class Roots>
  void Collect(const Roots& roots) {
    roots.ForEachStrand([this](StrandId u) { bags_.Keep(u); });
    roots.ForEachRunning([this](TaskId task) { bags_.Keep(task); });
    nesting_.ForEachJoin([this](TaskId p_bag) { bags_.Keep(p_bag); });
    bags_.ForgetOthers();
  }

  size_t BytesUsed() const { return bags_.BytesUsed() + nesting_.BytesUsed(); }

 private:
  static constexpr TaskId kEmpty = kRootTask;  // no P-bag has the root

  TaskBags bags_;
  NestingCheck<TaskId> nesting_;  // of each run, a task in its P-bag
};
static_assert(Reachability<SpBags>);

}  // namespace taskrace
