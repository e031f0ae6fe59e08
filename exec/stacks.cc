#include "exec/stacks.h"

#include <fcntl.h>

#include <atomic>
#include <boost/context/detail/fcontext.hpp>

#include "detect/ds/mapping.h"

namespace taskrace {
namespace {

constexpr size_t kRegionBytes = size_t{16} << 20;
// Where the kernel counts address space as memory (vm.overcommit_memory=2).
constexpr size_t kCountedRegionBytes = size_t{512} << 10;

// Writing here ends the program, as running over the end of any stack does.
void Guard(void* page) {
  if (syscall(SYS_mprotect, page, kMappingUnit, PROT_NONE) == 0) return;
  static constinit std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  FixedLine line;
  line << "taskrace: warning: a stack has no guard page, so a stack overflow may stay unnoticed: "
          "the process has too many mappings (sysctl vm.max_map_count)";
  line.Print();
}

// Of a shadow call stack, without its guard.
size_t BytesOf(size_t frames) { return RoundUpToMapping(frames * sizeof(__taskrace_frame)); }

bool AddressSpaceIsCounted() {
  char policy = '0';
  const int file = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, "/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC, 0));
  if (file < 0) return false;
  syscall(SYS_read, file, &policy, 1);
  syscall(SYS_close, file);
  return policy == '2';
}

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

void Stacks::UnmapFrames(__taskrace_frame* mapped, size_t frames) {
  Unmap(mapped, BytesOf(frames) + kMappingUnit);
}

__taskrace_frame* Stacks::MapFrames(size_t frames) {
  const size_t bytes = BytesOf(frames);
  char* mapped = static_cast<char*>(Map(bytes + kMappingUnit, "a shadow call stack"));
  Guard(mapped + bytes);
  return reinterpret_cast<__taskrace_frame*>(mapped);
}

Stacks::Stack* Stacks::MapStack() {
  if (region_bytes_ == 0) {
    region_bytes_ = AddressSpaceIsCounted() ? kCountedRegionBytes : kRegionBytes;
  }
  char* region = static_cast<char*>(Map(region_bytes_, "the stack of a task"));
  // A stack is a page or two, not a huge page.
  syscall(SYS_madvise, region, region_bytes_, MADV_NOHUGEPAGE);
  char* guard = region + region_bytes_ / 2;
  if (mapped_++ < kMostGuards) Guard(guard);
  // The descriptor sits at the stack's top end, above the first frame.
  Stack* stack = reinterpret_cast<Stack*>(region + region_bytes_ - sizeof(Stack));
  stack->low = reinterpret_cast<uintptr_t>(guard) + kMappingUnit;
  stack->high = reinterpret_cast<uintptr_t>(stack) & ~uintptr_t{63};
  stack->frames = reinterpret_cast<__taskrace_frame*>(region);
  return stack;
}

Stacks::Stack* Stacks::Acquire() {
  if (free_ == nullptr) return MapStack();
  Stack* stack = free_;
  free_ = stack->next_free;
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
