// Coroutines: functions on stacks of their own that can be left in the middle and resumed later, by
// another task. A front end runs the threads of a team so: what a thread does between two barriers is a
// task, and all of these tasks share the thread's stack.
//
// Unlike a fiber (fibers.h) a coroutine has no place in the order of tasks: whoever resumes it goes
// on when it leaves. What a switch saves and restores: the machine registers, the stack of
// the Running, the locks and regions that the coroutine is in, the shadow call stack and the C++
// runtime's exception state.
//
// Thread rule: one thread. Cost: a switch is some 20 ns; a coroutine a region of exec/stacks.h.
// Tested by: test/exec/coroutines_test.cc
#pragma once

#include "detect/checker.h"
#include "exec/stacks.h"

namespace taskrace {

struct Coroutine {
  Stacks::Stack* stack = nullptr;
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  void* context = nullptr;  // where it was left
  void* resumer = nullptr;  // where it was resumed
  RunningStack bounds;
  __taskrace_frame* top = nullptr;
  LockSet locks = kNoLocks;
  uint32_t ignored = 0;
  uint32_t ordered = 0;
  void* exceptions[2] = {};  // __cxa_eh_globals
  bool has_ended = false;
};

class Coroutines {
 public:
  // A coroutine that will call body(argument) when it is resumed first, in the regions of `running`.
  Coroutine* Begin(void (*body)(void*), void* argument, const Running& running);
  // Runs it until it leaves or ends; true: it has ended. Exceptions must not leave the body.
  bool Resume(Coroutine* coroutine, Running& running);
  // Called on its stack: whoever resumed it goes on. Returns when it is resumed.
  static void Leave(Coroutine* coroutine);
  // Its stack may be used again. Requires: it has ended, and what it touched is forgotten.
  void Release(Coroutine* coroutine) { stacks_.Release(coroutine->stack); }

 private:
  Stacks stacks_;
};

}  // namespace taskrace
