// RandomOrder: runs a program in a random linear extension of its dag, without threads. Any task that
// can go on may be the next one, for a few constructs; each has a worker of its own while it is in
// the middle of a strand. Parts of loops, cut at random, are such tasks. Or depth-first, as the serial executor does it.
// In half of the runs places are noted, to be compared; nodes that nobody else needs are used again in
// the others only.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "test/oracle/parallel_program.h"

namespace taskrace::oracle {

// The detection and its workers, which programs use one after the other.
struct ParallelSubject {
  ParallelReferee referee;
  std::unique_ptr<ParallelDetection> detection = std::make_unique<ParallelDetection>(referee);
  std::deque<ParallelWorker> workers = {};
  std::vector<ParallelWorker*> idle = {};
  size_t programs = 0;

  ParallelWorker& Take(std::mt19937_64& rng) {
    if (idle.empty()) return workers.emplace_back(*detection);
    std::swap(idle[rng() % idle.size()], idle.back());
    ParallelWorker& worker = *idle.back();
    idle.pop_back();
    return worker;
  }
  // The number of the next program. Now and then all that is remembered is thrown away.
  size_t Next() {
    if (++programs % 1000 == 0) {
      idle.clear();
      workers.clear();
      detection = std::make_unique<ParallelDetection>(referee);
    }
    return programs % 1000;
  }
};

class RandomOrder {
 public:
  // The places of all strands that have begun, by their numbers in serial execution; or of none.
  using Steps = std::map<size_t, TaskTree::Step>;

  RandomOrder(ParallelSubject& subject, ParallelProgram& program, std::mt19937_64& rng,
              bool depth_first = false)
      : depth_first_(depth_first),
        notes_steps_(rng() % 2 == 0),
        subject_(subject),
        program_(program),
        rng_(rng) {
    subject.referee.Begin(program, subject.detection->tree);
    Group& implicit = groups_.emplace_back();
    Task& root = tasks_.emplace_back();
    root.finish = &implicit;
    root.frames.push_back({&program.body, 0, What::kFinish});
    root.worker = &subject.Take(rng);
    root.strands = &program.numbering.StrandsOf(0);
    root.worker->Start(root.place(), implicit.tree);
    NoteStep(root);
    ready_.push_back(&root);
    while (!ready_.empty() && outside_ == nullptr) RunSome();
    for (Task& task : tasks_) {
      if (task.part && task.worker != nullptr) task.worker->EndPart(task.part->part);
      Leave(task);
    }
  }

  OutsideClass Outside() const { return outside_; }
  const Steps& GetSteps() const { return steps_; }

 private:
  struct Task;
  struct Group {
    TaskTree::Group tree = {};
    size_t running = 0;
    Task* waiter = nullptr;
  };
  struct Frame {
    const Body* body;
    size_t next = 0;
    What what = What::kAsync;
    Group* finish_around = nullptr;
    std::vector<Group*> scopes_around = {};
  };
  // A loop, whose parts are tasks here.
  struct Loop {
    ParallelLoop loop = {};
    Group parts = {};
  };
  // What a part has of its loop.
  struct Part {
    const Construct& loop;
    ParallelPart part;
    size_t next;  // iteration
    size_t end;
    bool has_begun = false;
  };
  struct Task {
    TaskTree::TaskPlace own_place = {};
    std::optional<Part> part = {};
    Loop* loop = nullptr;  // waits for it
    Group* joined_by = nullptr;
    Group* finish = nullptr;
    std::vector<Group*> scopes = {};
    std::vector<Frame> frames = {};
    ParallelWorker* worker = nullptr;  // while it is in a strand
    Group* joins = nullptr;            // waits for it
    bool begins = false;
    const std::vector<size_t>* strands = nullptr;  // in serial execution
    size_t begun = 0;

    TaskTree::TaskPlace& place() { return part ? part->part.place : own_place; }
    TaskTree::Step Now() {
      if (!part || part->part.is_task) return place().Now();
      return TaskTree::IterationOf(part->part.of.group, static_cast<uint32_t>(part->part.k));
    }
  };

  void RunSome() {
    Task& task = depth_first_ ? *ready_.back() : *ready_[rng_() % ready_.size()];
    for (size_t steps = depth_first_ ? 1 : 1 + rng_() % 4; steps > 0; --steps) {
      if (RunOne(task)) continue;
      std::erase(ready_, &task);
      return;
    }
  }

  // One construct; false: the task cannot go on.
  bool RunOne(Task& task) {
    if (task.worker == nullptr) Enter(task);
    if (outside_ != nullptr) return false;
    if (task.frames.empty() && task.part) return RunNextIteration(task);
    if (task.frames.empty()) {
      End(task);
      return false;
    }
    Frame& frame = task.frames.back();
    if (frame.next == frame.body->size()) return Close(task);
    return Execute(task, (*frame.body)[frame.next++]);
  }

  void Enter(Task& task) {
    task.worker = &subject_.Take(rng_);
    if (task.part && !std::exchange(task.part->has_begun, true))
      return BeginPart(*task.worker, *task.part);
    if (Loop* loop = std::exchange(task.loop, nullptr)) {
      task.worker->JoinLoop(task.place(), loop->loop);
    } else if (Group* group = std::exchange(task.joins, nullptr)) {
      Note(task.worker->Join(task.place(), group->tree));
    } else {
      task.worker->Run(task.place());
    }
    NoteStep(task);
  }
  void Leave(Task& task) {
    if (task.worker == nullptr) return;
    task.worker->Stop();
    if (rng_() % 2 == 0) task.worker->Rest();
    subject_.idle.push_back(std::exchange(task.worker, nullptr));
  }
  void End(Task& task) {
    task.worker->End();
    Leave(task);
    Ended(task);
  }
  void Ended(Task& task) {
    Group* group = task.joined_by;
    if (group == nullptr || --group->running != 0 || group->waiter == nullptr) return;
    ready_.push_back(std::exchange(group->waiter, nullptr));
  }

  bool BeginLoop(Task& task, const Construct& c) {
    const size_t count = c.body.size();
    if (count == 0) return true;
    Loop& loop = loops_.emplace_back();
    task.worker->BeginLoop(task.place(), loop.loop, count, /*index=*/0, kNowhere);
    Leave(task);
    task.loop = &loop;
    task.begun += count;  // between iterations nothing of their creator runs
    loop.parts.waiter = &task;
    std::vector<Task*> parts;
    for (size_t begin = 0; begin < count;) {
      const size_t end = begin + 1 + rng_() % (count - begin);
      Task& part = tasks_.emplace_back();
      part.part.emplace(c, ParallelPart(loop.loop, begin), begin, end);
      part.joined_by = &loop.parts;
      part.finish = task.finish;
      ++loop.parts.running;
      parts.push_back(&part);
      begin = end;
    }
    ready_.insert(ready_.end(), parts.rbegin(), parts.rend());
    return false;
  }
  void BeginPart(ParallelWorker& worker, Part& part) {
    worker.BeginPart(part.part);
    program_.Move(worker, part.loop, part.next, part.end);
  }
  // Returns false if the part is over.
  bool RunNextIteration(Task& task) {
    Part& part = *task.part;
    ParallelWorker& worker = *task.worker;
    const bool has_marks = program_.MovedOutOf(part.loop).has_marks;
    worker.SetLocks(kNoLocks);
    if (std::exchange(part.part.is_task, false)) worker.End();
    if (part.next == part.end || !has_marks) {
      worker.EndPart(part.part);
      Leave(task);
      Ended(task);
      return false;
    }
    const size_t k = part.next++;
    if (!worker.GoOnWithIteration(part.part, k)) worker.BeginIteration(part.part, k);
    const Construct& iteration = part.loop.body[k];
    task.frames.push_back({&iteration.body});
    task.strands = &program_.numbering.StrandsOf(program_.numbering.TaskOf(&iteration));
    task.begun = 0;
    NoteStep(task);
    return true;
  }
  // An iteration is a task from its first construct on.
  void BecomeTask(Task& task) {
    if (task.part && !std::exchange(task.part->part.is_task, true)) {
      task.worker->BecomeTask(task.part->part);
    }
  }

  bool Close(Task& task) {
    const Frame frame = std::move(task.frames.back());
    task.frames.pop_back();
    if (frame.what == What::kScope) {
      Group* scope = task.scopes.back();
      task.scopes.pop_back();
      return Join(task, *scope);
    }
    if (frame.what == What::kFinish) {
      Group* finish = std::exchange(task.finish, frame.finish_around);
      task.scopes = frame.scopes_around;
      return Join(task, *finish);
    }
    return true;
  }
  bool Join(Task& task, Group& group) {
    if (group.tree.node == TaskTree::kNoNode) return true;
    Leave(task);
    task.joins = &group;
    if (group.running == 0) return true;
    group.waiter = &task;
    return false;
  }
  bool Create(Task& task, const Construct& c, How how, Group& group) {
    Task& child = tasks_.emplace_back();
    child.joined_by = &group;
    child.finish = task.finish;
    child.frames.push_back({&c.body});
    child.strands = &program_.numbering.StrandsOf(program_.numbering.TaskOf(&c));
    ++group.running;
    Note(task.worker->Create(task.place(), child.place(), how, group.tree, kNowhere));
    if (outside_ != nullptr) return false;
    NoteStep(task);
    ready_.push_back(&child);
    return true;
  }
  bool Execute(Task& task, const Construct& c) {
    if (c.what != What::kAccess) BecomeTask(task);
    switch (c.what) {
      case What::kAccess:
        if (rng_() % kAccessesACollection == 0) task.worker->CollectSoon();
        if (task.part && program_.MovedOutOf(task.part->loop).Has(task.frames.front().next - 1)) {
          return true;
        }
        program_.Tell(*task.worker, c);
        return true;
      case What::kSpawn:
        return Create(task, c, How::kSpawn, *task.scopes[task.scopes.size() - 1 - c.scope]);
      case What::kAsync:
        return Create(task, c, How::kAsync, *task.finish);
      case What::kSync:
        return Join(task, *task.scopes[task.scopes.size() - 1 - c.scope]);
      case What::kScope:
        task.scopes.push_back(&groups_.emplace_back());
        task.frames.push_back({&c.body, 0, What::kScope});
        return true;
      case What::kFinish: {
        Group* finish = &groups_.emplace_back();
        task.worker->Open(task.place(), finish->tree);
        task.frames.push_back({&c.body, 0, What::kFinish, std::exchange(task.finish, finish),
                               std::exchange(task.scopes, {})});
        NoteStep(task);
        return true;
      }
      case What::kLoop:
        return BeginLoop(task, c);
      default:
        return true;
    }
  }

  void Note(OutsideClass outside) {
    if (outside_ == nullptr) outside_ = outside;
  }
  void NoteStep(Task& task) {
    const size_t strand = (*task.strands)[task.begun++];
    if (!notes_steps_) return;
    steps_[strand] = task.Now();
    subject_.detection->tree.Keep(task.Now().node);
  }

  static constexpr size_t kAccessesACollection = 1024;

  const bool depth_first_;
  const bool notes_steps_;
  ParallelSubject& subject_;
  ParallelProgram& program_;
  std::mt19937_64& rng_;
  std::deque<Task> tasks_;
  std::deque<Group> groups_;
  std::deque<Loop> loops_;
  std::vector<Task*> ready_;
  Steps steps_;
  OutsideClass outside_ = nullptr;
};

}  // namespace taskrace::oracle
