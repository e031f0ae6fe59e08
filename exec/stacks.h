// Machine stacks for tasks: for those that can be switched out, and where a nest of tasks is too
// deep for the stack it is on.
//
// One region holds a shadow call stack, growing up, and the machine stack, growing down, with a
// guard page between them. Pages are committed as they are touched; released regions are kept for
// reuse, the last one first. A guard costs the kernel two mappings, of which a process may have
// some 65 000: after kMostGuards stacks at a time the rest have none.
//
// Thread rule: one thread. Cost: a system call per region that is really new.
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

  constexpr Stacks() = default;

  // A stack and a shadow call stack for it.
  Stack* Acquire();
  // Requires: nothing is left on it but the caller, which will not return to it.
  void Release(Stack* stack);

  // Calls body(argument) on the stack, from its top. Exceptions must not leave `body`.
  static void Call(Stack* stack, void (*body)(void*), void* argument);

  // A shadow call stack with room for `frames` frames, for one thread.
  static __taskrace_frame* MapFrames(size_t frames);
  // Gives that back. Requires: `mapped` is from MapFrames(frames), and the thread uses it no more.
  static void UnmapFrames(__taskrace_frame* mapped, size_t frames);
  // Room that is enough for the functions that fit on a machine stack of this many bytes.
  static size_t FramesFor(size_t stack_bytes);

 private:
  static constexpr size_t kMostGuards = 16'000;

  Stack* MapStack();

  Stack* free_ = nullptr;
  size_t mapped_ = 0;
  size_t region_bytes_ = 0;  // 0: not chosen yet
};

}  // namespace taskrace
