// Serial executor: one worker runs every task at once, depth first, when it is created; its creator
// waits. It numbers tasks, groups, promises and strands, and passes each construct to the
// detection in the order of reachability.h. The oracle's: test/oracle/execution.h.
//
// Two ways to run a task. Nested: a call, on the creator's stack, or on a fresh one when little is
// left of it; a task that would have to wait for something that comes later cannot. Switched, for
// engines that allow it: every task a fiber (fibers.h), so that it can be left in the middle.
//
// Thread rule: the worker only. Cost: some 40 ns a task with spbags, nested.
// Tested by: test/lit, test/exec
#pragma once

#include "detect/detection.h"
#include "exec/executor.h"
#include "exec/fibers.h"
#include "exec/task_storage.h"
#include "taskrace/hooks.h"

namespace taskrace {

class SerialExecutor;

// A parallel loop from its beginning to its end.
struct RunningLoop {
  SerialExecutor* executor;
  uint32_t number;  // in the table of loops
  TaskId creator;
  Where made_at;
  uintptr_t pc;
  LoopRange range;
  void* closure;
  size_t count;
  size_t next = 0;              // the first iteration that no part has
  __taskrace_group group = {};  // of the iterations that are tasks, and of those that are none
};

class SerialExecutor final : public Executor {
 public:
  SerialExecutor(Detection& detection, Host& host)
      : detection_(detection),
        execution_(detection.execution()),
        host_(host),
        switches_(detection.Switches()) {}

  // The root task begins on the calling thread, with this first strand number.
  void Start(StrandId first);
  bool IsUntouched() const override { return next_strand_ == first_strand_ + 1; }
  void JoinAll(uintptr_t pc) override;
  void AbandonWaiting() override {
    abandons_waiting_ = fibers_ != nullptr && fibers_->FirstBlocked() != nullptr;
  }
  uint64_t strands() const override { return next_strand_ - first_strand_; }
  // Those that wait are a deadlock, or in the middle of what ends the program.
  bool HasUnfinished() const override { return false; }

  void* Storage(size_t size, size_t alignment) override {
    return storage_.Allocate(size, alignment);
  }
  void Spawn(__taskrace_group* scope, void (*body)(void*), void* closure, uintptr_t pc) override;
  void Async(void (*body)(void*), void* closure, uintptr_t pc) override;
  void CreateSingle(How how, __taskrace_future* future, void (*body)(void*), void* closure,
                    uintptr_t pc) override;
  void CreateStage(__taskrace_future* stage, void (*body)(void*), void* closure,
                   uintptr_t pc) override;
  void Get(How how, __taskrace_future* future, uintptr_t pc) override;
  void PromiseBegin(__taskrace_future* promise, uintptr_t pc) override;
  void PromiseSet(__taskrace_future* promise, uintptr_t pc) override;
  void PromiseEnd(__taskrace_future* promise) override {
    detection_.OnOver(PromiseId{promise->promise});
  }
  void Loop(size_t count, int64_t index, LoopRange range, void* closure, uintptr_t pc) override;
  bool Iteration(size_t k, uintptr_t stack_pointer) override;
  void UnitsBegin(size_t count, int64_t index, uintptr_t pc, const UnitTasks& tasks) override;
  void Unit(size_t k, uintptr_t stack_pointer) override;
  void UnitsRun(size_t first, size_t count, bool are_open) override;
  void UnitsEnd() override;
  void UnitTasksGet(const uint32_t* tasks, size_t count, uintptr_t pc) override;
  RunningLoop* UnitsLeave() override;
  void UnitsJoin(RunningLoop* units) override;
  bool HasUnits() const override { return execution_.part != nullptr && execution_.part->is_units; }
  bool HasEdges() const override { return switches_; }
  void ScopeBegin(__taskrace_group* scope, uintptr_t pc) override;
  void ScopeSync(__taskrace_group* scope, uintptr_t pc) override;
  void ScopeEnd(__taskrace_group* scope) override { scope->id = 0; }
  void FinishBegin(__taskrace_group* finish, uintptr_t pc) override;
  void FinishEnd(__taskrace_group* finish, uintptr_t pc) override;
  __taskrace_group* InnermostFinish() override {
    return execution_.finish == &root_finish_ ? nullptr : execution_.finish;
  }
  bool CanFollowThreads() const override { return switches_; }
  RestingThread CreateThread(uint32_t number, uintptr_t pc) override;
  void EndThread() override;
  void JoinThread(TaskId thread, uintptr_t pc) override;
  void BeforeSwitch() override { BecomeTaskWithEdge(); }
  void SwitchThread(RestingThread* rests, const RestingThread& runs) override;
  PromiseId SetEdge(uintptr_t pc) override;
  void GetEdge(PromiseId promise, uintptr_t pc) override;

 private:
  // A task from its creation to its end.
  struct Task {
    SerialExecutor* executor;
    TaskId id;
    StrandId first;
    __taskrace_group* group;
    __taskrace_future* future;  // of a single, else null
    void (*body)(void*);
    void* closure;
    uintptr_t pc;
  };
  // One of the futures and forks of a finish.
  struct Single {
    TaskId task;
    uint32_t next;  // in a ring; the group has the last one
  };

  StrandId NextStrand();
  Where Here(uintptr_t pc);
  void Enter(TaskId task, StrandId strand);
  // The strand of a task begins.
  void SetStrand(StrandId strand) { execution_.strand = execution_.engine_strand = strand; }
  // The same after a join.
  void Joined(StrandId strand, uintptr_t pc) {
    SetStrand(strand);
    if (!execution_.open_races.Empty()) [[unlikely]]
      host_.OnJoined(pc);
  }
  void Check(OutsideClass reason, uintptr_t pc, Host::Place second = {nullptr, kNowhere});
  void CheckScope(const __taskrace_group* scope, uintptr_t pc);

  // `fork_reason`: what a fork is to the user.
  void Create(How how, __taskrace_group* group, __taskrace_future* future, void (*body)(void*),
              void* closure, uintptr_t pc, const Reason& fork_reason = reasons::kFork);
  // Calls function(argument) as a task: on this stack, or on a fresh one; afterwards the memory below is forgotten.
  void CallNested(void (*function)(void*), void* argument);
  void CallOnFreshStack(void (*function)(void*), void* argument);
  // What lies below the stack pointer is dead.
  void ForgetBelow(uintptr_t stack_pointer);
  // Runs the task's body and ends the task. Returns the fibers that can continue.
  FiberQueue Run(const Task& task);
  [[noreturn]] static void RunAsFiber(void* task);
  void Proceed();

  // What units and iterations of loops have in common: the loop is a child that stands for all of them.
  void CreateLoop(RunningLoop& loop, int64_t index);
  void JoinLoop(RunningLoop& loop);
  void BeginIteration(size_t k, uintptr_t stack_pointer);
  // The iterations that no part has yet, as one part: on this stack, and as a fiber.
  void RunPart(RunningLoop& loop);
  [[noreturn]] static void RunPartAsFiber(void* loop);
  // The running iteration, if it is one and no task yet, becomes a task: it reaches a construct.
  void BecomeTask() {
    if (execution_.part != nullptr) [[unlikely]]
      execution_.part->is_units ? UnitsEnd() : MakeIterationTask();
  }
  // The same, where an edge begins or ends: a unit becomes a task, too.
  void BecomeTaskWithEdge() {
    if (execution_.part != nullptr) [[unlikely]]
      MakeIterationTask();
  }
  void MakeIterationTask();
  void MakeUnitTask(size_t k);
  // `task` was made for the running iteration, with this first strand.
  void EnterIterationTask(TaskId task, StrandId first);
  void EndIteration(LoopPart& part);
  void EndIterationTask(LoopPart& part);

  // Waits until another task resumes the running one.
  void Wait(const char* what, Where made_at, uintptr_t pc);
  void WaitForChildren(__taskrace_group* group, const char* what, uintptr_t pc);
  void WaitFor(__taskrace_future* future, const char* what, uintptr_t pc);
  FiberQueue MakeReady(__taskrace_future* future);
  // Those of the running thread; others are handed to their threads.
  FiberQueue OfThisThread(FiberQueue resumed);
  // Those of the running thread, which may not have had any so far.
  Fibers& OwnFibers();

  static bool AwaitOtherThreads(Fibers& fibers, void* executor);

  void AddSingle(__taskrace_group* finish, TaskId task);
  std::span<const TaskId> TakeSingles(__taskrace_group* finish);

  Detection& detection_;
  Execution& execution_;
  Host& host_;
  const bool switches_;
  Fibers root_fibers_{execution_, AwaitOtherThreads, this};
  Fibers* fibers_ = nullptr;  // of the running thread; null: it has had no tasks
  MappedArray<Fibers*> unused_fibers_{"the tasks of threads"};
  Stacks stacks_;
  TaskStorage storage_;
  __taskrace_group root_finish_ = {};
  MappedArray<Single> singles_{"the futures of finishes"};
  MappedArray<TaskId> taken_{"the futures of a finish"};
  uint32_t free_singles_ = 0;  // ring of unused elements of singles_: its last one, or 0
  uint32_t next_strand_ = 1;
  uint32_t first_strand_ = 1;
  uint32_t next_group_ = 2;
  uint32_t next_promise_ = 1;
  size_t unjoined_threads_ = 0;
  bool abandons_waiting_ = false;
};

}  // namespace taskrace
