// Frontend: what a library that implements another parallel interface (frontend/) gets from the runtime.
// The constructs themselves are the executor's.
//
// Thread rule: a thread that runs tasks; IsHere() tells. Cost: a virtual call.
#pragma once

#include "exec/coroutines.h"
#include "exec/executor.h"

namespace taskrace {

class Frontend {
 public:
  // The thread that called main calls this, and runs the program's tasks. Others run constructs one after the other, unchecked.
  virtual bool IsHere() = 0;
  // The detecting executor, or null where tasks are plain calls.
  virtual Executor* executor() = 0;
  // As Coroutines. What an ended one has left on its stack is forgotten, and the stack used again.
  virtual Coroutine* Begin(void (*body)(void*), void* argument) = 0;
  virtual bool Resume(Coroutine* coroutine) = 0;
  virtual void Leave(Coroutine* coroutine) = 0;
  // The running task is this one of the threads of a team. `identity`: what threads with the same
  // stack or the same threadprivate variables have in common; heap blocks that it allocates are its own.
  virtual void SetThread(uint32_t number, uint32_t team_size, uint32_t identity) = 0;
  // Tells the user something, with the place `pc`; the report then claims less.
  virtual void Warn(const char* text, uintptr_t pc) = 0;
  // The program cannot go on.
  [[noreturn]] virtual void Fail(const char* text, uintptr_t pc) = 0;
  // Parallel regions of more than one thread, and the most threads that one had.
  virtual void CountRegion(uint32_t team_size) = 0;
  // A worksharing loop of a thread: its iterations were compared with each other, or only with those of
  // other threads.
  virtual void CountLoop(bool by_units) = 0;

 protected:
  ~Frontend() = default;
};

}  // namespace taskrace

extern "C" taskrace::Frontend* __taskrace_frontend() noexcept;
