#include "exec/serial_executor.h"

#include <new>
#include <utility>

namespace taskrace {
namespace {

// A task begins on a fresh stack if less than this is left: enough for calls of ordinary functions.
constexpr size_t kLeastStack = size_t{256} << 10;

uintptr_t StackPointer() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

Host::Place NoPlace() { return {nullptr, kNowhere}; }

}  // namespace

StrandId SerialExecutor::NextStrand() {
  if (next_strand_ > Index(kLastTaskStrand)) [[unlikely]] {
    host_.Fail("more than 2 147 483 647 strands: run a smaller input", NoPlace(), NoPlace());
  }
  return StrandId{next_strand_++};
}

Where SerialExecutor::Here(uintptr_t pc) {
  return execution_.contexts.Intern(__taskrace_top, pc, 0, Operation::kPlain);
}

void SerialExecutor::Enter(TaskId task, StrandId strand) {
  execution_.task = task;
  SetStrand(strand);
}

void SerialExecutor::Check(OutsideClass reason, uintptr_t pc, Host::Place second) {
  if (reason != nullptr) [[unlikely]] {
    host_.LeaveClass(*reason, {"here", Here(pc)}, second);
  }
}

void SerialExecutor::CheckScope(const __taskrace_group* scope, uintptr_t pc) {
  // An iteration is not the task that runs its loop.
  BecomeTask();
  if (const char* problem = ProblemOf(*scope, execution_); problem != nullptr) [[unlikely]] {
    host_.Fail(problem, {"used here", Here(pc)}, {"made here", Where{scope->made_at}});
  }
}

void SerialExecutor::Start(StrandId first) {
  first_strand_ = next_strand_ = Index(first);
  fibers_ = &root_fibers_;
  if (switches_) fibers_->Start();
  singles_.Append({});  // element 0 is unused
  root_finish_.id = 1;
  execution_.finish = &root_finish_;
  const TaskId root =
      execution_.tasks.Size() == 0 ? execution_.tasks.Add(kRootTask, kNowhere) : kRootTask;
  const StrandId strand = NextStrand();
  detection_.OnStart(root, GroupId{1}, strand);
  Enter(root, strand);
}

void SerialExecutor::JoinAll(uintptr_t pc) {
  if (execution_.task != kRootTask || execution_.finish != &root_finish_) return;
  WaitForChildren(&root_finish_, "the end of all tasks", pc);
  // Threads that nobody has joined may go on while the globals are destroyed.
  if (unjoined_threads_ != 0 && root_finish_.unjoined == 0) return;
  const StrandId strand = NextStrand();
  Check(detection_.OnJoin(kRootTask, GroupId{1}, How::kFinish, TakeSingles(&root_finish_), strand),
        pc);
  Enter(kRootTask, strand);
}

// ---- tasks

void SerialExecutor::Spawn(__taskrace_group* scope, void (*body)(void*), void* closure,
                           uintptr_t pc) {
  CheckScope(scope, pc);
  Create(How::kSpawn, scope, nullptr, body, closure, pc);
}

void SerialExecutor::Async(void (*body)(void*), void* closure, uintptr_t pc) {
  Create(How::kAsync, execution_.finish, nullptr, body, closure, pc);
}

void SerialExecutor::CreateSingle(How how, __taskrace_future* future, void (*body)(void*),
                                  void* closure, uintptr_t pc) {
  *future = {};
  Create(how, execution_.finish, future, body, closure, pc);
}

void SerialExecutor::CreateStage(__taskrace_future* stage, void (*body)(void*), void* closure,
                                 uintptr_t pc) {
  *stage = {};
  Create(How::kFork, execution_.finish, stage, body, closure, pc, kPipelineReason);
}

void SerialExecutor::Create(How how, __taskrace_group* group, __taskrace_future* future,
                            void (*body)(void*), void* closure, uintptr_t pc,
                            const Reason& fork_reason) {
  BecomeTask();
  const TaskId creator = execution_.task;
  const Where here = Here(pc);
  const Task child{.executor = this,
                   .id = execution_.tasks.Add(creator, here),
                   .first = NextStrand(),
                   .group = group,
                   .future = future,
                   .body = body,
                   .closure = closure,
                   .pc = pc};
  ++group->unjoined;
  ++group->running;
  if (future != nullptr) {
    future->task = Index(child.id);
    future->made_at = static_cast<uint32_t>(here);
    AddSingle(group, child.id);
  }
  const OutsideClass outside =
      detection_.OnCreate(creator, child.id, how, GroupId{group->id}, child.first);
  Check(outside == &reasons::kFork ? &fork_reason : outside, pc);
  if (switches_) {
    OwnFibers().Run(RunAsFiber, const_cast<Task*>(&child));
    host_.OnSwitch();
  } else {
    CallNested(
        [](void* argument) {
          const Task& task = *static_cast<const Task*>(argument);
          task.executor->Run(task);
        },
        const_cast<Task*>(&child));
  }
  Proceed();
}

void SerialExecutor::Proceed() {
  const StrandId next = NextStrand();
  detection_.OnProceed(execution_.task, next);
  SetStrand(next);
}

FiberQueue SerialExecutor::Run(const Task& task) {
  Enter(task.id, task.first);
  execution_.locks = kNoLocks;
  execution_.part = nullptr;
  task.body(task.closure);

  Check(detection_.OnEnd(task.id), task.pc);
  detection_.Clear(reinterpret_cast<uintptr_t>(task.closure), TaskStorage::SizeOf(task.closure));
  storage_.Free(task.closure);
  FiberQueue resumed;
  if (task.future != nullptr) resumed = MakeReady(task.future);
  if (--task.group->running == 0 && task.group->waiter != nullptr) {
    resumed.Append(static_cast<Fiber*>(task.group->waiter));
    task.group->waiter = nullptr;
  }
  return resumed;
}

void SerialExecutor::RunAsFiber(void* argument) {
  const Task task = *static_cast<Task*>(argument);
  SerialExecutor& self = *task.executor;
  Contexts::InitBase(__taskrace_top);
  const FiberQueue resumed = self.Run(task);
  Execution& execution = self.execution_;
  self.detection_.Clear(execution.stack_touched, execution.stack_high - execution.stack_touched);
  self.fibers_->Exit(self.OfThisThread(resumed));
  self.host_.Deadlock(self.fibers_->FirstBlocked());
}

void SerialExecutor::CallNested(void (*function)(void*), void* argument) {
  const uintptr_t here = StackPointer();
  if (here - execution_.stack_low < kLeastStack && here >= execution_.stack_low) [[unlikely]] {
    return CallOnFreshStack(function, argument);
  }
  const RunningTask caller = execution_;
  __taskrace_frame* const callers = __taskrace_top;
  __taskrace_top = callers + 1;
  Contexts::InitBase(__taskrace_top);
  function(argument);
  __taskrace_top = callers;
  const bool other_regions =
      execution_.ignored != caller.ignored || execution_.ordered != caller.ordered;
  static_cast<RunningTask&>(execution_) = caller;
  if (other_regions) host_.OnSwitch();
  ForgetBelow(here);
}

void SerialExecutor::ForgetBelow(uintptr_t stack_pointer) {
  if (execution_.stack_touched >= stack_pointer) return;
  detection_.Clear(execution_.stack_touched, stack_pointer - execution_.stack_touched);
  execution_.stack_touched = stack_pointer;
}

void SerialExecutor::CallOnFreshStack(void (*function)(void*), void* argument) {
  struct Nested {
    SerialExecutor* executor;
    void (*function)(void*);
    void* argument;
  } nested{this, function, argument};
  Stacks::Stack* stack = stacks_.Acquire();
  const RunningStack callers_stack = execution_;
  __taskrace_frame* const callers = __taskrace_top;
  execution_.stack_low = stack->low;
  execution_.stack_high = execution_.stack_touched = stack->high;
  __taskrace_top = stack->frames;
  Stacks::Call(
      stack,
      [](void* argument) {
        const Nested& nested = *static_cast<const Nested*>(argument);
        nested.executor->CallNested(nested.function, nested.argument);
      },
      &nested);
  __taskrace_top = callers;
  detection_.Clear(execution_.stack_touched, stack->high - execution_.stack_touched);
  static_cast<RunningStack&>(execution_) = callers_stack;
  stacks_.Release(stack);
}

// ---- loops

void SerialExecutor::Loop(size_t count, int64_t index, LoopRange range, void* closure,
                          uintptr_t pc) {
  if (count == 0) return;
  BecomeTask();
  const Where here = Here(pc);
  if (execution_.loops.Left() < count) [[unlikely]] {
    host_.Fail("a loop has more iterations than can be numbered: run a smaller input",
               {"here", here}, NoPlace());
  }
  RunningLoop loop{.executor = this,
                   .number = 0,
                   .creator = execution_.task,
                   .made_at = here,
                   .pc = pc,
                   .range = range,
                   .closure = closure,
                   .count = count};
  CreateLoop(loop, index);
  while (loop.next < count) {
    if (switches_) {
      ++loop.group.running;
      OwnFibers().Run(RunPartAsFiber, &loop);
      host_.OnSwitch();
      Proceed();
    } else {
      CallNested(
          [](void* argument) {
            RunningLoop& loop = *static_cast<RunningLoop*>(argument);
            loop.executor->RunPart(loop);
          },
          &loop);
    }
  }
  WaitForChildren(&loop.group, "the iterations of a loop", pc);
  JoinLoop(loop);
}

void SerialExecutor::CreateLoop(RunningLoop& loop, int64_t index) {
  detection_.OnLoop();
  const TaskId all = execution_.tasks.Add(loop.creator, loop.made_at, /*is_loop=*/true);
  const StrandId strand = NextStrand();
  loop.number = execution_.loops.Add({strand, all, index, loop.count});
  loop.group.id = next_group_++;
  loop.group.made_at = static_cast<uint32_t>(loop.made_at);
  Check(detection_.OnCreate(loop.creator, all, How::kSpawn, GroupId{loop.group.id}, strand),
        loop.pc);
  Check(detection_.OnEnd(all), loop.pc);
  Proceed();
}

void SerialExecutor::JoinLoop(RunningLoop& loop) {
  execution_.loops.End(loop.number);
  const StrandId next = NextStrand();
  Check(detection_.OnJoin(loop.creator, GroupId{loop.group.id}, How::kSync, {}, next), loop.pc);
  Joined(next, loop.pc);
}

void SerialExecutor::RunPart(RunningLoop& loop) {
  LoopPart part{.loop = &loop,
                .number = loop.number,
                .begin = loop.next,
                .ignored = execution_.ignored,
                .ordered = execution_.ordered,
                .own_end = reinterpret_cast<uintptr_t>(__builtin_frame_address(0))};
  loop.next = loop.count;
  execution_.part = &part;
  execution_.locks = kNoLocks;
  const GroupId group{loop.group.id};
  detection_.OnPart(loop.creator, group);
  loop.range(loop.closure, part.begin, loop.count);
  EndIteration(part);
  detection_.OnPartEnd(group);
  execution_.part = nullptr;
}

void SerialExecutor::RunPartAsFiber(void* argument) {
  RunningLoop& loop = *static_cast<RunningLoop*>(argument);
  SerialExecutor& self = *loop.executor;
  Contexts::InitBase(__taskrace_top);
  self.RunPart(loop);
  Execution& execution = self.execution_;
  self.detection_.Clear(execution.stack_touched, execution.stack_high - execution.stack_touched);
  FiberQueue resumed;
  if (--loop.group.running == 0 && loop.group.waiter != nullptr) {
    resumed.Append(static_cast<Fiber*>(std::exchange(loop.group.waiter, nullptr)));
  }
  self.fibers_->Exit(self.OfThisThread(resumed));
  self.host_.Deadlock(self.fibers_->FirstBlocked());
}

bool SerialExecutor::Iteration(size_t k, uintptr_t stack_pointer) {
  LoopPart& part = *execution_.part;
  if (k == part.k) return true;
  EndIteration(part);
  if (part.loses_rest) return false;
  BeginIteration(k, stack_pointer);
  return true;
}

void SerialExecutor::BeginIteration(size_t k, uintptr_t stack_pointer) {
  detection_.OnIteration(k);
  ForgetBelow(stack_pointer);
}

void SerialExecutor::EndIteration(LoopPart& part) {
  if (part.is_task) EndIterationTask(part);
  if (execution_.locks != kNoLocks) [[unlikely]] {
    detection_.Flush();
    execution_.locks = kNoLocks;
  }
  if (execution_.ignored != part.ignored || execution_.ordered != part.ordered) [[unlikely]] {
    execution_.ignored = part.ignored;
    execution_.ordered = part.ordered;
    host_.OnSwitch();
  }
}

void SerialExecutor::MakeIterationTask() {
  LoopPart& part = *execution_.part;
  if (part.is_task || part.k == SIZE_MAX) return;
  const RunningLoop& loop = *part.loop;
  const TaskId task = execution_.tasks.Add(loop.creator, loop.made_at);
  const StrandId first = NextStrand();
  Check(detection_.OnCreate(loop.creator, task, How::kSpawn, GroupId{loop.group.id}, first),
        loop.pc);
  EnterIterationTask(task, first);
}

void SerialExecutor::EnterIterationTask(TaskId task, StrandId first) {
  execution_.part->is_task = true;
  execution_.loops.BecomesTask(execution_.strand, first, task);
  Enter(task, first);
}

void SerialExecutor::EndIterationTask(LoopPart& part) {
  part.is_task = false;
  Check(detection_.OnEnd(execution_.task), part.loop->pc);
  execution_.task = part.loop->creator;
  // If it had to wait, others have gone on for the creator.
  if (!part.loses_rest) Proceed();
}

// ---- units

namespace {

// Units that are open, in one piece.
struct OpenUnits {
  RunningLoop loop;
  LoopPart part;
  UnitTasks tasks;
};

OpenUnits& UnitsOf(const LoopPart& part) { return *reinterpret_cast<OpenUnits*>(part.loop); }

}  // namespace

void SerialExecutor::UnitsBegin(size_t count, int64_t index, uintptr_t pc, const UnitTasks& tasks) {
  BecomeTask();
  // A lock that the task holds protects all of them, which a unit of its own would not know.
  if (count == 0 || execution_.loops.Left() < count || execution_.locks != kNoLocks) {
    return UnitTasksGet(tasks.before, tasks.count, pc);
  }
  auto* const units = new (storage_.Allocate(sizeof(OpenUnits), alignof(OpenUnits)))
      OpenUnits{.loop = {}, .part = {}, .tasks = tasks};
  units->loop.executor = this;
  units->loop.creator = execution_.task;
  units->loop.made_at = Here(pc);
  units->loop.pc = pc;
  units->loop.count = count;
  units->part.loop = &units->loop;
  units->part.ignored = execution_.ignored;
  units->part.ordered = execution_.ordered;
  units->part.is_units = true;
  CreateLoop(units->loop, index);
  units->part.number = units->loop.number;
  execution_.part = &units->part;
  detection_.OnPart(units->loop.creator, GroupId{units->loop.group.id});
}

void SerialExecutor::Unit(size_t k, uintptr_t stack_pointer) {
  if (!HasUnits()) return;
  LoopPart& part = *execution_.part;
  if (part.k == k) return;
  EndIteration(part);
  part.own_end = stack_pointer;
  BeginIteration(k, stack_pointer);
  if (UnitsOf(part).tasks.made != nullptr) MakeUnitTask(k);
}

// A future, so that one unit alone can wait for it.
void SerialExecutor::MakeUnitTask(size_t k) {
  const OpenUnits& units = UnitsOf(*execution_.part);
  const RunningLoop& loop = units.loop;
  const size_t i = (k - units.tasks.first) / units.tasks.distance;
  const TaskId task = execution_.tasks.Add(loop.creator, loop.made_at);
  const StrandId first = NextStrand();
  ++execution_.finish->unjoined;
  AddSingle(execution_.finish, task);
  Check(
      detection_.OnCreate(loop.creator, task, How::kFuture, GroupId{execution_.finish->id}, first),
      loop.pc);
  EnterIterationTask(task, first);
  units.tasks.made[i] = Index(task);
  if (units.tasks.before != nullptr) UnitTasksGet(&units.tasks.before[i], 1, loop.pc);
}

void SerialExecutor::UnitTasksGet(const uint32_t* tasks, size_t count, uintptr_t pc) {
  for (size_t i = 0; tasks != nullptr && i < count; ++i) {
    if (tasks[i] == 0) continue;
    const StrandId next = NextStrand();
    Check(detection_.OnGet(execution_.task, TaskId{tasks[i]}, How::kGet, next), pc);
    SetStrand(next);
  }
}

void SerialExecutor::UnitsRun(size_t first, size_t count, bool are_open) {
  are_open = are_open && HasUnits();
  if (are_open) {
    execution_.part->begin = first;
    execution_.part->end = first + count;
  }
  detection_.OnRun(are_open);
}

void SerialExecutor::UnitsEnd() {
  if (!HasUnits()) return;
  // The units so far, and those that the rest of the loop comes after, as a part of the task itself.
  const UnitTasks tasks = UnitsOf(*execution_.part).tasks;
  const uintptr_t pc = execution_.part->loop->pc;
  UnitsJoin(UnitsLeave());
  if (tasks.made == nullptr) return;
  UnitTasksGet(tasks.made, tasks.count, pc);
  for (size_t i = 0; tasks.before != nullptr && i < tasks.count; ++i) {
    if (tasks.made[i] == 0) UnitTasksGet(&tasks.before[i], 1, pc);
  }
}

RunningLoop* SerialExecutor::UnitsLeave() {
  if (!HasUnits()) return nullptr;
  LoopPart& part = *execution_.part;
  if (part.is_task) EndIterationTask(part);
  detection_.OnPartEnd(GroupId{part.loop->group.id});
  execution_.part = nullptr;
  Proceed();
  return part.loop;
}

void SerialExecutor::UnitsJoin(RunningLoop* units) {
  JoinLoop(*units);
  storage_.Free(reinterpret_cast<OpenUnits*>(units));
}

// ---- waiting

void SerialExecutor::Wait(const char* what, Where made_at, uintptr_t pc) {
  const Waiting waiting{execution_.task, what, Here(pc), made_at};
  // Without promises, what is waited for can only be a task that itself waits for the caller.
  if (switches_ || next_promise_ > 1) Check(detection_.OnBlock(execution_.task), pc);
  if (!switches_) {
    Fiber only;
    only.waiting = waiting;
    host_.Deadlock(&only);
  }
  if (LoopPart* const part = execution_.part; part != nullptr && !part->loses_rest) {
    part->loses_rest = true;
    part->loop->next = part->k + 1;
  }
  if (!fibers_->Block(waiting)) host_.Deadlock(fibers_->FirstBlocked());
  host_.OnSwitch();
}

void SerialExecutor::WaitForChildren(__taskrace_group* group, const char* what, uintptr_t pc) {
  if (group->running == 0) return;
  group->waiter = OwnFibers().Running();
  Wait(what, Where{group->made_at}, pc);
}

// The waiters of a future are a ring, of which it has the last one.
FiberQueue SerialExecutor::MakeReady(__taskrace_future* future) {
  future->ready = 1;
  FiberQueue waiters;
  if (future->waiters == nullptr) return waiters;
  waiters.last = static_cast<Fiber*>(std::exchange(future->waiters, nullptr));
  waiters.first = std::exchange(waiters.last->next, nullptr);
  return waiters;
}

void SerialExecutor::WaitFor(__taskrace_future* future, const char* what, uintptr_t pc) {
  Fiber* const last = static_cast<Fiber*>(future->waiters);
  if (Fiber* const added = OwnFibers().Running()) {
    added->next = last == nullptr ? added : std::exchange(last->next, added);
    future->waiters = added;
  }
  Wait(what, Where{future->made_at}, pc);
}

void SerialExecutor::Get(How how, __taskrace_future* future, uintptr_t pc) {
  BecomeTask();
  if (future->ready == 0) {
    WaitFor(future,
            future->promise != 0 ? "a promise"
            : how == How::kGet   ? "a future"
                                 : "a forked task",
            pc);
  }
  const TaskId task = execution_.task;
  const StrandId next = NextStrand();
  if (future->promise != 0) {
    Check(detection_.OnGetPromise(task, PromiseId{future->promise}, next), pc);
  } else {
    Check(detection_.OnGet(task, TaskId{future->task}, how, next), pc,
          {how == How::kGet ? "the future was made here" : "the task was forked here",
           Where{future->made_at}});
  }
  Joined(next, pc);
}

void SerialExecutor::PromiseBegin(__taskrace_future* promise, uintptr_t pc) {
  *promise = {};
  promise->promise = next_promise_++;
  promise->made_at = static_cast<uint32_t>(Here(pc));
}

void SerialExecutor::PromiseSet(__taskrace_future* promise, uintptr_t pc) {
  BecomeTask();
  Check(detection_.OnSet(execution_.task, PromiseId{promise->promise}), pc,
        {"the promise was made here", Where{promise->made_at}});
  const FiberQueue waiters = OfThisThread(MakeReady(promise));
  if (waiters.first != nullptr && !abandons_waiting_) {
    fibers_->Resume(waiters);
    host_.OnSwitch();
  }
  Proceed();
}

// ---- threads

RestingThread SerialExecutor::CreateThread(uint32_t number, uintptr_t pc) {
  BecomeTask();
  const TaskId creator = execution_.task;
  const TaskId thread = execution_.tasks.Add(creator, Here(pc));
  execution_.tasks.SetThread(thread, {number, TaskTable::kNoTeam});
  AddSingle(&root_finish_, thread);
  ++unjoined_threads_;
  Check(detection_.OnCreate(creator, thread, How::kFuture, GroupId{1}, NextStrand()), pc);
  RestingThread begins;
  begins.task.task = thread;
  begins.task.finish = &root_finish_;
  return begins;
}

void SerialExecutor::EndThread() {
  detection_.OnEnd(execution_.task);
  detection_.Clear(execution_.stack_touched, execution_.stack_high - execution_.stack_touched);
  if (fibers_ != nullptr) unused_fibers_.Append(fibers_);
  fibers_ = nullptr;
}

void SerialExecutor::JoinThread(TaskId thread, uintptr_t pc) {
  BecomeTask();
  const StrandId next = NextStrand();
  Check(detection_.OnGet(execution_.task, thread, How::kGet, next), pc);
  SetStrand(next);
  --unjoined_threads_;
}

void SerialExecutor::SwitchThread(RestingThread* rests, const RestingThread& runs) {
  if (rests != nullptr) {
    detection_.Flush();
    *rests = {execution_, execution_, fibers_};
  }
  static_cast<RunningTask&>(execution_) = runs.task;
  static_cast<RunningStack&>(execution_) = runs.stack;
  fibers_ = runs.fibers;
  Proceed();
}

Fibers& SerialExecutor::OwnFibers() {
  if (fibers_ == nullptr && unused_fibers_.Empty()) {
    fibers_ = new (storage_.Allocate(sizeof(Fibers), alignof(Fibers)))
        Fibers(execution_, AwaitOtherThreads, this);
    fibers_->Start();
  } else if (fibers_ == nullptr) {
    fibers_ = unused_fibers_[unused_fibers_.Size() - 1];
    unused_fibers_.PopBack();
    fibers_->Start();
  }
  return *fibers_;
}

FiberQueue SerialExecutor::OfThisThread(FiberQueue resumed) {
  FiberQueue own;
  for (Fiber* fiber = resumed.first; fiber != nullptr;) {
    Fiber* const next = fiber->next;
    if (fiber->home == fibers_) {
      own.Append(fiber);
    } else {
      fiber->home->Hand(fiber);
      host_.WakeThread(fiber->home);
    }
    fiber = next;
  }
  return own;
}

bool SerialExecutor::AwaitOtherThreads(Fibers& fibers, void* executor) {
  const Fiber* const oldest = fibers.FirstBlocked();
  return static_cast<SerialExecutor*>(executor)->host_.AwaitOtherThreads(
      &fibers, oldest == nullptr ? Waiting{} : oldest->waiting);
}

PromiseId SerialExecutor::SetEdge(uintptr_t pc) {
  BecomeTaskWithEdge();
  const PromiseId edge{next_promise_++};
  if (detection_.OnSet(execution_.task, edge) != nullptr) Check(&kEdgeReason, pc);
  Proceed();
  return edge;
}

void SerialExecutor::GetEdge(PromiseId promise, uintptr_t pc) {
  BecomeTaskWithEdge();
  const StrandId next = NextStrand();
  Check(detection_.OnGetPromise(execution_.task, promise, next), pc);
  Joined(next, pc);
}

// ---- groups

void SerialExecutor::ScopeBegin(__taskrace_group* scope, uintptr_t pc) {
  BecomeTask();
  *scope = {};
  scope->id = next_group_++;
  scope->task = Index(execution_.task);
  scope->finish = execution_.finish;
  scope->made_at = static_cast<uint32_t>(Here(pc));
}

void SerialExecutor::ScopeSync(__taskrace_group* scope, uintptr_t pc) {
  CheckScope(scope, pc);
  if (scope->unjoined == 0) return;
  WaitForChildren(scope, "the tasks of a scope", pc);
  scope->unjoined = 0;
  const StrandId next = NextStrand();
  Check(detection_.OnJoin(execution_.task, GroupId{scope->id}, How::kSync, {}, next), pc);
  Joined(next, pc);
}

void SerialExecutor::FinishBegin(__taskrace_group* finish, uintptr_t pc) {
  ScopeBegin(finish, pc);
  execution_.finish = finish;
  const StrandId next = NextStrand();
  Check(detection_.OnOpen(execution_.task, GroupId{finish->id}, next), pc);
  SetStrand(next);
}

void SerialExecutor::FinishEnd(__taskrace_group* finish, uintptr_t pc) {
  WaitForChildren(finish, "the tasks of a finish", pc);
  const StrandId next = NextStrand();
  Check(detection_.OnJoin(execution_.task, GroupId{finish->id}, How::kFinish, TakeSingles(finish),
                          next),
        pc);
  execution_.finish = finish->finish;
  Joined(next, pc);
}

void SerialExecutor::AddSingle(__taskrace_group* finish, TaskId task) {
  uint32_t added = free_singles_;
  if (added == 0) {
    added = static_cast<uint32_t>(singles_.Size());
    singles_.Append({});
  } else {
    const uint32_t first = singles_[added].next;
    singles_[added].next = singles_[first].next;
    free_singles_ = first == added ? 0 : added;
    added = first;
  }
  uint32_t& last = finish->singles;
  singles_[added] = {task, last == 0 ? added : singles_[last].next};
  if (last != 0) singles_[last].next = added;
  last = added;
}

std::span<const TaskId> SerialExecutor::TakeSingles(__taskrace_group* finish) {
  taken_.Truncate(0);
  const uint32_t last = finish->singles;
  if (last == 0) return {};
  uint32_t single = last;
  do {
    single = singles_[single].next;
    taken_.Append(singles_[single].task);
  } while (single != last);
  // Two rings become one.
  if (free_singles_ != 0) std::swap(singles_[last].next, singles_[free_singles_].next);
  free_singles_ = last;
  finish->singles = 0;
  return {taken_.Data(), taken_.Size()};
}

}  // namespace taskrace
