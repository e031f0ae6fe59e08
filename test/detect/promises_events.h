// Events: plays a run to the engine `promises`, event by event, so that control may go anywhere.
// Numbers tasks, groups and strands as the executor does.
#pragma once

#include <string>

#include "detect/reach/promises.h"

namespace taskrace {

inline constexpr GroupId kRootFinish{1};

class Events {
 public:
  Events() { engine.OnStart(kRootTask, kRootFinish, Next()); }
  explicit Events(uint32_t most_searches) : engine(most_searches) {
    engine.OnStart(kRootTask, kRootFinish, Next());
  }

  TaskId Create(TaskId task, How how = How::kAsync, GroupId group = kRootFinish) {
    const TaskId child{++tasks_};
    engine.OnCreate(task, child, how, group, Next());
    return child;
  }
  void End(TaskId task) { engine.OnEnd(task); }
  void Proceed(TaskId task) { engine.OnProceed(task, Next()); }
  void EndAndProceed(TaskId task, TaskId creator) {
    End(task);
    Proceed(creator);
  }
  void Block(TaskId task) { engine.OnBlock(task); }
  void Set(TaskId task, uint32_t promise) { engine.OnSet(task, PromiseId{promise}); }
  void SetAndProceed(TaskId task, uint32_t promise) {
    Set(task, promise);
    Proceed(task);
  }
  void Get(TaskId task, uint32_t promise) { engine.OnGetPromise(task, PromiseId{promise}, Next()); }
  void Over(uint32_t promise) { engine.OnOver(PromiseId{promise}); }
  void GetFuture(TaskId task, TaskId child) { engine.OnGet(task, child, How::kGet, Next()); }
  GroupId NewGroup() { return GroupId{++groups_}; }
  GroupId Open(TaskId task) {
    const GroupId finish = NewGroup();
    engine.OnOpen(task, finish, Next());
    return finish;
  }
  void Join(TaskId task, GroupId group, How how) { engine.OnJoin(task, group, how, {}, Next()); }

  StrandId Now() const { return StrandId{strand_}; }
  uint32_t Tasks() const { return tasks_; }

  bool Precedes(StrandId u) {
    ++queries;
    return engine.Precedes(u);
  }
  // The strands that precede now, as in `1 2 5`.
  std::string Before() {
    std::string before;
    for (uint32_t u = 1; u < strand_; ++u) {
      if (engine.Precedes(StrandId{u})) before += (before.empty() ? "" : " ") + std::to_string(u);
    }
    return before;
  }
  // nt and lsa of a task as strands, latest first: `[2 3] (1)`.
  std::string Joins(TaskId task) const {
    std::string joins = "[";
    size_t own = engine.OwnJoins(task);
    engine.ForEachJoin(task, [&, close = false](StrandId point) mutable {
      if (!close && own == 0) joins += "] (";
      close = close || own == 0;
      own -= !close;
      if (joins.back() != '[' && joins.back() != '(') joins += ' ';
      joins += std::to_string(Index(point));
    });
    return joins + (joins.find('(') == std::string::npos ? "]" : ")");
  }

  Promises engine;
  uint64_t queries = 0;

 private:
  StrandId Next() { return StrandId{++strand_}; }

  uint32_t strand_ = 0;
  uint32_t tasks_ = 0;
  uint32_t groups_ = 1;
};

}  // namespace taskrace
