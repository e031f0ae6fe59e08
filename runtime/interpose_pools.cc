// The pools of std::pmr, which hand out again what was given back to them. Their code is inside of
// libstdc++.so; the program and the containers call them through the table of virtual functions, whose
// entries these functions take.
//
// synchronized_pool_resource has locks of its own. unsynchronized_pool_resource must not be used by
// parallel tasks: each operation is a write of the object.

#include <stddef.h>

#include "runtime/real.h"
#include "runtime/runtime.h"

using taskrace::Operation;
using taskrace::Real;
using taskrace::Runtime;

namespace {

constexpr size_t kWord = 8;

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

using Allocate = Real<void*(void*, size_t, size_t)>;
using Deallocate = Real<void(void*, void*, size_t, size_t)>;

void* HandOut(Allocate& real, void* pool, size_t size, size_t alignment) {
  void* const block = real(pool, size, alignment);
  if (Runtime* runtime = Runtime::OfWorker()) runtime->Renewed(Address(block), size);
  return block;
}

void TakeBack(Deallocate& real, void* pool, void* block, size_t size, size_t alignment,
              uintptr_t pc) {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->Written(Address(block), size, pc, Operation::kFree);
  }
  real(pool, block, size, alignment);
}

void Used(void* pool, uintptr_t pc) {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->Written(Address(pool), kWord, pc, Operation::kPlain);
  }
}

constinit Allocate shared_allocate("_ZNSt3pmr26synchronized_pool_resource11do_allocateEmm");
constinit Deallocate shared_deallocate("_ZNSt3pmr26synchronized_pool_resource13do_deallocateEPvmm");
constinit Allocate own_allocate("_ZNSt3pmr28unsynchronized_pool_resource11do_allocateEmm");
constinit Deallocate own_deallocate("_ZNSt3pmr28unsynchronized_pool_resource13do_deallocateEPvmm");

}  // namespace

TASKRACE_EXPORT void* _ZNSt3pmr26synchronized_pool_resource11do_allocateEmm(void* pool, size_t size,
                                                                            size_t alignment) {
  return HandOut(shared_allocate, pool, size, alignment);
}
TASKRACE_EXPORT void _ZNSt3pmr26synchronized_pool_resource13do_deallocateEPvmm(void* pool,
                                                                               void* block,
                                                                               size_t size,
                                                                               size_t alignment) {
  TakeBack(shared_deallocate, pool, block, size, alignment, TASKRACE_CALLER);
}
TASKRACE_EXPORT void* _ZNSt3pmr28unsynchronized_pool_resource11do_allocateEmm(void* pool,
                                                                              size_t size,
                                                                              size_t alignment) {
  Used(pool, TASKRACE_CALLER);
  return HandOut(own_allocate, pool, size, alignment);
}
TASKRACE_EXPORT void _ZNSt3pmr28unsynchronized_pool_resource13do_deallocateEPvmm(void* pool,
                                                                                 void* block,
                                                                                 size_t size,
                                                                                 size_t alignment) {
  Used(pool, TASKRACE_CALLER);
  TakeBack(own_deallocate, pool, block, size, alignment, TASKRACE_CALLER);
}
