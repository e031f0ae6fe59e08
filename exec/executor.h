// Executor: runs tasks, and passes each construct to the detector. The runtime calls it for the constructs
// of the program.
//
// Thread rule: a thread that runs tasks. Cost: the implementation's.
#pragma once

#include "detect/checker.h"
#include "detect/loop_part.h"
#include "detect/reach/reachability.h"
#include "taskrace/hooks.h"

namespace taskrace {

struct Fiber;
class Fibers;
struct Waiting;

// Events that the runtime must report or react to.
class Host {
 public:
  struct Place {
    const char* label;
    Where where;
  };
  // The program misuses the task interface and cannot continue.
  [[noreturn]] virtual void Fail(const char* text, Place first, Place second) = 0;
  // The program does something that the engine is not exact for.
  [[noreturn]] virtual void LeaveClass(const Reason& reason, Place first, Place second) = 0;
  // No task can run: all wait, linked by `newer` from `first` on.
  [[noreturn]] virtual void Deadlock(const Fiber* first) = 0;
  // The running task has joined others, and there are open races (Execution).
  virtual void OnJoined(uintptr_t /*pc*/) {}
  // Another task runs on this thread, which may be inside other regions.
  virtual void OnSwitch() = 0;
  // This thread runs the program's tasks from now on: what it does is watched.
  virtual void OnThreadRuns(Running& running) = 0;
  // It does something of its own, until it runs again.
  virtual void OnThreadRests() = 0;
  // No task of this thread can run: others run until one calls Wake for `on`. False: there are no other threads.
  virtual bool AwaitOtherThreads(const void* on, const Waiting& waiting) = 0;
  virtual void WakeThread(const void* on) = 0;

 protected:
  ~Host() = default;
};

struct RunningLoop;

// Units that are tasks, each after the unit of an earlier loop with the same number, if there is one. Unit k is element
// (k - first) / distance of the arrays, which have the numbers of tasks, or 0.
struct UnitTasks {
  uint32_t* made = nullptr;    // by this loop; null: units are no tasks
  uint32_t* before = nullptr;  // by the earlier one, or null
  size_t count = 0;
  size_t first = 0;
  size_t distance = 1;
};

// A thread of the program while another one runs: what it was doing.
struct RestingThread {
  RunningTask task;
  RunningStack stack;
  Fibers* fibers = nullptr;  // of its tasks, once it had any
};

class Executor {
 public:
  // Nothing but the root task has run so far.
  virtual bool IsUntouched() const = 0;
  // The root task joins everything that is left. Does nothing inside another task.
  virtual void JoinAll(uintptr_t pc) = 0;
  // The program ends, perhaps in the middle of a task: waiting tasks do not continue, though the
  // promises that they wait for are broken when the globals are destroyed.
  virtual void AbandonWaiting() = 0;
  // So far.
  virtual uint64_t strands() const = 0;
  // Tasks were created that have not run to their end.
  virtual bool HasUnfinished() const = 0;
  // Other threads than the caller's may be running tasks.
  virtual bool OthersRun() const { return false; }

  // The constructs of hooks.h. `closure`: from Storage. `pc`: where the program did it.
  virtual void* Storage(size_t size, size_t alignment) = 0;
  virtual void Spawn(__taskrace_group* scope, void (*body)(void*), void* closure, uintptr_t pc) = 0;
  virtual void Async(void (*body)(void*), void* closure, uintptr_t pc) = 0;
  // how: kFuture or kFork
  virtual void CreateSingle(How how, __taskrace_future* future, void (*body)(void*), void* closure,
                            uintptr_t pc) = 0;
  // A fork of a pipeline's.
  virtual void CreateStage(__taskrace_future* stage, void (*body)(void*), void* closure,
                           uintptr_t pc) = 0;
  // how: kGet (of a future or a promise) or kJoin (of a fork)
  virtual void Get(How how, __taskrace_future* future, uintptr_t pc) = 0;
  virtual void PromiseBegin(__taskrace_future* promise, uintptr_t pc) = 0;
  virtual void PromiseSet(__taskrace_future* promise, uintptr_t pc) = 0;
  virtual void PromiseEnd(__taskrace_future* promise) = 0;
  // A parallel loop, and an iteration of the part of one that runs.
  virtual void Loop(size_t count, int64_t index, LoopRange range, void* closure, uintptr_t pc) = 0;
  // `stack_pointer`: what lies below is dead.
  virtual bool Iteration(size_t k, uintptr_t stack_pointer) = 0;
  // Units: what the threads of a team may share out among each other, as the iterations of a worksharing loop.
  // Those that the running task does in a row are parallel to each other, from UnitsBegin to UnitsEnd or UnitsLeave.
  // After UnitsEnd they precede what the task does then; after UnitsLeave they do so from UnitsJoin on, which the task
  // calls before it ends. They make no tasks: at a construct other than an edge the units end, and the rest is the
  // running task's own. `count`: how many at most. Nothing begins while the task holds a lock, or if there are no
  // numbers for so many: HasUnits tells.
  // `index`: what reports call unit 0 (report/race.h).
  virtual void UnitsBegin(size_t /*count*/, int64_t /*index*/, uintptr_t /*pc*/,
                          const UnitTasks& /*tasks*/ = {}) {}
  // Unit k begins, which reports call iteration k, if units are open; again: it goes on. `stack_pointer`: what lies below is dead.
  virtual void Unit(size_t /*k*/, uintptr_t /*stack_pointer*/) {}
  // The units [first, first + count) are the next to run, and accesses that were moved out of them are told before
  // (hooks.h). are_open: they are indeed units; else these accesses are the running task's.
  virtual void UnitsRun(size_t /*first*/, size_t /*count*/, bool /*are_open*/) {}
  virtual void UnitsEnd() {}
  // The running task goes on after those: `made` of UnitTasks.
  virtual void UnitTasksGet(const uint32_t* /*tasks*/, size_t /*count*/, uintptr_t /*pc*/) {}
  // Null: there are none.
  virtual RunningLoop* UnitsLeave() { return nullptr; }
  virtual void UnitsJoin(RunningLoop* /*units*/) {}
  virtual bool HasUnits() const { return false; }
  // Does the engine know edges?
  virtual bool HasEdges() const { return false; }
  virtual void ScopeBegin(__taskrace_group* scope, uintptr_t pc) = 0;
  virtual void ScopeSync(__taskrace_group* scope, uintptr_t pc) = 0;
  virtual void ScopeEnd(__taskrace_group* scope) = 0;
  virtual void FinishBegin(__taskrace_group* finish, uintptr_t pc) = 0;
  virtual void FinishEnd(__taskrace_group* finish, uintptr_t pc) = 0;
  // Null: the implicit one of the root.
  virtual __taskrace_group* InnermostFinish() = 0;
  // Threads of the program, of which one runs at a time. CreateThread: the running task starts one, whose first strand
  // is in its `task`; no finish waits for it. `number`: for reports.
  virtual bool CanFollowThreads() const { return false; }
  virtual RestingThread CreateThread(uint32_t /*number*/, uintptr_t /*pc*/) { return {}; }
  // The running thread has ended.
  virtual void EndThread() {}
  // The running task goes on after the end of that thread.
  virtual void JoinThread(TaskId /*thread*/, uintptr_t /*pc*/) {}
  // Called before the running thread may be left in the middle of its task.
  virtual void BeforeSwitch() {}
  // Another thread runs from now on. rests: the one that ran so far; null: it has ended.
  virtual void SwitchThread(RestingThread* /*rests*/, const RestingThread& /*runs*/) {}
  // An edge that the program declares: a promise of its own, set here, and got.
  virtual PromiseId SetEdge(uintptr_t pc) = 0;
  virtual void GetEdge(PromiseId promise, uintptr_t pc) = 0;

 protected:
  ~Executor() = default;
};

// To an engine an edge is a promise, and a stage is a fork; to the user they are not.
inline constexpr Reason kEdgeReason = {"a happens-before edge is declared", "promises"};
inline constexpr Reason kPipelineReason = {"a pipeline is run", reasons::kFork.engines};

// Why the scope may not be used by the task that runs; null: it may.
inline const char* ProblemOf(const __taskrace_group& scope, const Running& running) {
  if (scope.id == 0) return "a scope is used outside its lifetime";
  if (TaskId{scope.task} != running.task) return "a scope is used by a task that did not create it";
  if (scope.finish != running.finish) {
    return "a scope is used inside another finish than the one in which it was created";
  }
  return nullptr;
}

}  // namespace taskrace
