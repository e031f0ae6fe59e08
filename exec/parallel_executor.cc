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
  CheckScope(*scope, pc);
  ++scope->unjoined;
  Create(How::kSpawn, scope, body, closure, pc);
}

void ParallelExecutor::Async(void (*body)(void*), void* closure, uintptr_t pc) {
  Create(How::kAsync, Here().running.finish, body, closure, pc);
}

void ParallelExecutor::Create(How how, __taskrace_group* scope, void (*body)(void*), void* closure,
                              uintptr_t pc) {
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

void ParallelExecutor::RunTask(Thread& thread, Task& task) {
  Host& host = task.executor->host_;
  ParallelWorker& detector = thread.worker.detector;
  const uintptr_t stack_pointer = StackPointer();

  // Whoever waits below in the stack.
  const RunningTask waiting =
      std::exchange(static_cast<RunningTask&>(thread.running), task.running);
  TaskTree::TaskPlace* const waiting_at = std::exchange(thread.place, &task.place);
  __taskrace_frame* const callers = __taskrace_top;
  __taskrace_top = callers + 1;
  Contexts::InitBase(__taskrace_top);

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
  __taskrace_top = callers;
  thread.place = waiting_at;
  static_cast<RunningTask&>(thread.running) = waiting;
}

void ParallelExecutor::ForgetBelow(Thread& thread, uintptr_t stack_pointer) {
  Running& running = thread.running;
  if (running.stack_touched >= stack_pointer) return;
  thread.worker.detector.Clear(running.stack_touched, stack_pointer - running.stack_touched);
  running.stack_touched = stack_pointer;
}

// Every iteration is a task.
void ParallelExecutor::Loop(size_t count, int64_t, LoopRange range, void* closure, uintptr_t pc) {
  struct One {
    LoopRange range;
    void* closure;
    size_t k;
  };
  __taskrace_group group;
  ScopeBegin(&group, pc);
  for (size_t k = 0; k < count; ++k) {
    void* const storage = Storage(sizeof(One), alignof(One));
    new (storage) One{range, closure, k};
    Spawn(
        &group,
        [](void* argument) {
          const One one = *static_cast<One*>(argument);
          one.range(one.closure, one.k, one.k + 1);
        },
        storage, pc);
  }
  ScopeSync(&group, pc);
  ScopeEnd(&group);
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
  Running& running = Here().running;
  *scope = {};
  scope->id = 1;
  scope->task = Index(running.task);
  scope->finish = running.finish;
  scope->made_at = static_cast<uint32_t>(checker_.Here(pc));
}

void ParallelExecutor::ScopeSync(__taskrace_group* scope, uintptr_t pc) {
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
