// Memory that the program gets and gives back: malloc and its kin, operator new, mmap.
//
// Allocation clears, free is a write (design 4.3). The allocator itself stays libc's own, or that
// of AddressSanitizer, which defines these functions in the program and tells us through its hooks.

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "runtime/real.h"
#include "runtime/runtime.h"

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
// Of the sanitizers' common runtime, if the program has one.
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, size_t), void (*free_hook)(const volatile void*));
}

namespace taskrace {
namespace {

uintptr_t Address(const volatile void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// Every allocating function ends here.
void* Allocated(void* block, size_t size, uintptr_t pc) {
  if (Runtime* runtime = Runtime::OfWorker(); runtime != nullptr && block != nullptr) {
    runtime->Allocated(Address(block), size, malloc_usable_size(block), pc);
  }
  return block;
}

// Every freeing function is this.
void Free(void* block, uintptr_t pc) {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime != nullptr && block != nullptr && runtime->Freed(Address(block), pc)) return;
  __libc_free(block);
}

void* Reallocate(void* block, size_t size, uintptr_t pc) {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr || block == nullptr) {
    return Allocated(__libc_realloc(block, size), size, pc);
  }
  const size_t kept = malloc_usable_size(block) < size ? malloc_usable_size(block) : size;
  void* result;
  if (runtime->is_parallel()) {
    // Others may still have to do with the old block.
    result = size == 0 ? nullptr : __libc_malloc(size);
    if (result == nullptr && size != 0) return nullptr;
    memcpy(result, block, kept);
    Free(block, pc);
  } else {
    runtime->Freed(Address(block), pc);
    result = __libc_realloc(block, size);
  }
  if (result == nullptr) return nullptr;
  Allocated(result, size, pc);
  // Whoever still uses the old block in parallel races with the copying, moved or not.
  runtime->Written(Address(result), kept, pc, Operation::kPlain);
  return result;
}

// operator new when memory has run out: the C++ library knows handlers and exceptions.
void* NewFailed(size_t size) {
  static constinit Real<void*(size_t)> real("_Znwm");
  return real(size);
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
}  // namespace taskrace

using taskrace::Allocated;
using taskrace::Runtime;

TASKRACE_EXPORT void* malloc(size_t size) {
  return Allocated(__libc_malloc(size), size, TASKRACE_CALLER);
}
TASKRACE_EXPORT void* calloc(size_t count, size_t size) {
  return Allocated(__libc_calloc(count, size), count * size, TASKRACE_CALLER);
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
  return Allocated(__libc_memalign(alignment, size), size, TASKRACE_CALLER);
}
TASKRACE_EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  return Allocated(__libc_memalign(alignment, size), size, TASKRACE_CALLER);
}
TASKRACE_EXPORT int posix_memalign(void** result, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  const int saved = errno;
  void* block = Allocated(__libc_memalign(alignment, size), size, TASKRACE_CALLER);
  errno = saved;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}
TASKRACE_EXPORT void* valloc(size_t size) {
  return Allocated(__libc_memalign(4096, size), size, TASKRACE_CALLER);
}
TASKRACE_EXPORT void free(void* block) { taskrace::Free(block, TASKRACE_CALLER); }

// operator new and delete by their linker names, so that reports show the program's
// line and not libstdc++.
#define TASKRACE_NEW(name)                                   \
  TASKRACE_EXPORT void* name(size_t size) {                  \
    void* block = __libc_malloc(size == 0 ? 1 : size);       \
    if (block == nullptr) block = taskrace::NewFailed(size); \
    return Allocated(block, size, TASKRACE_CALLER);          \
  }
TASKRACE_NEW(_Znwm)
TASKRACE_NEW(_Znam)
#define TASKRACE_NEW_NOTHROW(name)                                                \
  TASKRACE_EXPORT void* name(size_t size, const std::nothrow_t&) noexcept {       \
    return Allocated(__libc_malloc(size == 0 ? 1 : size), size, TASKRACE_CALLER); \
  }
TASKRACE_NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
TASKRACE_NEW_NOTHROW(_ZnamRKSt9nothrow_t)
#define TASKRACE_NEW_ALIGNED(name)                                       \
  TASKRACE_EXPORT void* name(size_t size, std::align_val_t alignment) {  \
    void* block = __libc_memalign(static_cast<size_t>(alignment), size); \
    if (block == nullptr) block = taskrace::NewFailed(size);             \
    return Allocated(block, size, TASKRACE_CALLER);                      \
  }
TASKRACE_NEW_ALIGNED(_ZnwmSt11align_val_t)
TASKRACE_NEW_ALIGNED(_ZnamSt11align_val_t)
#define TASKRACE_DELETE(name, ...)                              \
  TASKRACE_EXPORT void name(void* block __VA_ARGS__) noexcept { \
    taskrace::Free(block, TASKRACE_CALLER);                     \
  }
TASKRACE_DELETE(_ZdlPv)
TASKRACE_DELETE(_ZdaPv)
TASKRACE_DELETE(_ZdlPvm, , size_t)
TASKRACE_DELETE(_ZdaPvm, , size_t)
TASKRACE_DELETE(_ZdlPvRKSt9nothrow_t, , const std::nothrow_t&)
TASKRACE_DELETE(_ZdaPvRKSt9nothrow_t, , const std::nothrow_t&)
TASKRACE_DELETE(_ZdlPvSt11align_val_t, , std::align_val_t)
TASKRACE_DELETE(_ZdaPvSt11align_val_t, , std::align_val_t)
TASKRACE_DELETE(_ZdlPvmSt11align_val_t, , size_t, std::align_val_t)
TASKRACE_DELETE(_ZdaPvmSt11align_val_t, , size_t, std::align_val_t)

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
