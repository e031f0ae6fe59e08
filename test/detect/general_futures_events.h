// Numbers strands, tasks and groups as the executor does, and passes the events of a program
// without switching on to an engine. Knows the running tasks, so that a test names only what it
// does.
#pragma once

#include <span>
#include <vector>

#include "detect/reach/reachability.h"

namespace taskrace {

template <class Engine>
class Events {
 public:
  template <class... Arguments>
  explicit Events(Arguments... arguments) : engine(arguments...) {
    engine.OnStart(kRootTask, GroupId{1}, StrandId{++strands_});
  }

  // The running task creates another one, which runs now.
  TaskId Create(How how, GroupId group) {
    const TaskId child{++tasks_};
    Note(engine.OnCreate(running_.back(), child, how, group, StrandId{++strands_}));
    running_.push_back(child);
    return child;
  }
  TaskId Spawn(GroupId scope) { return Create(How::kSpawn, scope); }
  TaskId Async() { return Create(How::kAsync, finishes_.back().group); }
  TaskId Future() {
    const TaskId child = Create(How::kFuture, finishes_.back().group);
    finishes_.back().singles.push_back(child);
    return child;
  }
  // The running task ends; its creator goes on.
  void End() {
    Note(engine.OnEnd(running_.back()));
    running_.pop_back();
    engine.OnProceed(running_.back(), StrandId{++strands_});
  }
  void Sync(GroupId scope) { Join(scope, How::kSync, {}); }
  void Get(TaskId child) {
    Note(engine.OnGet(running_.back(), child, How::kGet, StrandId{++strands_}));
  }
  void Open() {
    finishes_.push_back({NewGroup(), {}});
    Note(engine.OnOpen(running_.back(), finishes_.back().group, StrandId{++strands_}));
  }
  void Finish() {
    const Innermost finish = finishes_.back();
    if (finishes_.size() > 1) finishes_.pop_back();
    Join(finish.group, How::kFinish, finish.singles);
  }
  GroupId NewGroup() { return GroupId{++groups_}; }

  StrandId Now() const { return StrandId{strands_}; }
  // The first reason that an event gave.
  OutsideClass Outside() const { return outside_; }

  Engine engine;

 private:
  struct Innermost {
    GroupId group;
    std::vector<TaskId> singles;
  };

  void Note(OutsideClass outside) {
    if (outside_ == nullptr) outside_ = outside;
  }
  void Join(GroupId group, How how, std::span<const TaskId> singles) {
    Note(engine.OnJoin(running_.back(), group, how, singles, StrandId{++strands_}));
  }

  uint32_t strands_ = 0;
  uint32_t tasks_ = 0;
  uint32_t groups_ = 1;
  std::vector<TaskId> running_{kRootTask};
  std::vector<Innermost> finishes_{{GroupId{1}, {}}};
  OutsideClass outside_ = nullptr;
};

}  // namespace taskrace
