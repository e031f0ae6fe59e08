// Serial executor: one worker runs every task at once, depth first, when it is created; its creator
// waits. It hands out the numbers of tasks, groups and strands, and tells the detection of each
// construct in the order of reachability.h. (The model: execution.py.)
//
// Thread rule: the worker only. Cost: some 40 ns a task with spbags; no stack of its own per task,
// but a fresh stack when little is left of the one it is on.
#pragma once

#include "detect/detection.h"
#include "exec/stacks.h"
#include "exec/task_storage.h"
#include "taskrace/hooks.h"

namespace taskrace {

// What the program did wrong, so that it cannot go on: told once, does not return.
class Complaints {
 public:
  struct Place {
    const char* label;
    Where where;
  };
  [[noreturn]] virtual void Fail(const char* text, Place first, Place second) = 0;

 protected:
  ~Complaints() = default;
};

class SerialExecutor {
 public:
  SerialExecutor(Detection& detection, Complaints& complaints)
      : detection_(detection), execution_(detection.execution()), complaints_(complaints) {}

  // The root task begins on the calling thread, with this first strand number.
  void Start(StrandId first);
  // The root task joins everything that is left. Does nothing inside another task.
  void JoinAll();

  void* Storage(size_t size, size_t alignment) { return storage_.Allocate(size, alignment); }
  // `closure`: the storage that was allocated last. `pc`: where the program did it.
  void Create(How how, __taskrace_group* group, void (*body)(void*), void* closure, uintptr_t pc);
  void ScopeBegin(__taskrace_group* scope, uintptr_t pc);
  void ScopeSync(__taskrace_group* scope, uintptr_t pc);
  void ScopeEnd(__taskrace_group* scope) { scope->id = 0; }
  void FinishBegin(__taskrace_group* finish, uintptr_t pc);
  void FinishEnd(__taskrace_group* finish, uintptr_t pc);

  uint32_t strands() const { return next_strand_ - first_strand_; }

 private:
  struct Body {
    void (*run)(void*);
    void* closure;
  };

  StrandId NextStrand();
  Where Here(uintptr_t pc);
  void Enter(TaskId task, StrandId strand);
  // The body of a task on this stack, or on a fresh one; afterwards the memory below is forgotten.
  void Run(const Body& body);
  void RunOnFreshStack(const Body& body);
  void Check(OutsideClass reason, uintptr_t pc);
  void CheckScope(const __taskrace_group* scope, uintptr_t pc);

  Detection& detection_;
  Execution& execution_;
  Complaints& complaints_;
  Stacks stacks_;
  TaskStorage storage_;
  GroupId finish_{1};  // the innermost finish around the running task
  uint32_t next_strand_ = 1;
  uint32_t first_strand_ = 1;
  uint32_t next_group_ = 2;
};

}  // namespace taskrace
