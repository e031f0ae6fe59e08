#include "exec/stacks.h"

#include <boost/context/detail/fcontext.hpp>

#include "detect/ds/mapping.h"
#include "taskrace/hooks.h"

namespace taskrace {
namespace {

constexpr size_t kStackBytes = size_t{16} << 20;

// Writing here ends the program, as running over the end of any stack does.
void Guard(void* page) { syscall(SYS_mprotect, page, kMappingUnit, PROT_NONE); }

struct StackCall {
  void (*body)(void*);
  void* argument;
};

// The first function on a fresh stack: runs the call, then goes back for good.
void Entry(boost::context::detail::transfer_t from) {
  const StackCall call = *static_cast<StackCall*>(from.data);
  call.body(call.argument);
  boost::context::detail::jump_fcontext(from.fctx, nullptr);
}

}  // namespace

size_t Stacks::FramesFor(size_t stack_bytes) {
  // A function that calls another needs at least its return address and 16-byte alignment.
  return stack_bytes / 16 + 1;
}

__taskrace_frame* Stacks::MapFrames(size_t frames) {
  const size_t bytes = RoundUpToMapping(frames * sizeof(__taskrace_frame));
  char* mapped = static_cast<char*>(Map(bytes + kMappingUnit, "a shadow call stack"));
  Guard(mapped + bytes);
  return reinterpret_cast<__taskrace_frame*>(mapped);
}

Stacks::Stack* Stacks::Acquire() {
  if (free_ != nullptr) {
    Stack* stack = free_;
    free_ = stack->next_free;
    return stack;
  }
  char* mapped = static_cast<char*>(Map(kStackBytes, "the stack of a task"));
  Guard(mapped);
  // The descriptor sits at the stack's top end, above the first frame.
  Stack* stack = reinterpret_cast<Stack*>(mapped + kStackBytes - sizeof(Stack));
  stack->low = reinterpret_cast<uintptr_t>(mapped) + kMappingUnit;
  stack->high = reinterpret_cast<uintptr_t>(stack) & ~uintptr_t{63};
  stack->frames = MapFrames(FramesFor(kStackBytes));
  return stack;
}

void Stacks::Release(Stack* stack) {
  stack->next_free = free_;
  free_ = stack;
}

void Stacks::Call(Stack* stack, void (*body)(void*), void* argument) {
  using namespace boost::context::detail;
  StackCall call{body, argument};
  fcontext_t fresh =
      make_fcontext(reinterpret_cast<void*>(stack->high), stack->high - stack->low, Entry);
  jump_fcontext(fresh, &call);
}

}  // namespace taskrace
