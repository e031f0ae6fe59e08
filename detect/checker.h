// Checker: the detector as the runtime sees it. It gets accesses, frees and allocations, and answers
// questions of the report about them. The serial one is Detection, with an engine and a
// history inside; the parallel one is ParallelChecker.
//
// Accesses go through a table of plain functions (AccessHooks), which the hook ABI jumps to; all else is
// rare and goes through virtual functions.
//
// Thread rule: a thread that runs tasks, and the implementation says how many there are. What reports
// ask for may be asked by any thread. Cost: the implementation's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "detect/contexts.h"
#include "detect/reach/outside_class.h"
#include "report/race.h"
#include "taskrace/hooks.h"

namespace taskrace {

// What the access hooks of hooks.h jump to. Index of the sized ones: log2 of the
// size, 1 to 16 bytes.
struct AccessHooks {
  static void IgnorePossible(const void*, size_t, size_t, ptrdiff_t, ptrdiff_t, size_t, size_t) {}

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
  // first, size, rows, distance, parts, step, k, count
  void (*loop_read)(const void*, size_t, size_t, ptrdiff_t, __taskrace_parts, ptrdiff_t, size_t,
                    size_t);
  void (*loop_write)(const void*, size_t, size_t, ptrdiff_t, __taskrace_parts, ptrdiff_t, size_t,
                     size_t);
  // first, size, rows, distance, step, k, count. What says nothing about these and the zone has every access checked.
  void (*loop_may_read)(const void*, size_t, size_t, ptrdiff_t, ptrdiff_t, size_t,
                        size_t) = IgnorePossible;
  void (*loop_may_write)(const void*, size_t, size_t, ptrdiff_t, ptrdiff_t, size_t,
                         size_t) = IgnorePossible;
  __taskrace_zone (*loop_zone)(unsigned) = [](unsigned) { return __taskrace_zone{0, UINTPTR_MAX}; };
  // Iteration k begins, below `stack_pointer`: true if that is all there is to do.
  bool (*iteration)(size_t k, uintptr_t stack_pointer);
};

// One of the two accesses of a race: its task, and where in the program it was.
struct RaceSide {
  TaskId task;
  Where where;
  // An iteration of a parallel loop: the task was created where the loop is, and this is its number.
  bool is_iteration = false;
  int64_t iteration = 0;
  // A lane of a simd loop that is here: its number. kNowhere: it is none.
  Where simd_loop = kNowhere;
  int64_t lane = 0;
};

// Gets every race; the same one may come many times.
class RaceSink {
 public:
  virtual void OnRace(const Race& race, const RaceSide& earlier, const RaceSide& later) = 0;

 protected:
  ~RaceSink() = default;
};

struct LoopPart;

// The task that a thread runs now: what is put aside when it runs another one.
struct RunningTask {
  TaskId task = kRootTask;
  LockSet locks = kNoLocks;
  uint32_t ignored = 0;  // how many regions of each kind it is in; its children begin inside, too
  uint32_t ordered = 0;
  __taskrace_group* finish = nullptr;  // the innermost around it
  LoopPart* part = nullptr;            // of a parallel loop, whose iterations it runs
  uint32_t thread = 0;                 // of a team, that runs it; numbers from 1 on, 0: none
};

// The machine stack that it is on. What lies below the stack pointer when a task ends is dead; of
// it, only [stack_touched, ...) can have a history.
struct RunningStack {
  uintptr_t stack_low = 0;
  uintptr_t stack_high = 0;
  uintptr_t stack_touched = UINTPTR_MAX;

  [[gnu::always_inline]] void NoteTouched(uintptr_t address) {
    if (address < stack_touched && address >= stack_low && address < stack_high) {
      stack_touched = address;
    }
  }
};

// What a thread runs.
struct Running : RunningTask, RunningStack {};

class Checker {
 public:
  // An access that no hook of AccessHooks covers.
  virtual void Access(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc,
                      Operation operation) = 0;
  // The last access to the bytes of a variable, a write: they are gone afterwards.
  virtual void Retire(uintptr_t first, size_t size, uintptr_t pc, Operation operation) = 0;
  // A heap block goes, which is a write if it is `checked`. True: the checker gives the block back by
  // itself when no pending access can refer to it any more.
  virtual bool Free(uintptr_t first, size_t size, uintptr_t pc, bool checked) = 0;
  // The bytes are new, or ordered by something that the dag does not show.
  virtual void Clear(uintptr_t first, size_t size) = 0;
  // The running task takes and gives back a lock.
  virtual void Locked(uintptr_t lock, bool shared) = 0;
  virtual void Unlocked(uintptr_t lock) = 0;
  // Whatever was put off is checked now: the program is about to end.
  virtual void Flush() = 0;
  // Not while this thread is in the middle of something; for signal handlers.
  virtual bool CanFlush() const { return true; }
  virtual const AccessHooks& Hooks() const = 0;

  // For reports. Where a construct is that the running function calls at `pc`.
  virtual Where Here(uintptr_t pc) = 0;
  virtual Contexts::Site SiteOf(Where where) const = 0;
  // The place itself, then its callers; returns how many there are room and frames for.
  virtual size_t StackOf(Where where, std::span<uintptr_t> frames) const = 0;
  virtual TaskId CreatorOf(TaskId task) const = 0;
  virtual Where CreatedAt(TaskId task) const = 0;
  // The number of the iteration that the task was when it began; false: it was none.
  virtual bool IterationOf(TaskId task, int64_t& number) const = 0;
  // Which thread of a team of which size the task is; false: it is none.
  virtual bool ThreadOf(TaskId, uint32_t& /*number*/, uint32_t& /*team_size*/) const {
    return false;
  }
  // Does the task stand for all iterations of a loop?
  virtual bool IsLoop(TaskId task) const = 0;
  virtual bool Disjoint(LockSet a, LockSet b) const = 0;
  virtual size_t LocksOf(LockSet locks, std::span<uintptr_t> addresses) const = 0;

  virtual const char* EngineName() const = 0;
  // Why the engine is not the first one that `auto` has tried; null: it is.
  virtual OutsideClass Left() const = 0;
  virtual const char* HistoryName() const = 0;

  // What option stats shows.
  struct Statistics {
    uint64_t tasks = 0;
    uint64_t loops = 0;
    uint64_t iterations = 0;
    uint64_t iterations_as_tasks = 0;
    uint64_t whole_loop_rows = 0;  // accesses that were checked once for all iterations of a loop
    uint64_t queries = 0;
    uint64_t intervals = 0;       // that the history has; 0: it has none
    uint64_t reader_entries = 0;  // ever made in lists of readers
    uint64_t engine_bytes = 0;
    uint64_t history_bytes = 0;
    uint64_t context_bytes = 0;
    uint64_t task_bytes = 0;
  };
  virtual Statistics GetStatistics() const = 0;

 protected:
  ~Checker() = default;
};

}  // namespace taskrace
