// Machine stacks for tasks: a nest of tasks that is too deep for the stack it is
// on goes on on another.
//
// A stack is a lazily committed mapping with a guard page below; released stacks are kept for
// reuse. Thread rule: one thread. Cost: a system call per stack that is really new.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taskrace/hooks.h"

namespace taskrace {

class Stacks {
 public:
  struct Stack {
    uintptr_t low;   // first usable byte
    uintptr_t high;  // one past the last
    Stack* next_free;
    __taskrace_frame* frames;  // its shadow call stack
  };

  // A stack and a shadow call stack for it.
  Stack* Acquire();
  // Requires: nothing runs on it.
  void Release(Stack* stack);

  // Calls body(argument) on the stack, from its top. Exceptions must not leave `body`.
  static void Call(Stack* stack, void (*body)(void*), void* argument);

  // A shadow call stack with room for `frames` frames, for one thread or stack.
  static __taskrace_frame* MapFrames(size_t frames);
  // Room that is enough for the functions that fit on a machine stack of this many bytes.
  static size_t FramesFor(size_t stack_bytes);

 private:
  Stack* free_ = nullptr;
};

}  // namespace taskrace
