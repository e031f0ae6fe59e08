#include "runtime/allocator.h"

#include "runtime/real.h"
#include "runtime/runtime.h"

namespace taskrace::allocator {
namespace {

constinit Real<void*(size_t)> next_malloc("malloc");
constinit Real<void*(size_t, size_t)> next_calloc("calloc");
constinit Real<void*(size_t, size_t)> next_aligned_alloc("aligned_alloc");
constinit Real<void*(void*, size_t)> next_realloc("realloc");
constinit Real<void(void*)> next_free("free");
constinit Real<size_t(void*)> next_usable_size("malloc_usable_size");

}  // namespace

void Find() {
  next_malloc.Get();
  next_calloc.Get();
  next_aligned_alloc.Get();
  next_realloc.Get();
  next_free.Get();
  next_usable_size.Get();
}

void* Allocate(size_t size) {
  const Runtime::Unwatched here;
  return next_malloc(size);
}
void* AllocateZeroed(size_t count, size_t size) {
  const Runtime::Unwatched here;
  return next_calloc(count, size);
}
void* AllocateAligned(size_t alignment, size_t size) {
  const Runtime::Unwatched here;
  return next_aligned_alloc(alignment, size);
}
void* Reallocate(void* block, size_t size) {
  const Runtime::Unwatched here;
  return next_realloc(block, size);
}
void Free(void* block) {
  const Runtime::Unwatched here;
  next_free(block);
}
size_t UsableSize(void* block) { return next_usable_size(block); }

}  // namespace taskrace::allocator
