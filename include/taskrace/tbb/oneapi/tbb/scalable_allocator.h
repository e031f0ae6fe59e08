// scalable_allocator of oneTBB, and the functions of its memory allocator: malloc, which the runtime knows.
#pragma GCC system_header
#ifndef TASKRACE_TBB_SCALABLE_ALLOCATOR_H
#define TASKRACE_TBB_SCALABLE_ALLOCATOR_H

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
  TBBMALLOC_OK,
  TBBMALLOC_INVALID_PARAM,
  TBBMALLOC_UNSUPPORTED,
  TBBMALLOC_NO_MEMORY,
  TBBMALLOC_NO_EFFECT
};
typedef enum {
  TBBMALLOC_USE_HUGE_PAGES,
  USE_HUGE_PAGES = TBBMALLOC_USE_HUGE_PAGES,
  TBBMALLOC_SET_SOFT_HEAP_LIMIT,
  TBBMALLOC_SET_HUGE_SIZE_THRESHOLD
} AllocationModeParam;
typedef enum { TBBMALLOC_CLEAN_ALL_BUFFERS, TBBMALLOC_CLEAN_THREAD_BUFFERS } ScalableAllocationCmd;

static inline void* scalable_malloc(size_t size) { return malloc(size); }
static inline void scalable_free(void* memory) { free(memory); }
static inline void* scalable_realloc(void* memory, size_t size) { return realloc(memory, size); }
static inline void* scalable_calloc(size_t count, size_t size) { return calloc(count, size); }
static inline int scalable_posix_memalign(void** memory, size_t alignment, size_t size) {
  return posix_memalign(memory, alignment, size);
}
static inline void* scalable_aligned_malloc(size_t size, size_t alignment) {
  void* memory = NULL;
  const int error =
      posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment, size);
  if (error != 0) errno = error;
  return error == 0 ? memory : NULL;
}
static inline void scalable_aligned_free(void* memory) { free(memory); }
static inline size_t scalable_msize(void* memory) { return malloc_usable_size(memory); }
static inline int scalable_allocation_mode(int parameter, intptr_t value) {
  (void)parameter;
  (void)value;
  return TBBMALLOC_OK;
}
static inline int scalable_allocation_command(int command, void* parameter) {
  (void)command;
  return parameter == NULL ? TBBMALLOC_OK : TBBMALLOC_INVALID_PARAM;
}

#ifdef __cplusplus
#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <taskrace/detail/tbb/malloc_memory.hpp>

namespace tbb {
namespace detail {
inline namespace taskrace1 {

template <class T>
class scalable_allocator : public malloc_memory<T> {
 public:
  scalable_allocator() = default;
  template <class U>
  scalable_allocator(const scalable_allocator<U>&) noexcept {}
};

class scalable_resource : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { std::free(memory); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};
inline std::pmr::memory_resource* scalable_memory_resource() noexcept {
  static scalable_resource resource;
  return &resource;
}

}  // namespace taskrace1
}  // namespace detail

inline namespace v1 {
using detail::scalable_allocator;
using detail::scalable_memory_resource;
}  // namespace v1
}  // namespace tbb

#endif

#endif
