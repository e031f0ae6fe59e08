// DepthFirst: plays a program to an engine, which is written as nested calls of the test. Numbers
// tasks, groups and strands as the executor does, and remembers the first reason that it hears.
#pragma once

#include <functional>
#include <span>

#include "detect/reach/reachability.h"

namespace taskrace {

template <class Engine>
class DepthFirst {
 public:
  explicit DepthFirst(std::function<void()> on_strand = [] {}) : on_strand_(std::move(on_strand)) {}

  void Start() {
    engine.OnStart(kRootTask, kRootFinish, NextStrand());
    on_strand_();
  }

  static constexpr GroupId kRootFinish{1};
  GroupId NewGroup() { return GroupId{++groups_}; }

  // The child runs `body` at once; then its creator goes on.
  TaskId Create(How how, GroupId group, const std::function<void()>& body = [] {}) {
    const TaskId creator = task_;
    const TaskId child{++tasks_};
    task_ = child;
    Note(engine.OnCreate(creator, child, how, group, NextStrand()));
    on_strand_();
    body();
    Note(engine.OnEnd(child));
    task_ = creator;
    engine.OnProceed(creator, NextStrand());
    on_strand_();
    return child;
  }
  TaskId Future(const std::function<void()>& body = [] {}) {
    return Create(How::kFuture, kRootFinish, body);
  }
  TaskId Fork(const std::function<void()>& body = [] {}) {
    return Create(How::kFork, kRootFinish, body);
  }

  OutsideClass Get(TaskId child, How how = How::kGet) {
    const OutsideClass reason = Note(engine.OnGet(task_, child, how, NextStrand()));
    on_strand_();
    return reason;
  }
  OutsideClass Join(TaskId fork) { return Get(fork, How::kJoin); }
  GroupId Open() {
    const GroupId finish = NewGroup();
    Note(engine.OnOpen(task_, finish, NextStrand()));
    on_strand_();
    return finish;
  }
  OutsideClass JoinGroup(GroupId group, How how, std::span<const TaskId> singles = {}) {
    const OutsideClass reason = Note(engine.OnJoin(task_, group, how, singles, NextStrand()));
    on_strand_();
    return reason;
  }

  StrandId Strand() const { return StrandId{strand_}; }
  TaskId Task() const { return task_; }
  // The first reason, or null.
  OutsideClass Outside() const { return outside_; }

  Engine engine;

 private:
  StrandId NextStrand() { return StrandId{++strand_}; }
  OutsideClass Note(OutsideClass reason) {
    if (outside_ == nullptr) outside_ = reason;
    return reason;
  }

  std::function<void()> on_strand_;
  uint32_t strand_ = 0;
  uint32_t tasks_ = 0;
  uint32_t groups_ = 1;
  TaskId task_ = kRootTask;
  OutsideClass outside_ = nullptr;
};

}  // namespace taskrace
