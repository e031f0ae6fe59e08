#include "test/oracle/execution.h"

#include <algorithm>
#include <utility>

namespace taskrace::oracle {

Execution::Execution(const Body& program, std::vector<Listener*> listeners, uint32_t first_strand,
                     Switching switching)
    : listeners_(std::move(listeners)), first_strand_(first_strand), switching_(switching) {
  CountUses(program);
  Group& implicit = NewGroup();
  Task& root = tasks_.emplace_back(Task{.id = kRootTask,
                                        .creator = nullptr,
                                        .how = How::kAsync,
                                        .group = nullptr,
                                        .finish = &implicit});
  root.frames.push_back({.body = &program, .what = What::kFinish});
  Strand(root, {}, [&](Listener& l, StrandId s) { l.OnStart(root.id, implicit.id, s); });
  Run(&root);
}

template <class Tell>
void Execution::Strand(Task& task, const std::vector<size_t>& predecessors, Tell tell) {
  task.strand = dag_.AddStrand(predecessors);
  for (Listener* l : listeners_) {
    tell(*l, StrandId{first_strand_ + static_cast<uint32_t>(task.strand)});
    l->OnStrand(dag_, oracle_, task.strand, task.id);
  }
}

void Execution::Run(Task* running) {
  for (;;) {
    Continue(*running);
    if (suspended_.empty()) return;
    running = suspended_.back();
    suspended_.pop_back();
  }
}

// Runs the task until it creates another, resumes another, blocks or ends.
void Execution::Continue(Task& task) {
  switch (std::exchange(task.first, First::kNothing)) {
    case First::kNothing:
      break;
    case First::kProceed:
      Proceed(task);
      break;
    case First::kJoin:
      Joined(task);
      break;
    case First::kGet:
      Got(task);
      break;
    case First::kGetPromise:
      GotPromise(task);
      break;
  }
  while (!task.frames.empty()) {
    Frame& frame = task.frames.back();
    const bool goes_on = frame.next == frame.body->size()
                             ? CloseFrame(task)
                             : Execute(task, (*frame.body)[frame.next++]);
    if (!goes_on) return;
  }
  End(task);
}

bool Execution::Execute(Task& task, const Construct& c) {
  switch (c.what) {
    case What::kAccess: {
      const std::set<unsigned> races = oracle_.Access(task.strand, c);
      for (Listener* l : listeners_) l->OnAccess(oracle_, task.strand, c, races);
      return true;
    }
    case What::kRetire: {
      const std::set<unsigned> races = oracle_.Access(task.strand, c);
      for (Listener* l : listeners_) l->OnRetire(oracle_, task.strand, c, races);
      oracle_.Clear(c);
      return true;
    }
    case What::kClear:
      oracle_.Clear(c);
      for (Listener* l : listeners_) l->OnClear(c);
      return true;
    case What::kSpawn:
      return Create(task, c, How::kSpawn, *task.scopes[task.scopes.size() - 1 - c.scope]);
    case What::kAsync:
      return Create(task, c, How::kAsync, *task.finish);
    case What::kFuture:
      return Create(task, c, How::kFuture, *task.finish);
    case What::kFork:
      return Create(task, c, How::kFork, *task.finish);
    case What::kSync:
      return Join(task, *task.scopes[task.scopes.size() - 1 - c.scope], How::kSync);
    case What::kScope:
      task.scopes.push_back(&NewGroup());
      task.frames.push_back({.body = &c.body, .what = What::kScope});
      for (Listener* l : listeners_) l->OnScope(task.id);
      return true;
    case What::kFinish: {
      Group& finish = NewGroup();
      task.frames.push_back({.body = &c.body,
                             .what = What::kFinish,
                             .finish_around = std::exchange(task.finish, &finish),
                             .scopes_around = std::exchange(task.scopes, {})});
      Strand(task, {task.strand},
             [&](Listener& l, StrandId s) { l.OnOpen(task.id, finish.id, s); });
      return true;
    }
    case What::kLoop: {
      Group& iterations = NewGroup();
      task.frames.push_back({.body = &c.body, .what = What::kLoop, .iterations = &iterations});
      for (Listener* l : listeners_) l->OnLoop(task.id, iterations.id, c);
      return true;
    }
    case What::kIteration:
      return Create(task, c, How::kSpawn, *task.frames.back().iterations);
    case What::kGet:
      if (c.name.IsPromise()) return GetPromise(task, PromiseOf(c.name));
      return Get(task, Named(c.name));
    case What::kSet:
      return Set(task, PromiseOf(c.name));
    case What::kJoin: {
      Task* fork = c.name ? Named(c.name) : LeftNeighbour(task);
      if (fork != nullptr) fork->joined = true;
      return Get(task, fork);
    }
  }
  return true;
}

bool Execution::CloseFrame(Task& task) {
  const Frame frame = std::move(task.frames.back());
  task.frames.pop_back();
  if (frame.what == What::kScope) {
    Group& scope = *task.scopes.back();
    task.scopes.pop_back();
    return Join(task, scope, How::kSync);
  }
  if (frame.what == What::kFinish) {
    Group& finish = *std::exchange(task.finish, frame.finish_around);
    task.scopes = frame.scopes_around;
    return Join(task, finish, How::kFinish);
  }
  if (frame.what == What::kLoop) return Join(task, *frame.iterations, How::kSync);
  return true;
}

bool Execution::Create(Task& task, const Construct& c, How how, Group& group) {
  Task& child = tasks_.emplace_back(Task{.id = TaskId{static_cast<uint32_t>(tasks_.size())},
                                         .creator = &task,
                                         .how = how,
                                         .group = &group,
                                         .finish = task.finish});
  child.frames.push_back({.body = &c.body});
  group.unjoined.push_back(&child);
  task.creates = c.name;
  task.created = &child;
  if (how == How::kFork) child.left = std::exchange(task.left, &child);
  const size_t k = task.frames.back().next - 1;
  Strand(child, {task.strand}, [&](Listener& l, StrandId s) {
    if (c.what == What::kIteration) return l.OnIteration(task.id, child.id, group.id, k, s);
    l.OnCreate(task.id, child.id, how, group.id, s);
  });
  task.first = First::kProceed;
  suspended_.insert(suspended_.end(), {&task, &child});
  return false;
}

void Execution::Proceed(Task& task) {
  if (const Name name = std::exchange(task.creates, {})) named_[name] = task.created;
  Strand(task, {task.strand}, [&](Listener& l, StrandId s) { l.OnProceed(task.id, s); });
}

bool Execution::Join(Task& task, Group& group, How how) {
  if (how == How::kSync && group.unjoined.empty()) return true;
  task.joins = &group;
  task.join_how = how;
  if (!AllEnded(group)) {
    group.waiter = &task;
    task.first = First::kJoin;
    return Block(task);
  }
  Joined(task);
  return true;
}

void Execution::Joined(Task& task) {
  std::vector<size_t> predecessors{task.strand};
  std::vector<TaskId> singles;
  for (const Task* child : std::exchange(task.joins->unjoined, {})) {
    predecessors.push_back(child->strand);
    if (IsSingle(child->how)) singles.push_back(child->id);
  }
  Strand(task, predecessors, [&](Listener& l, StrandId s) {
    l.OnJoin(task.id, task.joins->id, task.join_how, singles, s);
  });
}

bool Execution::Get(Task& task, Task* child) {
  if (child == nullptr) return true;
  task.gets = child;
  if (!child->ended) {
    child->waiters.push_back(&task);
    task.first = First::kGet;
    return Block(task);
  }
  Got(task);
  return true;
}

void Execution::Got(Task& task) {
  const Task& child = *task.gets;
  const How how = child.how == How::kFork ? How::kJoin : How::kGet;
  Strand(task, {task.strand, child.strand},
         [&](Listener& l, StrandId s) { l.OnGet(task.id, child.id, how, s); });
}

bool Execution::GetPromise(Task& task, Promise& promise) {
  task.gets_promise = &promise;
  if (!promise.is_set) {
    promise.waiters.push_back(&task);
    task.first = First::kGetPromise;
    return Block(task);
  }
  GotPromise(task);
  return true;
}

void Execution::GotPromise(Task& task) {
  Promise& promise = *task.gets_promise;
  Strand(task, {task.strand, promise.set_by},
         [&](Listener& l, StrandId s) { l.OnGetPromise(task.id, promise.id, s); });
  Used(promise);
}

bool Execution::Set(Task& task, Promise& promise) {
  promise.is_set = true;
  promise.set_by = task.strand;
  for (Listener* l : listeners_) l->OnSet(task.id, promise.id);
  Used(promise);
  if (promise.waiters.empty()) {
    Proceed(task);
    return true;
  }
  task.first = First::kProceed;
  suspended_.push_back(&task);
  Resume(std::exchange(promise.waiters, {}));
  return false;
}

bool Execution::Block(Task& task) {
  for (Listener* l : listeners_) l->OnBlock(task.id);
  if (switching_ == Switching::kToTheCreator) RaiseCreator(task.creator);
  return false;
}

// The nearest suspended creator goes on next, whoever was suspended after it.
void Execution::RaiseCreator(Task* task) {
  for (; task != nullptr; task = task->creator) {
    const auto found = std::ranges::find(suspended_, task);
    if (found == suspended_.end()) continue;
    std::rotate(found, found + 1, suspended_.end());
    return;
  }
}

void Execution::End(Task& task) {
  task.ended = true;
  for (Listener* l : listeners_) l->OnEnd(task.id);
  std::vector<Task*> resumed = std::exchange(task.waiters, {});
  if (task.group != nullptr && task.group->waiter != nullptr && AllEnded(*task.group)) {
    resumed.push_back(std::exchange(task.group->waiter, nullptr));
  }
  Resume(std::move(resumed));
}

// The first of them goes on next.
void Execution::Resume(std::vector<Task*> tasks) {
  suspended_.insert(suspended_.end(), tasks.rbegin(), tasks.rend());
}

Execution::Task* Execution::LeftNeighbour(Task& task) {
  while (task.left != nullptr && task.left->joined) task.left = task.left->left;
  return task.left;
}

bool Execution::AllEnded(const Group& group) {
  return std::ranges::all_of(group.unjoined, [](const Task* task) { return task->ended; });
}

Execution::Task* Execution::Named(Name name) {
  const auto found = named_.find(name);
  return found != named_.end() ? found->second : nullptr;
}

Execution::Promise& Execution::PromiseOf(Name name) {
  const PromiseId next{static_cast<uint32_t>(promises_.size() + 1)};
  return promises_.try_emplace(name, Promise{.id = next}).first->second;
}

// Nothing of a program happens twice: a promise is over when all that names it has happened.
void Execution::CountUses(const Body& body) {
  for (const Construct& c : body) {
    if (c.name.IsPromise()) ++PromiseOf(c.name).uses;
    CountUses(c.body);
  }
}

void Execution::Used(Promise& promise) {
  if (--promise.uses != 0) return;
  for (Listener* l : listeners_) l->OnOver(promise.id);
}

}  // namespace taskrace::oracle
