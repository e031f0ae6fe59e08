// Serial executor: one worker runs every task at once, depth first, when it is created; its creator
// waits. It hands out the numbers of tasks, groups, promises and strands, and tells the detection
// of each construct in the order of reachability.h. (The model: execution.py.)
//
// Two ways to run a task. Nested: a call, on the creator's stack, or on a fresh one when little is
// left of it; a task that would have to wait for something that comes later cannot. Switched, for
// engines that allow it: every task a fiber (fibers.h), so that it can be left in the middle.
//
// Thread rule: the worker only. Cost: some 40 ns a task with spbags, nested.
// Tested by: test/lit, test/exec
#pragma once

#include "detect/detection.h"
#include "exec/fibers.h"
#include "exec/task_storage.h"
#include "taskrace/hooks.h"

namespace taskrace {

// What the program did, as seen by the one who writes the report.
class Host {
 public:
  struct Place {
    const char* label;
    Where where;
  };
  // A mistake of the program's, so that it cannot go on.
  [[noreturn]] virtual void Fail(const char* text, Place first, Place second) = 0;
  // The program does something that the engine is not exact for.
  [[noreturn]] virtual void LeaveClass(const Reason& reason, Place first, Place second) = 0;
  // Nobody can go on: they wait, chained by `newer`.
  [[noreturn]] virtual void Deadlock(const Fiber* first) = 0;
  // Another task runs, which may be inside other regions.
  virtual void OnSwitch() = 0;

 protected:
  ~Host() = default;
};

class SerialExecutor {
 public:
  SerialExecutor(Detection& detection, Host& host)
      : detection_(detection),
        execution_(detection.execution()),
        host_(host),
        switches_(detection.Switches()) {}

  // The root task begins on the calling thread, with this first strand number.
  void Start(StrandId first);
  // The root task joins everything that is left. Does nothing inside another task.
  void JoinAll(uintptr_t pc);
  // The program ends, perhaps in the middle of a task: whoever waits now does not go on, though the
  // promise that it waits for is broken when the globals are destroyed.
  void AbandonWaiting() { abandons_waiting_ = fibers_.FirstBlocked() != nullptr; }
  // Nothing but the root task has run so far.
  bool IsUntouched() const { return next_strand_ == first_strand_ + 1; }

  void* Storage(size_t size, size_t alignment) { return storage_.Allocate(size, alignment); }

  // The constructs of hooks.h. `closure`: from Storage. `pc`: where the program did it.
  void Spawn(__taskrace_group* scope, void (*body)(void*), void* closure, uintptr_t pc);
  void Async(void (*body)(void*), void* closure, uintptr_t pc);
  // how: kFuture or kFork
  void CreateSingle(How how, __taskrace_future* future, void (*body)(void*), void* closure,
                    uintptr_t pc);
  // how: kGet (of a future or a promise) or kJoin (of a fork)
  void Get(How how, __taskrace_future* future, uintptr_t pc);
  void PromiseBegin(__taskrace_future* promise, uintptr_t pc);
  void PromiseSet(__taskrace_future* promise, uintptr_t pc);
  void ScopeBegin(__taskrace_group* scope, uintptr_t pc);
  void ScopeSync(__taskrace_group* scope, uintptr_t pc);
  void ScopeEnd(__taskrace_group* scope) { scope->id = 0; }
  void FinishBegin(__taskrace_group* finish, uintptr_t pc);
  void FinishEnd(__taskrace_group* finish, uintptr_t pc);
  // Null: the implicit one of the root.
  __taskrace_group* InnermostFinish() {
    return execution_.finish == &root_finish_ ? nullptr : execution_.finish;
  }
  // An edge that the program declares: a promise of its own, set here, and got.
  PromiseId SetEdge(uintptr_t pc);
  void GetEdge(PromiseId promise, uintptr_t pc);

  uint32_t strands() const { return next_strand_ - first_strand_; }

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
  void Check(OutsideClass reason, uintptr_t pc, Host::Place second = {nullptr, kNowhere});
  void CheckScope(const __taskrace_group* scope, uintptr_t pc);

  void Create(How how, __taskrace_group* group, __taskrace_future* future, void (*body)(void*),
              void* closure, uintptr_t pc);
  // On this stack, or on a fresh one; afterwards the memory below is forgotten.
  void RunNested(const Task& task);
  void RunOnFreshStack(const Task& task);
  // The task's body; then it has ended. Returns those that can go on.
  FiberQueue Run(const Task& task);
  [[noreturn]] static void RunAsFiber(void* task);
  void Proceed();

  // Waits until somebody resumes the running task.
  void Wait(const char* what, Where made_at, uintptr_t pc);
  void WaitForChildren(__taskrace_group* group, const char* what, uintptr_t pc);
  void WaitFor(__taskrace_future* future, const char* what, uintptr_t pc);
  FiberQueue MakeReady(__taskrace_future* future);

  void AddSingle(__taskrace_group* finish, TaskId task);
  std::span<const TaskId> TakeSingles(__taskrace_group* finish);

  Detection& detection_;
  Execution& execution_;
  Host& host_;
  const bool switches_;
  Fibers fibers_{execution_};
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
  bool abandons_waiting_ = false;
};

}  // namespace taskrace
