// NestingCheck: the class check of the engines for series-parallel dags, and their place for what a
// group will need when it is joined.
//
// Class:      a task's forks are joined in reverse order, its asyncs together with itself. What
//             breaks that: an async that outlives a scope with spawned children, in this task
//             or around it; a scope of a task synced while a scope used later still has
//             children. Both make the N, which no series-parallel dag contains.
// Idea:       in depth-first execution the running tasks are a stack. Each has the groups of its
//             unjoined children in order of creation; children in a row of one group are one run.
// Invariant:  no group has two runs in one task: A B A cannot be joined in any nested order, so
//             the third create leaves the class. Hence a join finds all of its children on top.
// Thread rule: one thread. After a reason was returned, answers mean nothing; events stay
//             harmless.
// Cost:       memory per running task and per open group, not per child. O(1) per event, but
//             one step per open group of the task where an older group than the newest is used.
// Tested by:  test/oracle/class_check_test.cc
#pragma once

#include <algorithm>
#include <optional>

#include "detect/ds/mapped_array.h"
#include "detect/reach/reachability.h"

namespace taskrace {

// Join: what the engine keeps for a run.
template <class Join>
class NestingCheck {
 public:
  // What an event leaves behind: why the class was left, and the run that it closed.
  struct Closed {
    OutsideClass outside;
    std::optional<Join> join;
  };

  constexpr NestingCheck() = default;

  void OnStart() { first_run_.Append(0); }

  // The running task creates a child that `group` will join; the child runs. `join` is kept if this
  // opens a run.
  OutsideClass OnCreate(GroupId group, const Join& join) {
    OutsideClass outside = nullptr;
    if (!HasRuns() || runs_.Back().group != group) {
      if (Find(group) != nullptr) outside = &reasons::kAlternatingGroups;
      GroupId newest = HasRuns() ? std::max(runs_.Back().newest, group) : group;
      runs_.Append({.group = group, .newest = newest, .join = join});
    }
    first_run_.Append(static_cast<uint32_t>(runs_.Size()));
    return outside;
  }

  // The running task ends; its creator runs. Closes the run of its asyncs.
  Closed OnEnd() {
    Closed closed{};
    if (first_run_.Size() == 1) return closed;
    size_t first = first_run_.Back();
    if (HasRuns()) {
      GroupId own = runs_[first - 1].group;
      if (runs_.Size() - first > 1 || runs_.Back().group != own) {
        closed.outside = &reasons::kAsyncOutlivesScope;
      }
      closed.join = runs_[first].join;
    }
    runs_.Truncate(first);
    first_run_.PopBack();
    return closed;
  }

  // What is kept for the children that were created last. Requires: the running task has some.
  Join& Newest() { return runs_.Back().join; }

  // The running task joins a group. Closes its run, if it has unjoined children.
  Closed OnJoin(GroupId group) {
    Closed closed{};
    Run* run = Find(group);
    if (run == nullptr) return closed;
    if (run != &runs_.Back()) {
      closed.outside = &reasons::kLaterChildrenLeft;
    }
    closed.join = run->join;
    runs_.Truncate(static_cast<size_t>(run - runs_.Data()));
    return closed;
  }

  // Calls visit(join) for what is kept for each run.
  template <class Visit>
  void ForEachJoin(Visit visit) const {
    for (size_t i = 0; i < runs_.Size(); ++i) visit(runs_[i].join);
  }

  size_t BytesUsed() const { return runs_.BytesUsed() + first_run_.BytesUsed(); }

 private:
  struct Run {
    GroupId group;
    GroupId newest;  // of the groups of this and the older runs of the task
    Join join;
  };

  bool HasRuns() const { return runs_.Size() > first_run_.Back(); }

  // The running task's run of the group, or null. Groups are numbered in order of creation, and a
  // task that works on its newest group needs no search.
  Run* Find(GroupId group) {
    if (!HasRuns() || runs_.Back().newest < group) return nullptr;
    Run* oldest = runs_.Data() + first_run_.Back();
    for (Run* run = &runs_.Back();; --run) {
      if (run->group == group) return run;
      if (run == oldest) return nullptr;
    }
  }

  MappedArray<Run> runs_{"open scopes"};
  MappedArray<uint32_t> first_run_{"running tasks"};  // of each running task, in runs_
};

}  // namespace taskrace
