#include "exec/parallel_executor.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <new>
#include <utility>

namespace taskrace {
namespace {

uintptr_t StackPointer() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

// The stack of the calling thread, which is not the main one.
void FindStack(RunningStack& stack) {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  stack.stack_low = reinterpret_cast<uintptr_t>(low);
  stack.stack_high = stack.stack_touched = stack.stack_low + size;
}

// A program that has run over a stack still gets its report.
void HandleSignalsElsewhere() {
  constexpr size_t kBytes = size_t{64} << 10;
  stack_t stack{};
  stack.ss_sp = Map(kBytes, "a signal stack");
  stack.ss_size = kBytes;
  sigaltstack(&stack, nullptr);
}

}  // namespace

static_assert(TaskScheduler::kMostThreads <= Epochs::kMostWorkers);
static_assert(TaskScheduler::ThreadsFor(0, 300) == 256 && TaskScheduler::ThreadsFor(0, 8) == 8);
static_assert(TaskScheduler::ThreadsFor(4, 300) == 4);

constinit thread_local ParallelExecutor::Thread* ParallelExecutor::thread_ = nullptr;

void ParallelExecutor::Start(Running& running, unsigned threads) {
  scheduler_.start(threads);
  Thread& thread = MakeThread(running);
  WorkerHooks::Become(&thread.worker);
  root_finish_.id = 1;
  Group& finish = GroupOf(&root_finish_);
  thread.worker.detector.Start(root_, finish.tree);
  thread.place = &root_;
  running.finish = &root_finish_;
  host_.OnThreadRuns(running);
}

ParallelExecutor::Thread& ParallelExecutor::MakeThread(Running& running) {
  thread_ = new (Map(RoundUpToMapping(sizeof(Thread)), "a worker")) Thread(checker_, running);
  checker_.Add(thread_->worker);
  return *thread_;
}

ParallelExecutor::Thread& ParallelExecutor::BecomeThread() {
  Running* running = new (Map(RoundUpToMapping(sizeof(Running)), "a worker")) Running;
  FindStack(*running);
  HandleSignalsElsewhere();
  return MakeThread(*running);
}

ParallelExecutor::Group& ParallelExecutor::GroupOf(__taskrace_group* group) {
  if (group->waiter == nullptr) {
    group->waiter = new (Here().storage.Allocate(sizeof(Group), alignof(Group))) Group;
  }
  return *static_cast<Group*>(group->waiter);
}

void ParallelExecutor::EndGroup(__taskrace_group* group) {
  if (group->waiter == nullptr) return;
  Group* made = static_cast<Group*>(std::exchange(group->waiter, nullptr));
  if (made->is_scheduled) {
    host_.OnThreadRests();
    scheduler_.end_group(made->room);
    host_.OnThreadRuns(Here().running);
  }
  Here().storage.Free(made);
}

void ParallelExecutor::Refuse(const Reason& reason, uintptr_t pc) {
  host_.LeaveClass(reason, {"here", checker_.Here(pc)}, {nullptr, kNowhere});
}

void ParallelExecutor::Check(OutsideClass reason, uintptr_t pc) {
  if (reason != nullptr) [[unlikely]]
    Refuse(*reason, pc);
}

void ParallelExecutor::CheckScope(const __taskrace_group& scope, uintptr_t pc) {
  if (const char* problem = ProblemOf(scope, Here().running); problem != nullptr) [[unlikely]] {
    host_.Fail(problem, {"used here", checker_.Here(pc)}, {"made here", Where{scope.made_at}});
  }
}

// ---- tasks

void* ParallelExecutor::Storage(size_t size, size_t alignment) {
  Thread& thread = Here();
  alignment = std::max(alignment, alignof(Task));
  const size_t before = (sizeof(Task) + alignment - 1) & ~(alignment - 1);
  char* block = static_cast<char*>(thread.storage.Allocate(before + size, alignment));
  Task* task = new (block + before - sizeof(Task)) Task{.executor = this,
                                                        .block = block,
                                                        .size = size,
                                                        .creator = &thread,
                                                        .body = nullptr,
                                                        .place = {},
                                                        .running = {}};
  return task->closure();
}

void ParallelExecutor::Spawn(__taskrace_group* scope, void (*body)(void*), void* closure,
                             uintptr_t pc) {
  BecomeTask();
  CheckScope(*scope, pc);
  ++scope->unjoined;
  Create(How::kSpawn, scope, body, closure, pc);
}

void ParallelExecutor::Async(void (*body)(void*), void* closure, uintptr_t pc) {
  Create(How::kAsync, Here().running.finish, body, closure, pc);
}

void ParallelExecutor::Create(How how, __taskrace_group* scope, void (*body)(void*), void* closure,
                              uintptr_t pc) {
  BecomeTask();
  Thread& thread = Here();
  Group& group = GroupOf(scope);
  Task& task = static_cast<Task*>(closure)[-1];
  Check(
      thread.worker.detector.Create(*thread.place, task.place, how, group.tree, checker_.Here(pc)),
      pc);
  task.body = body;
  task.running = thread.running;
  task.running.task = checker_.TaskOf(task.place.node);
  task.running.locks = kNoLocks;
  task.running.part = nullptr;
  host_.OnThreadRests();
  if (MayRunNow(thread)) {
    thread.worker.detector.Stop();
    RunTask(thread, task);
    thread.worker.detector.Run(*thread.place);
  } else {
    if (!std::exchange(group.is_scheduled, true)) scheduler_.make_group(group.room);
    ++thread.handed_over;
    scheduler_.run(group.room, RunHandedOver, &task);
  }
  host_.OnThreadRuns(thread.running);
}

bool ParallelExecutor::MayRunNow(const Thread& thread) {
  return thread.HasManyWaiting() && thread.running.locks == kNoLocks &&
         StackPointer() - thread.running.stack_low > kLeastStack;
}

void ParallelExecutor::RunHandedOver(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  Thread& thread = thread_ == nullptr ? task.executor->BecomeThread() : *thread_;
  if (task.creator == &thread) {
    --thread.handed_over;
  } else {
    task.creator->stolen.fetch_add(1, std::memory_order_relaxed);
  }
  WorkerHooks::Become(&thread.worker);
  RunTask(thread, task);
  thread.worker.detector.Rest();
  WorkerHooks::Become(nullptr);
}

ParallelExecutor::Below ParallelExecutor::PutAside(Thread& thread, const RunningTask& next,
                                                   TaskTree::TaskPlace* place) {
  const Below below{std::exchange(static_cast<RunningTask&>(thread.running), next),
                    std::exchange(thread.place, place), __taskrace_top};
  __taskrace_top = below.callers + 1;
  Contexts::InitBase(__taskrace_top);
  return below;
}

void ParallelExecutor::GoBack(Thread& thread, const Below& below) {
  __taskrace_top = below.callers;
  thread.place = below.place;
  static_cast<RunningTask&>(thread.running) = below.running;
}

void ParallelExecutor::RunTask(Thread& thread, Task& task) {
  Host& host = task.executor->host_;
  ParallelWorker& detector = thread.worker.detector;
  const uintptr_t stack_pointer = StackPointer();
  const Below below = PutAside(thread, task.running, &task.place);

  detector.SetLocks(kNoLocks);
  detector.Run(task.place);
  ForgetBelow(thread, stack_pointer);
  host.OnThreadRuns(thread.running);
  task.body(task.closure());
  host.OnThreadRests();
  detector.End();
  detector.Clear(reinterpret_cast<uintptr_t>(task.closure()), task.size);
  ForgetBelow(thread, stack_pointer);

  if (task.creator == &thread) {
    thread.storage.Free(task.block);
  } else {
    task.creator->storage.GiveBack(task.block);
  }
  GoBack(thread, below);
}

void ParallelExecutor::ForgetBelow(Thread& thread, uintptr_t stack_pointer) {
  Running& running = thread.running;
  if (running.stack_touched >= stack_pointer) return;
  thread.worker.detector.Clear(running.stack_touched, stack_pointer - running.stack_touched);
  running.stack_touched = stack_pointer;
}

// ---- loops

void ParallelExecutor::Loop(size_t count, int64_t index, LoopRange range, void* closure,
                            uintptr_t pc) {
  if (count == 0) return;
  BecomeTask();
  Thread& thread = Here();
  const Where here = checker_.Here(pc);
  if (count >= ParallelLoop::kFirstPart) [[unlikely]] {
    host_.Fail("a loop has more iterations than can be numbered: run a smaller input",
               {"here", here}, {nullptr, kNowhere});
  }
  ParallelWorker& detector = thread.worker.detector;
  RunningLoop loop{this, range, closure, {}, thread.running};
  loop.running.locks = kNoLocks;
  detector.BeginLoop(*thread.place, loop.loop, count, index, here);
  host_.OnThreadRests();
  if (count == 1 || MayRunNow(thread)) {
    RunPart(thread, loop, 0, count);
  } else {
    detector.Rest();
    WorkerHooks::Become(nullptr);
    scheduler_.run_parts(count, RunPartHandedOver, &loop);
    WorkerHooks::Become(&thread.worker);
  }
  detector.JoinLoop(*thread.place, loop.loop);
  detector.SetLocks(thread.running.locks);
  host_.OnThreadRuns(thread.running);
}

void ParallelExecutor::RunPartHandedOver(void* argument, size_t begin, size_t end) {
  RunningLoop& loop = *static_cast<RunningLoop*>(argument);
  Thread& thread = thread_ == nullptr ? loop.executor->BecomeThread() : *thread_;
  WorkerHooks::Become(&thread.worker);
  RunPart(thread, loop, begin, end);
  thread.worker.detector.Rest();
  WorkerHooks::Become(nullptr);
}

void ParallelExecutor::RunPart(Thread& thread, RunningLoop& loop, size_t begin, size_t end) {
  Host& host = loop.executor->host_;
  ParallelWorker& detector = thread.worker.detector;
  const uintptr_t stack_pointer = StackPointer();
  ParallelPart part(loop.loop, begin, loop.running.task);
  part.end = end;
  part.ignored = loop.running.ignored;
  part.ordered = loop.running.ordered;
  const Below below = PutAside(thread, loop.running, nullptr);
  thread.running.part = &part;

  detector.BeginPart(part);
  ForgetBelow(thread, stack_pointer);
  host.OnThreadRuns(thread.running);
  loop.range(loop.closure, begin, end);
  EndIteration(host, thread, part);
  host.OnThreadRests();
  detector.EndPart(part);
  ForgetBelow(thread, stack_pointer);
  GoBack(thread, below);
}

bool ParallelExecutor::Iteration(size_t k, uintptr_t stack_pointer) {
  Thread& thread = Here();
  ParallelPart& part = PartOf(thread);
  if (part.has_marks && part.k == k) return true;
  EndIteration(host_, thread, part);
  thread.worker.detector.BeginIteration(part, k);
  ForgetBelow(thread, stack_pointer);
  return true;
}

void ParallelExecutor::EndIteration(Host& host, Thread& thread, ParallelPart& part) {
  Running& running = thread.running;
  if (running.locks != kNoLocks) [[unlikely]] {
    running.locks = kNoLocks;
    thread.worker.detector.SetLocks(kNoLocks);
  }
  if (part.is_task) {
    part.is_task = false;
    thread.worker.detector.End();
    thread.place = nullptr;
    running.task = part.creator;
  }
  if (running.ignored != part.ignored || running.ordered != part.ordered) [[unlikely]] {
    running.ignored = part.ignored;
    running.ordered = part.ordered;
    host.OnSwitch();
  }
}

void ParallelExecutor::BecomeTask() {
  Thread& thread = Here();
  if (thread.running.part == nullptr || thread.running.part->is_task) return;
  ParallelPart& part = PartOf(thread);
  part.is_task = true;
  thread.worker.detector.BecomeTask(part);
  thread.place = &part.place;
  thread.running.task = checker_.TaskOf(part.place.node);
}

// ---- groups

void ParallelExecutor::Wait(Group& group, uintptr_t pc) {
  Thread& thread = Here();
  ParallelWorker& detector = thread.worker.detector;
  host_.OnThreadRests();
  detector.Stop();
  if (group.is_scheduled) {
    detector.Rest();
    WorkerHooks::Become(nullptr);
    scheduler_.wait(group.room);
    WorkerHooks::Become(&thread.worker);
  }
  detector.SetLocks(thread.running.locks);
  Check(detector.Join(*thread.place, group.tree), pc);
  host_.OnThreadRuns(thread.running);
}

void ParallelExecutor::ScopeBegin(__taskrace_group* scope, uintptr_t pc) {
  BecomeTask();
  Running& running = Here().running;
  *scope = {};
  scope->id = 1;
  scope->task = Index(running.task);
  scope->finish = running.finish;
  scope->made_at = static_cast<uint32_t>(checker_.Here(pc));
}

void ParallelExecutor::ScopeSync(__taskrace_group* scope, uintptr_t pc) {
  BecomeTask();
  CheckScope(*scope, pc);
  if (scope->unjoined == 0) return;
  scope->unjoined = 0;
  Wait(GroupOf(scope), pc);
}

void ParallelExecutor::ScopeEnd(__taskrace_group* scope) {
  scope->id = 0;
  EndGroup(scope);
}

void ParallelExecutor::FinishBegin(__taskrace_group* finish, uintptr_t pc) {
  ScopeBegin(finish, pc);
  Thread& thread = Here();
  thread.worker.detector.Open(*thread.place, GroupOf(finish).tree);
  thread.running.finish = finish;
}

void ParallelExecutor::FinishEnd(__taskrace_group* finish, uintptr_t pc) {
  Wait(GroupOf(finish), pc);
  Here().running.finish = finish->finish;
  EndGroup(finish);
}

__taskrace_group* ParallelExecutor::InnermostFinish() {
  __taskrace_group* const finish = Here().running.finish;
  return finish == &root_finish_ ? nullptr : finish;
}

void ParallelExecutor::JoinAll(uintptr_t pc) {
  Thread& thread = Here();
  if (thread.place != &root_ || thread.running.finish != &root_finish_) return;
  Group& group = GroupOf(&root_finish_);
  Wait(group, pc);
  // Destructors of globals may start tasks.
  thread.worker.detector.Open(root_, group.tree);
}

// ---- what is outside the class

void ParallelExecutor::CreateSingle(How how, __taskrace_future*, void (*)(void*), void*,
                                    uintptr_t pc) {
  Refuse(how == How::kFork ? reasons::kFork : reasons::kFuture, pc);
}
void ParallelExecutor::CreateStage(__taskrace_future*, void (*)(void*), void*, uintptr_t pc) {
  Refuse(kPipelineReason, pc);
}
void ParallelExecutor::Get(How, __taskrace_future*, uintptr_t pc) { Refuse(reasons::kFuture, pc); }
void ParallelExecutor::PromiseBegin(__taskrace_future*, uintptr_t pc) {
  Refuse(reasons::kPromise, pc);
}
void ParallelExecutor::PromiseSet(__taskrace_future*, uintptr_t pc) {
  Refuse(reasons::kPromise, pc);
}
PromiseId ParallelExecutor::SetEdge(uintptr_t pc) { Refuse(kEdgeReason, pc); }
void ParallelExecutor::GetEdge(PromiseId, uintptr_t pc) { Refuse(kEdgeReason, pc); }

}  // namespace taskrace
