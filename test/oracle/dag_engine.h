// DagEngine: reachability by brute force, as an engine. Right for every program, and asks for many
// readers: with it a history is tested apart from the clever engines.
#pragma once

#include <map>
#include <vector>

#include "detect/reach/reachability.h"
#include "test/oracle/dag.h"

namespace taskrace::oracle {

class DagEngine {
 public:
  static constexpr const char* kName = "dag";
  static constexpr bool kOneReader = false;

  void OnStart(TaskId task, GroupId, StrandId strand) {
    first_ = Index(strand);
    Enter(task, {});
  }
  OutsideClass OnCreate(TaskId task, TaskId child, How, GroupId group, StrandId) {
    group_of_[child] = group;
    Enter(child, {last_[task]});
    return nullptr;
  }
  OutsideClass OnEnd(TaskId task) {
    if (task != kRootTask) unjoined_[group_of_[task]].push_back(last_[task]);
    return nullptr;
  }
  void OnProceed(TaskId task, StrandId) { Enter(task, {last_[task]}); }
  OutsideClass OnOpen(TaskId task, GroupId, StrandId) {
    Enter(task, {last_[task]});
    return nullptr;
  }
  OutsideClass OnJoin(TaskId task, GroupId group, How, std::span<const TaskId>, StrandId) {
    std::vector<size_t> predecessors = std::move(unjoined_[group]);
    unjoined_.erase(group);
    predecessors.push_back(last_[task]);
    Enter(task, predecessors);
    return nullptr;
  }

  OutsideClass OnGet(TaskId task, TaskId child, How, StrandId) {
    Enter(task, {last_[task], last_[child]});
    return nullptr;
  }
  OutsideClass OnBlock(TaskId) { return nullptr; }
  OutsideClass OnSet(TaskId task, PromiseId promise) {
    set_by_[promise] = last_[task];
    return nullptr;
  }
  OutsideClass OnGetPromise(TaskId task, PromiseId promise, StrandId) {
    Enter(task, {last_[task], set_by_[promise]});
    return nullptr;
  }
  void OnOver(PromiseId) {}

  // An iteration of a parallel loop, which is a strand in no task, joined with the loop's group. Returns its
  // number in the dag.
  size_t AddIteration(TaskId creator, GroupId group) {
    const size_t iteration = dag_.AddStrand({last_[creator]});
    task_of_.push_back(creator);
    unjoined_[group].push_back(iteration);
    return iteration;
  }
  // The iteration is the beginning of a task.
  void BecomeTask(size_t iteration, TaskId child, GroupId group) {
    group_of_[child] = group;
    Enter(child, {iteration});
  }
  // By their numbers in the dag.
  size_t Newest() const { return dag_.Size() - 1; }
  bool Precedes(size_t u, size_t v) const { return dag_.Precedes(u, v); }

  bool Precedes(StrandId u) { return dag_.Precedes(Index(u) - first_, Newest()); }
  uint64_t ReaderClass(StrandId u) { return Index(u); }  // nobody is like another
  TaskId TaskOf(StrandId u) const { return task_of_[Index(u) - first_]; }
  size_t BytesUsed() const { return 0; }

 private:
  void Enter(TaskId task, const std::vector<size_t>& predecessors) {
    last_[task] = dag_.AddStrand(predecessors);
    task_of_.push_back(task);
  }

  Dag dag_;
  std::map<TaskId, size_t> last_;
  std::map<TaskId, GroupId> group_of_;
  std::map<GroupId, std::vector<size_t>> unjoined_;
  std::map<PromiseId, size_t> set_by_;
  std::vector<TaskId> task_of_;
  uint32_t first_ = 0;
};
static_assert(Reachability<DagEngine>);

}  // namespace taskrace::oracle
