// Fibers: tasks that can be switched out, each on a stack of its own, one of them running.
//
// The order of execution is decided only here (docs/decisions/009-switching.md): a fiber that runs another
// is pushed on a stack of suspended ones; when the running one ends or blocks, the top of that stack
// continues. Resumed fibers run in the order given, before the one that resumed them.
//
// What a switch saves and restores: the machine registers, the running task of the Execution with
// its stack, the shadow call stack and the C++ runtime's exception state.
//
// A program with threads has one object for each of them: a fiber stays on the thread that it began on.
//
// Thread rule: one thread, but Hand, while this thread does not run. Cost: a switch is some 20 ns; a fiber a region of
// exec/stacks.h.
// Tested by: test/exec/fibers_test.cc
#pragma once

#include "detect/detection.h"
#include "exec/stacks.h"

namespace taskrace {

// What a blocked task waits for, in words and places for a report.
struct Waiting {
  TaskId task = kRootTask;
  const char* what = nullptr;
  Where waits_at = kNowhere;
  Where made_at = kNowhere;
};

struct Fiber {
  void* context = nullptr;  // where it was left
  Stacks::Stack* stack = nullptr;
  RunningTask running;
  RunningStack bounds;
  __taskrace_frame* top = nullptr;
  void* exceptions[2] = {};  // __cxa_eh_globals
  Fiber* next = nullptr;     // below, among the suspended; behind, among waiters of one thing
  Fiber* older = nullptr;    // among the blocked
  Fiber* newer = nullptr;
  Waiting waiting;
  class Fibers* home = nullptr;  // those of its thread
};

// Fibers in a row, first come first.
struct FiberQueue {
  Fiber* first = nullptr;
  Fiber* last = nullptr;
  void Append(Fiber* fiber) {
    fiber->next = nullptr;
    (first == nullptr ? first : last->next) = fiber;
    last = fiber;
  }
  void Append(FiberQueue queue) {
    if (queue.first == nullptr) return;
    (first == nullptr ? first : last->next) = queue.first;
    last = queue.last;
  }
};

class Fibers {
 public:
  // `await` is called when no fiber can run; it returns true when another thread has handed one over.
  explicit Fibers(Execution& execution, bool (*await)(Fibers&, void*) = nullptr,
                  void* argument = nullptr)
      : execution_(execution), await_(await), argument_(argument) {}

  // The caller becomes the first fiber, on the stack that it is on.
  void Start();

  // The running fiber.
  Fiber* Running() { return running_; }

  // Runs body(argument) as a new fiber; returns when the caller continues. The body never returns: it
  // calls Exit. What `argument` points to is valid until the body first switches.
  void Run(void (*body)(void*), void* argument);
  // The running fiber has ended; those that it resumes continue before suspended ones.
  // Returns only if no fiber can run.
  void Exit(FiberQueue resumed);
  // The running fiber waits until another one resumes it. False: no fiber can run.
  bool Block(const Waiting& waiting);
  // They continue, first to last; returns when the caller continues.
  void Resume(FiberQueue resumed);

  // A blocked fiber of this thread continues when the thread runs next. Called by another thread.
  void Hand(Fiber* fiber);

  // Those that wait, in the order in which they came.
  const Fiber* FirstBlocked() const { return oldest_blocked_; }

 private:
  void Suspend(Fiber* fiber);
  void Suspend(FiberQueue resumed);
  Fiber* LastSuspended();
  Fiber* NextToRun();
  void SwitchTo(Fiber* fiber);
  void Save(Fiber* fiber);
  void Restore(const Fiber& fiber);
  void AddBlocked(Fiber* fiber);
  void RemoveBlocked(Fiber* fiber);

  Execution& execution_;
  bool (*const await_)(Fibers&, void*);
  void* const argument_;
  void** exceptions_ = nullptr;  // __cxa_eh_globals of the thread, if the program has them
  Fiber root_;
  Stacks stacks_;
  Fiber* running_ = nullptr;
  Fiber* suspended_ = nullptr;  // the last one; chained by `next`
  Fiber* oldest_blocked_ = nullptr;
  Fiber* newest_blocked_ = nullptr;
};

}  // namespace taskrace
