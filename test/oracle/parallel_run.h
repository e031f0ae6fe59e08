// ParallelRun: runs a program of the oracle on the threads of a scheduler.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "test/oracle/parallel_program.h"

namespace taskrace::oracle {

// Scheduler: has threads (Thread), of which the caller is First(), and groups (Group).
template <class Scheduler>
class ParallelRun {
 public:
  using Thread = typename Scheduler::Thread;
  using Group = typename Scheduler::Group;

  ParallelRun(Scheduler& threads, ParallelProgram& program) : threads_(threads), program_(program) {
    Group implicit;
    Task root;
    root.finish = &implicit;
    Thread& thread = threads.First();
    thread.worker.Start(root.place(), implicit.tree);
    Run(thread, root, program.body);
    Join(thread, root, implicit);
    thread.worker.Stop();
  }

 private:
  struct Task {
    Group* finish = nullptr;
    std::vector<Group*> scopes = {};
    TaskTree::TaskPlace own_place = {};
    ParallelPart* part = nullptr;  // of the iteration that it is
    const MovedOutOfLoop* moved = nullptr;

    TaskTree::TaskPlace& place() { return part != nullptr ? part->place : own_place; }
  };

  void Run(Thread& thread, Task& task, const Body& body) {
    for (const Construct& c : body) {
      thread.delays.Pause();
      if (c.what != What::kAccess) BecomeTask(thread, task);
      switch (c.what) {
        case What::kAccess:
          if (task.moved == nullptr || !task.moved->Has(static_cast<size_t>(&c - body.data()))) {
            program_.Tell(thread.worker, c);
          }
          break;
        case What::kLoop:
          if (!c.body.empty()) RunLoop(thread, task, c);
          break;
        case What::kSpawn:
          Create(thread, task, c, How::kSpawn, *task.scopes[task.scopes.size() - 1 - c.scope]);
          break;
        case What::kAsync:
          Create(thread, task, c, How::kAsync, *task.finish);
          break;
        case What::kSync:
          Join(thread, task, *task.scopes[task.scopes.size() - 1 - c.scope]);
          break;
        case What::kScope: {
          Group scope;
          task.scopes.push_back(&scope);
          Run(thread, task, c.body);
          task.scopes.pop_back();
          Join(thread, task, scope);
          break;
        }
        case What::kFinish: {
          Group finish;
          thread.worker.Open(task.place(), finish.tree);
          Group* around = std::exchange(task.finish, &finish);
          std::vector<Group*> scopes = std::exchange(task.scopes, {});
          Run(thread, task, c.body);
          task.finish = around;
          task.scopes = std::move(scopes);
          Join(thread, task, finish);
          break;
        }
        default:
          break;
      }
    }
  }
  // An iteration is a task from its first construct on.
  void BecomeTask(Thread& thread, Task& task) {
    if (task.part != nullptr && !std::exchange(task.part->is_task, true)) {
      thread.worker.BecomeTask(*task.part);
    }
  }
  void RunLoop(Thread& thread, Task& task, const Construct& c) {
    ParallelLoop loop;
    const size_t count = c.body.size();
    thread.worker.BeginLoop(task.place(), loop, count, /*index=*/0, kNowhere);
    Group parts;
    for (size_t begin = 0; begin < count;) {
      const size_t end = begin + 1 + thread.delays.Random() % (count - begin);
      parts.Run(threads_, [this, &loop, &c, begin, end, finish = task.finish](Thread& other) {
        RunPart(other, loop, c, begin, end, finish);
      });
      begin = end;
    }
    thread.worker.Stop();
    parts.Wait(threads_, thread);
    thread.worker.JoinLoop(task.place(), loop);
  }
  void RunPart(Thread& thread, ParallelLoop& loop, const Construct& c, size_t begin, size_t end,
               Group* finish) {
    thread.delays.Pause();
    ParallelWorker& worker = thread.worker;
    ParallelPart part(loop, begin);
    const MovedOutOfLoop& moved = program_.MovedOutOf(c);
    worker.BeginPart(part);
    program_.Move(worker, c, begin, end);
    for (size_t k = begin; k < end && moved.has_marks; ++k) {
      if (!worker.GoOnWithIteration(part, k)) worker.BeginIteration(part, k);
      Task iteration{.finish = finish, .part = &part, .moved = &moved};
      Run(thread, iteration, c.body[k].body);
      worker.SetLocks(kNoLocks);
      if (std::exchange(part.is_task, false)) worker.End();
    }
    worker.EndPart(part);
    thread.delays.Pause();
  }
  void Create(Thread& thread, Task& task, const Construct& c, How how, Group& group) {
    auto child = std::make_shared<Task>();
    child->finish = task.finish;
    const OutsideClass outside =
        thread.worker.Create(task.place(), child->place(), how, group.tree, kNowhere);
    CHECK(outside == nullptr, "only programs of the class run on threads");
    group.Run(threads_, [this, child, &c](Thread& other) {
      other.delays.Pause();
      other.worker.Run(child->place());
      Run(other, *child, c.body);
      other.worker.End();
      other.delays.Pause();
    });
  }
  void Join(Thread& thread, Task& task, Group& group) {
    if (group.tree.node == TaskTree::kNoNode) return;
    thread.worker.Stop();
    group.Wait(threads_, thread);
    CHECK(thread.worker.Join(task.place(), group.tree) == nullptr,
          "only programs of the class run on threads");
  }

  Scheduler& threads_;
  ParallelProgram& program_;
};

}  // namespace taskrace::oracle
