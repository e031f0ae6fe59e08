// Allocation and freeing of memory: malloc and similar functions, mmap.
//
// The allocator itself stays the program's (allocator.h), or that of AddressSanitizer, which defines
// these functions in the program, and uses our hooks.

#include "runtime/interpose_memory.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/allocator.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

extern "C" {
// Of the sanitizers' common runtime, if the program has one.
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, size_t), void (*free_hook)(const volatile void*));
}

namespace taskrace {
namespace {

uintptr_t Address(const volatile void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

void* Reallocate(void* block, size_t size, uintptr_t pc) {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr || block == nullptr) {
    return Allocated(allocator::Reallocate(block, size), size, pc);
  }
  const size_t usable = allocator::UsableSize(block);
  const size_t kept = usable < size ? usable : size;
  void* result;
  if (runtime->is_parallel()) {
    // Others may still have to do with the old block.
    result = size == 0 ? nullptr : allocator::Allocate(size);
    if (result == nullptr && size != 0) return nullptr;
    memcpy(result, block, kept);
    taskrace::Freed(block, pc);
  } else {
    runtime->Freed(Address(block), pc);
    result = allocator::Reallocate(block, size);
  }
  if (result == nullptr) return nullptr;
  Allocated(result, size, pc);
  // A parallel task that still uses the old block races with the copying, whether the block moves or not.
  runtime->Written(Address(result), kept, pc, Operation::kPlain);
  return result;
}

__attribute__((constructor(102))) void AskSanitizerForHooks() {
  if (__sanitizer_install_malloc_and_free_hooks == nullptr) return;
  __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void* block, size_t size) {
        if (Runtime* runtime = Runtime::OfWorker()) {
          runtime->Allocated(Address(block), size, size, TASKRACE_CALLER);
        }
      },
      [](const volatile void* block) {
        if (Runtime* runtime = Runtime::OfWorker(); runtime != nullptr && block != nullptr) {
          runtime->Freed(Address(block), TASKRACE_CALLER);
        }
      });
}

}  // namespace

void* Allocated(void* block, size_t size, uintptr_t pc) {
  if (Runtime* runtime = Runtime::OfWorker(); runtime != nullptr && block != nullptr) {
    runtime->Allocated(Address(block), size, allocator::UsableSize(block), pc);
  }
  return block;
}

void Freed(void* block, uintptr_t pc) {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime != nullptr && block != nullptr && runtime->Freed(Address(block), pc)) return;
  allocator::Free(block);
}

}  // namespace taskrace

namespace allocator = taskrace::allocator;
using taskrace::Allocated;
using taskrace::Runtime;

TASKRACE_EXPORT void* malloc(size_t size) {
  return Allocated(allocator::Allocate(size), size, TASKRACE_CALLER);
}
TASKRACE_EXPORT void* calloc(size_t count, size_t size) {
  return Allocated(allocator::AllocateZeroed(count, size), count * size, TASKRACE_CALLER);
}
TASKRACE_EXPORT void* realloc(void* block, size_t size) {
  return taskrace::Reallocate(block, size, TASKRACE_CALLER);
}
TASKRACE_EXPORT void* reallocarray(void* block, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return taskrace::Reallocate(block, bytes, TASKRACE_CALLER);
}
TASKRACE_EXPORT void* memalign(size_t alignment, size_t size) {
  return Allocated(allocator::AllocateAligned(alignment, size), size, TASKRACE_CALLER);
}
TASKRACE_EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  return Allocated(allocator::AllocateAligned(alignment, size), size, TASKRACE_CALLER);
}
TASKRACE_EXPORT int posix_memalign(void** result, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  const int saved = errno;
  void* block = Allocated(allocator::AllocateAligned(alignment, size), size, TASKRACE_CALLER);
  errno = saved;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}
TASKRACE_EXPORT void* valloc(size_t size) {
  return Allocated(allocator::AllocateAligned(4096, size), size, TASKRACE_CALLER);
}
TASKRACE_EXPORT void free(void* block) { taskrace::Freed(block, TASKRACE_CALLER); }

namespace {

// Mappings larger than this are forgotten without a check when they go.
constexpr size_t kMostChecked = size_t{1} << 30;

void Unmapped(void* memory, size_t size, uintptr_t pc) {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr) return;
  const uintptr_t first = reinterpret_cast<uintptr_t>(memory);
  if (size <= kMostChecked) runtime->Written(first, size, pc, taskrace::Operation::kFree);
  runtime->Renewed(first, size);
}

void* Mapped(long result, size_t size) {
  if (Runtime* runtime = Runtime::OfWorker(); runtime != nullptr && result != -1) {
    runtime->Renewed(static_cast<uintptr_t>(result), size);
  }
  return reinterpret_cast<void*>(result);
}

}  // namespace

TASKRACE_EXPORT void* mmap(void* address, size_t size, int protection, int flags, int file,
                           off_t offset) noexcept {
  return Mapped(syscall(SYS_mmap, address, size, protection, flags, file, offset), size);
}
TASKRACE_EXPORT void* mmap64(void* address, size_t size, int protection, int flags, int file,
                             off64_t offset) noexcept {
  return Mapped(syscall(SYS_mmap, address, size, protection, flags, file, offset), size);
}
TASKRACE_EXPORT int munmap(void* memory, size_t size) noexcept {
  Unmapped(memory, size, TASKRACE_CALLER);
  return static_cast<int>(syscall(SYS_munmap, memory, size));
}
TASKRACE_EXPORT void* mremap(void* memory, size_t size, size_t new_size, int flags, ...) noexcept {
  __builtin_va_list rest;
  __builtin_va_start(rest, flags);
  void* wanted = (flags & MREMAP_FIXED) != 0 ? __builtin_va_arg(rest, void*) : nullptr;
  __builtin_va_end(rest);
  Unmapped(memory, size, TASKRACE_CALLER);
  return Mapped(syscall(SYS_mremap, memory, size, new_size, flags, wanted), new_size);
}
