// The entry points of include/taskrace/hooks.h. The access hooks jump on to the running detector,
// so that it finds the instrumented code as its caller.

#include "taskrace/hooks.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "exec/task_storage.h"
#include "report/log_format.h"
#include "runtime/allocator.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/states.h"

using taskrace::How;
using taskrace::Runtime;

namespace {

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// The detecting executor, or null where tasks are plain calls.
taskrace::Executor* Executor() {
  Runtime* runtime = Runtime::OfWorker();
  return runtime == nullptr ? nullptr : runtime->executor();
}

// Closures of tasks that are plain calls.
taskrace::TaskStorage& Undetected() {
  static constinit thread_local taskrace::TaskStorage storage
      __attribute__((tls_model("initial-exec")));
  return storage;
}

// A task that is a plain call.
void Call(void (*body)(void*), void* closure) {
  body(closure);
  Undetected().Free(closure);
}

// Where tasks are plain calls, no other task can make it ready.
void CheckReady(const __taskrace_future* future) {
  if (future->ready != 0) return;
  taskrace::FixedLine line;
  line << "taskrace: a task waits for something that has not happened yet: this needs detection, "
          "on the "
          "thread that runs main (mode full or reach)";
  line.Print();
  _exit(taskrace::kDeadlock);
}

}  // namespace

#define TASKRACE_SIZED(name, table, index)                               \
  TASKRACE_EXPORT void __taskrace_##name(const void* address) noexcept { \
    [[clang::musttail]] return Runtime::hooks()->table[index](address);  \
  }
TASKRACE_SIZED(read1, read, 0)
TASKRACE_SIZED(read2, read, 1)
TASKRACE_SIZED(read4, read, 2)
TASKRACE_SIZED(read8, read, 3)
TASKRACE_SIZED(read16, read, 4)
TASKRACE_SIZED(write1, write, 0)
TASKRACE_SIZED(write2, write, 1)
TASKRACE_SIZED(write4, write, 2)
TASKRACE_SIZED(write8, write, 3)
TASKRACE_SIZED(write16, write, 4)

#define TASKRACE_RANGE(name)                                                        \
  TASKRACE_EXPORT void __taskrace_##name(const void* first, size_t size) noexcept { \
    [[clang::musttail]] return Runtime::hooks()->name(first, size);                 \
  }
TASKRACE_RANGE(read_range)
TASKRACE_RANGE(write_range)
TASKRACE_RANGE(atomic_read)
TASKRACE_RANGE(atomic_write)

#define TASKRACE_ROWS(name)                                                           \
  TASKRACE_EXPORT void __taskrace_##name(const void* first, size_t size, size_t rows, \
                                         ptrdiff_t distance) noexcept {               \
    [[clang::musttail]] return Runtime::hooks()->name(first, size, rows, distance);   \
  }
TASKRACE_ROWS(read_rows)
TASKRACE_ROWS(write_rows)

#define TASKRACE_PARTS(name)                                                                    \
  TASKRACE_EXPORT void __taskrace_##name(const void* first, size_t size, size_t rows,           \
                                         ptrdiff_t distance, __taskrace_parts parts) noexcept { \
    [[clang::musttail]] return Runtime::hooks()->name(first, size, rows, distance, parts);      \
  }
TASKRACE_PARTS(read_parts)
TASKRACE_PARTS(write_parts)

#define TASKRACE_LOOP(name)                                                                        \
  TASKRACE_EXPORT void __taskrace_##name(const void* first, size_t size, size_t rows,              \
                                         ptrdiff_t distance, __taskrace_parts parts,               \
                                         ptrdiff_t step, size_t k, size_t count) noexcept {        \
    [[clang::musttail]] return Runtime::hooks()->name(first, size, rows, distance, parts, step, k, \
                                                      count);                                      \
  }
TASKRACE_LOOP(loop_read)
TASKRACE_LOOP(loop_write)

#define TASKRACE_POSSIBLE(name)                                                             \
  TASKRACE_EXPORT void __taskrace_##name(const void* first, size_t size, size_t rows,       \
                                         ptrdiff_t distance, ptrdiff_t step, size_t k,      \
                                         size_t count) noexcept {                           \
    [[clang::musttail]] return Runtime::hooks()->name(first, size, rows, distance, step, k, \
                                                      count);                               \
  }
TASKRACE_POSSIBLE(loop_may_read)
TASKRACE_POSSIBLE(loop_may_write)
TASKRACE_EXPORT __taskrace_zone __taskrace_loop_zone(unsigned staying) noexcept {
  return Runtime::hooks()->loop_zone(staying);
}

TASKRACE_EXPORT void __taskrace_atomic_acquire(const void* address, unsigned order) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->AtomicAcquire(Address(address), order);
}
TASKRACE_EXPORT void __taskrace_atomic_release(const void* address, unsigned order) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->AtomicRelease(Address(address), order);
}
TASKRACE_EXPORT void __taskrace_atomic_fence(unsigned order) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->AtomicFence(order);
}

TASKRACE_EXPORT void __taskrace_read_string(const char* string) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->Read(Address(string), strlen(string) + 1, TASKRACE_CALLER);
  }
}
TASKRACE_EXPORT void __taskrace_read_string_n(const char* string, size_t most) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    const size_t length = strnlen(string, most);
    runtime->Read(Address(string), length < most ? length + 1 : most, TASKRACE_CALLER);
  }
}

TASKRACE_EXPORT void __taskrace_read_buffers(const void* vectors, int count) noexcept {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr) return;
  const auto* buffers = static_cast<const iovec*>(vectors);
  for (int i = 0; i < count; ++i) {
    runtime->Read(Address(buffers[i].iov_base), buffers[i].iov_len, TASKRACE_CALLER);
  }
}
TASKRACE_EXPORT void __taskrace_write_buffers(const void* vectors, int count,
                                              ptrdiff_t bytes) noexcept {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr) return;
  const auto* buffers = static_cast<const iovec*>(vectors);
  size_t left = bytes > 0 ? static_cast<size_t>(bytes) : 0;
  for (int i = 0; i < count && left > 0; ++i) {
    const size_t filled = buffers[i].iov_len < left ? buffers[i].iov_len : left;
    runtime->Written(Address(buffers[i].iov_base), filled, TASKRACE_CALLER,
                     taskrace::Operation::kPlain);
    left -= filled;
  }
}

TASKRACE_EXPORT void __taskrace_lifetime_start(const void* address, size_t size,
                                               const __taskrace_variable* variable) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->LifetimeStart(Address(address), size, variable, Address(__builtin_frame_address(0)));
  }
}
TASKRACE_EXPORT void __taskrace_lifetime_end(const void* address, size_t size) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->LifetimeEnd(Address(address), size, TASKRACE_CALLER);
  }
}
TASKRACE_EXPORT void __taskrace_thread_local(const void* address, size_t size) noexcept {
  // A thread of the program has its own copy indeed; a task shares that of its thread.
  Runtime* runtime = Runtime::OfWorker();
  if (runtime != nullptr && !runtime->IsThreadItself()) {
    runtime->ForgottenWithBlocks(Address(address), size);
  }
}
TASKRACE_EXPORT void __taskrace_ordered_begin() noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->BeginOrdered();
}
TASKRACE_EXPORT void __taskrace_ordered_end() noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->EndOrdered();
}

TASKRACE_EXPORT void __taskrace_allocated(const void* block, size_t size) noexcept {
  if (Runtime* runtime = Runtime::OfWorker(); runtime != nullptr && block != nullptr) {
    runtime->HandedOut(Address(block), size, TASKRACE_CALLER);
  }
}
TASKRACE_EXPORT int __taskrace_deallocating(const void* block) noexcept {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime == nullptr || !runtime->TakenBack(Address(block), TASKRACE_CALLER)) return 0;
  runtime->BeginIgnore();
  return 1;
}
TASKRACE_EXPORT void __taskrace_deallocated(int is_pooled) noexcept {
  if (is_pooled != 0) __taskrace_ignore_end();
}

TASKRACE_EXPORT void __taskrace_module(const __taskrace_object* begin,
                                       const __taskrace_object* end) noexcept {
  if (Runtime* runtime = Runtime::Get()) runtime->OnModule(begin, end);
}
TASKRACE_EXPORT void __taskrace_main_end() noexcept {
  Runtime* runtime = Runtime::OfWorker();
  if (runtime != nullptr && runtime->executor() != nullptr) {
    runtime->executor()->JoinAll(TASKRACE_CALLER);
  }
}

TASKRACE_EXPORT void* __taskrace_state_storage(size_t size, size_t alignment) noexcept {
  return taskrace::AllocateState(size, alignment);
}
TASKRACE_EXPORT void __taskrace_state_free(void* state) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->Forgotten(Address(state), taskrace::TaskStorage::SizeOf(state));
  }
  taskrace::FreeState(state);
}
TASKRACE_EXPORT void* __taskrace_task_storage(size_t size, size_t alignment) noexcept {
  if (auto* executor = Executor()) return executor->Storage(size, alignment);
  return Undetected().Allocate(size, alignment);
}
TASKRACE_EXPORT void __taskrace_spawn(__taskrace_group* scope, void (*body)(void*),
                                      void* closure) noexcept {
  if (auto* executor = Executor()) return executor->Spawn(scope, body, closure, TASKRACE_CALLER);
  Call(body, closure);
}
TASKRACE_EXPORT void __taskrace_async(void (*body)(void*), void* closure) noexcept {
  if (auto* executor = Executor()) return executor->Async(body, closure, TASKRACE_CALLER);
  Call(body, closure);
}
TASKRACE_EXPORT void __taskrace_make_future(__taskrace_future* future, void (*body)(void*),
                                            void* closure) noexcept {
  if (auto* executor = Executor()) {
    return executor->CreateSingle(How::kFuture, future, body, closure, TASKRACE_CALLER);
  }
  Call(body, closure);
  future->ready = 1;
}
TASKRACE_EXPORT void __taskrace_fork(__taskrace_future* fork, void (*body)(void*),
                                     void* closure) noexcept {
  if (auto* executor = Executor()) {
    return executor->CreateSingle(How::kFork, fork, body, closure, TASKRACE_CALLER);
  }
  Call(body, closure);
  fork->ready = 1;
}
TASKRACE_EXPORT void __taskrace_stage(__taskrace_future* fork, void (*body)(void*),
                                      void* closure) noexcept {
  if (auto* executor = Executor()) {
    return executor->CreateStage(fork, body, closure, TASKRACE_CALLER);
  }
  Call(body, closure);
  fork->ready = 1;
}
TASKRACE_EXPORT void __taskrace_get(__taskrace_future* future) noexcept {
  if (auto* executor = Executor()) return executor->Get(How::kGet, future, TASKRACE_CALLER);
  CheckReady(future);
}
TASKRACE_EXPORT void __taskrace_join(__taskrace_future* fork) noexcept {
  if (auto* executor = Executor()) return executor->Get(How::kJoin, fork, TASKRACE_CALLER);
  CheckReady(fork);
}
TASKRACE_EXPORT void __taskrace_promise_begin(__taskrace_future* promise) noexcept {
  if (auto* executor = Executor()) executor->PromiseBegin(promise, TASKRACE_CALLER);
}
TASKRACE_EXPORT void __taskrace_promise_set(__taskrace_future* promise) noexcept {
  if (auto* executor = Executor()) return executor->PromiseSet(promise, TASKRACE_CALLER);
  promise->ready = 1;
}
TASKRACE_EXPORT void __taskrace_promise_end(__taskrace_future* promise) noexcept {
  if (auto* executor = Executor()) executor->PromiseEnd(promise);
}
TASKRACE_EXPORT void __taskrace_loop(size_t count, int64_t index,
                                     void (*range)(void*, size_t, size_t), void* closure) noexcept {
  if (auto* executor = Executor()) {
    return executor->Loop(count, index, range, closure, TASKRACE_CALLER);
  }
  if (count != 0) range(closure, 0, count);
}
TASKRACE_EXPORT int __taskrace_iteration(size_t k) noexcept {
  // The caller's stack ends where the return address was pushed.
  const uintptr_t stack_pointer = Address(__builtin_frame_address(0)) + 16;
  if (Runtime::hooks()->iteration(k, stack_pointer)) [[likely]]
    return 1;
  auto* const executor = Executor();
  return executor == nullptr || executor->Iteration(k, stack_pointer);
}
TASKRACE_EXPORT void __taskrace_simd_begin(size_t safelen) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->simd().Begin(safelen, TASKRACE_CALLER, Address(__builtin_frame_address(0)) + 16);
  }
}
TASKRACE_EXPORT void __taskrace_simd_end() noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->simd().End();
}
TASKRACE_EXPORT void __taskrace_lane(size_t k) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->simd().Lane(k);
}
TASKRACE_EXPORT void __taskrace_lane_ordered(int begins) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->simd().Ordered(begins != 0);
}
TASKRACE_EXPORT void __taskrace_lane_owns(const void* first, size_t size) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->simd().Own(Address(first), size);
}
TASKRACE_EXPORT void __taskrace_lane_owns_state(void* state) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->simd().Own(Address(state), taskrace::TaskStorage::SizeOf(state));
  }
}
TASKRACE_EXPORT void __taskrace_lanes_share(const void*) noexcept {}
TASKRACE_EXPORT void __taskrace_scope_begin(__taskrace_group* scope) noexcept {
  if (auto* executor = Executor()) executor->ScopeBegin(scope, TASKRACE_CALLER);
}
TASKRACE_EXPORT void __taskrace_nest_begin(__taskrace_group* scope) noexcept {
  if (auto* executor = Executor()) executor->ScopeBegin(scope, TASKRACE_CALLER);
}
TASKRACE_EXPORT void __taskrace_scope_sync(__taskrace_group* scope) noexcept {
  if (auto* executor = Executor()) executor->ScopeSync(scope, TASKRACE_CALLER);
}
TASKRACE_EXPORT void __taskrace_scope_end(__taskrace_group* scope) noexcept {
  if (auto* executor = Executor()) executor->ScopeEnd(scope);
}
TASKRACE_EXPORT void __taskrace_finish_begin(__taskrace_group* finish) noexcept {
  if (auto* executor = Executor()) executor->FinishBegin(finish, TASKRACE_CALLER);
}
TASKRACE_EXPORT void __taskrace_finish_end(__taskrace_group* finish) noexcept {
  if (auto* executor = Executor()) executor->FinishEnd(finish, TASKRACE_CALLER);
}
TASKRACE_EXPORT __taskrace_group* __taskrace_innermost_finish() noexcept {
  auto* executor = Executor();
  return executor == nullptr ? nullptr : executor->InnermostFinish();
}

TASKRACE_EXPORT unsigned __taskrace_this_worker() noexcept {
  Runtime* runtime = Runtime::OfWorker();
  return runtime == nullptr ? 0 : runtime->WorkerNumber(TASKRACE_CALLER);
}
TASKRACE_EXPORT unsigned __taskrace_this_worker_of(unsigned workers) noexcept {
  Runtime* runtime = Runtime::OfWorker();
  return runtime == nullptr ? 0 : runtime->WorkerNumber(TASKRACE_CALLER, workers);
}
TASKRACE_EXPORT unsigned __taskrace_max_workers() noexcept {
  return taskrace::WorkerNumbers::kWorkers;
}
TASKRACE_EXPORT void __taskrace_ignore_begin() noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->BeginIgnore();
}
TASKRACE_EXPORT void __taskrace_ignore_end() noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->EndIgnore();
}
TASKRACE_EXPORT void __taskrace_ignore_range(const void* first, size_t size) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->races().Ignore(Address(first), size);
}
TASKRACE_EXPORT void __taskrace_freed_range(const void* first, size_t size) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->Written(Address(first), size, TASKRACE_CALLER, taskrace::Operation::kFree);
  }
}
TASKRACE_EXPORT void __taskrace_forget_range(const void* first, size_t size) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->Renewed(Address(first), size);
}
TASKRACE_EXPORT void __taskrace_lock_acquired(const void* lock, int shared) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) {
    runtime->LockAcquired(Address(lock), shared != 0, /*really=*/false);
  }
}
TASKRACE_EXPORT void __taskrace_lock_released(const void* lock) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->LockReleased(Address(lock));
}
TASKRACE_EXPORT void __taskrace_happens_before(const void* tag) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->HappensBefore(Address(tag), TASKRACE_CALLER);
}
TASKRACE_EXPORT void __taskrace_happens_after(const void* tag) noexcept {
  if (Runtime* runtime = Runtime::OfWorker()) runtime->HappensAfter(Address(tag), TASKRACE_CALLER);
}
TASKRACE_EXPORT int __taskrace_is_on() noexcept {
  Runtime* runtime = Runtime::OfWorker();
  return runtime != nullptr && runtime->checks_accesses();
}

// Before any constructor of the program: it depends on this library.
__attribute__((constructor(101))) static void StartRuntime(int, char** arguments) {
  taskrace::allocator::Find();
  Runtime::Start(arguments);
}
