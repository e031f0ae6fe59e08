// Detection: one run of the detector, as the executor and the runtime see it, whatever engine and
// history are inside. Constructs are rare and go through virtual functions; accesses go through a
// table of plain functions (AccessHooks), which the hook ABI jumps to.
//
// Thread rule: the worker that runs the tasks. Cost: the engine's and the history's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/contexts.h"
#include "detect/lock_sets.h"
#include "detect/reach/reachability.h"
#include "detect/task_table.h"
#include "report/race.h"
#include "taskrace/hooks.h"

namespace taskrace {

// What the access hooks of hooks.h jump to. Index of the sized ones: log2 of the
// size, 1 to 16 bytes.
struct AccessHooks {
  void (*read[5])(const void*);
  void (*write[5])(const void*);
  void (*read_range)(const void*, size_t);
  void (*write_range)(const void*, size_t);
  void (*read_rows)(const void*, size_t, size_t, ptrdiff_t);
  void (*write_rows)(const void*, size_t, size_t, ptrdiff_t);
  void (*read_parts)(const void*, size_t, size_t, ptrdiff_t, __taskrace_parts);
  void (*write_parts)(const void*, size_t, size_t, ptrdiff_t, __taskrace_parts);
  void (*atomic_read)(const void*, size_t);
  void (*atomic_write)(const void*, size_t);
};

// Hears of every race, and where its two accesses were; it may see the same one many times.
class RaceSink {
 public:
  virtual void OnRace(const Race& race, Where earlier, Where later) = 0;

 protected:
  ~RaceSink() = default;
};

// The task that runs now: what is put aside when another one runs.
struct RunningTask {
  TaskId task = kRootTask;
  LockSet locks = kNoLocks;
  uint32_t ignored = 0;  // how many regions of each kind it is in; its children begin inside, too
  uint32_t ordered = 0;
  __taskrace_group* finish = nullptr;  // the innermost around it
};

// The machine stack that it is on. What lies below the stack pointer when a task ends is dead; of
// it, only [stack_touched, ...) can have a history.
struct RunningStack {
  uintptr_t stack_low = 0;
  uintptr_t stack_high = 0;
  uintptr_t stack_touched = UINTPTR_MAX;
};

// What runs now, and what reports need to say about it later.
struct Execution : RunningTask, RunningStack {
  StrandId strand = kNoStrand;
  bool reports_lock_order = false;
  Contexts contexts;
  LockSets lock_sets;
  TaskTable tasks;
  RaceSink* sink = nullptr;
};

class Detection {
 public:
  explicit Detection(Execution& execution) : execution_(execution) {}

  // The constructs, as in reachability.h. Each ends the current strand; `strand` is the next one.
  virtual void OnStart(TaskId task, GroupId finish, StrandId strand) = 0;
  virtual OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group,
                                StrandId strand) = 0;
  virtual OutsideClass OnEnd(TaskId task) = 0;
  virtual void OnProceed(TaskId task, StrandId strand) = 0;
  virtual OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) = 0;
  virtual OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                              StrandId strand) = 0;
  virtual OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) = 0;
  virtual OutsideClass OnBlock(TaskId task) = 0;
  virtual OutsideClass OnSet(TaskId task, PromiseId promise) = 0;
  virtual OutsideClass OnGetPromise(TaskId task, PromiseId promise, StrandId strand) = 0;
  // Does the strand, which ran earlier, precede the one that runs now?
  virtual bool Precedes(StrandId strand) = 0;

  // An access that no hook of AccessHooks covers.
  virtual void Access(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc,
                      Operation operation) = 0;
  // The last access to the bytes, a write: they are gone afterwards.
  virtual void Retire(uintptr_t first, size_t size, uintptr_t pc, Operation operation) = 0;
  // The bytes are new, or ordered by something that the dag does not show.
  virtual void Clear(uintptr_t first, size_t size) = 0;
  // Whatever was put off is checked now: the program is about to end.
  virtual void Flush() = 0;

  virtual const AccessHooks& Hooks() const = 0;
  virtual TaskId TaskOf(StrandId strand) const = 0;
  // Can a task that blocks be switched out?
  virtual bool Switches() const = 0;
  virtual const char* EngineName() const = 0;
  // Why the engine is not the first one that `auto` has tried; null: it is.
  virtual OutsideClass Left() const = 0;
  virtual const char* HistoryName() const = 0;
  virtual size_t EngineBytes() const = 0;
  virtual size_t HistoryBytes() const = 0;
  virtual uint64_t Queries() const = 0;
  // Intervals that the history has; 0: it has none.
  virtual uint64_t Intervals() const = 0;
  // Entries ever made in lists of readers.
  virtual uint64_t ReaderEntries() const = 0;

  Execution& execution() { return execution_; }

 protected:
  ~Detection() = default;
  Execution& execution_;
};

}  // namespace taskrace
