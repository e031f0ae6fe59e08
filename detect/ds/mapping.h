// Memory directly from the kernel: zero-filled mappings, and the error when there is no more.
//
// Uses system calls and not libc: mmap and similar functions are interposed to see those of the
// program, and these mappings are not the program's. Nothing is reserved ahead, so that an
// address-space limit or vm.overcommit_memory=2 is met with what is really used.
//
// Thread rule: any thread; the handler is set before the first one starts.
// Cost: a system call each. errno is left alone unless the call fails, which ends the program.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "detect/ds/check.h"

namespace taskrace {

// Told of the line that is about to be printed; may save what must not be lost. If it returns, the
// line goes to standard error and the process exits with 2. May be called by several threads, and
// again by one that is in it.
using OutOfMemoryHandler = void (*)(const char* line);
inline constinit OutOfMemoryHandler out_of_memory_handler = nullptr;

inline constexpr size_t kMappingUnit = 4096;

constexpr size_t RoundUpToMapping(size_t bytes) {
  return (bytes + kMappingUnit - 1) & ~(kMappingUnit - 1);
}

[[noreturn, gnu::noinline, gnu::cold]] inline void OutOfMemory(size_t bytes, const char* what) {
  FixedLine line;
  line << "taskrace: out of memory: taskrace needs " << static_cast<uint64_t>(bytes / 1024)
       << " KiB more for " << what
       << "; give the process more memory or raise its limit (ulimit -v)";
  if (out_of_memory_handler != nullptr) out_of_memory_handler(line.Text());
  line.Print();
  for (;;) syscall(SYS_exit_group, 2);
}

// A program is too large for numbers of 32 bits or so. Ends as if memory had run out.
[[noreturn, gnu::noinline, gnu::cold]] inline void LimitReached(const char* what) {
  FixedLine line;
  line << "taskrace: the program is too large: " << what << "; run it on a smaller input";
  if (out_of_memory_handler != nullptr) out_of_memory_handler(line.Text());
  line.Print();
  abort();
}
inline void CheckLimit(bool fits, const char* what) {
  if (!fits) [[unlikely]]
    LimitReached(what);
}

// New zero-filled memory. Requires: bytes is a multiple of kMappingUnit and not 0.
inline void* Map(size_t bytes, const char* what) {
  long address = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
  if (address == -1) OutOfMemory(bytes, what);
  return reinterpret_cast<void*>(address);
}

// The same memory with more zeros behind it, perhaps elsewhere.
inline void* GrowMapping(void* memory, size_t bytes, size_t more, const char* what) {
  long address = syscall(SYS_mremap, memory, bytes, more, MREMAP_MAYMOVE, nullptr);
  if (address == -1) OutOfMemory(more - bytes, what);
  return reinterpret_cast<void*>(address);
}

// The memory is zero again, and takes none until it is written. False: it is as it was. Requires: whole pages.
inline bool Discard(void* memory, size_t bytes) {
  return syscall(SYS_madvise, memory, bytes, MADV_DONTNEED) == 0;
}

inline void Unmap(void* memory, size_t bytes) {
  CHECK(syscall(SYS_munmap, memory, bytes) == 0, "a mapping of our own cannot be given back");
}

}  // namespace taskrace
