// WorkerHooks: what the access hooks of hooks.h jump to in a parallel run: the detector of the worker
// that this thread is.
//
// Thread rule: each thread sets its own worker before its first access, and takes it away when it rests.
// Cost:       a repeated access is a load of the worker and a look at a bit, all inlined.
// Tested by:  test/detect/parallel_hooks_test.cc
#pragma once

#include "detect/checker.h"
#include "detect/parallel/worker.h"
#include "detect/parallel/worker_contexts.h"

namespace taskrace {

class WorkerHooks {
 public:
  // A worker, the contexts of its thread, and what that thread runs.
  struct Worker {
    ParallelWorker detector;
    WorkerContexts contexts;
    Running& running;
    Worker* next = nullptr;  // of all of them
    Worker(ParallelDetection& detection, SharedContexts& contexts, Running& running)
        : detector(detection), contexts(contexts), running(running) {}
    // The code at hand. How many bytes it touches, the log knows.
    Where Here(uintptr_t pc, Operation operation = Operation::kPlain) {
      return contexts.Intern(__taskrace_top, pc, 0, operation);
    }
  };

  // This thread is the worker from now on; null: none. Requires: without one no hook of kHooks is
  // called.
  static void Become(Worker* worker) { worker_ = worker; }
  static Worker* Current() { return worker_; }

 private:
  // The hooks are jumped to, so their return address is the instrumented access.
  template <AccessKind kKind, size_t kSize>
  static void Sized(const void* address) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    if (worker_->detector.template Has<kKind, kSize>(first)) [[likely]]
      return;
    CollectSmall<kKind, kSize>(first, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
  }
  template <AccessKind kKind>
  static void Ranged(const void* address, size_t size) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    if (!IsAtomic(kKind) && worker_->detector.template HasRange<kKind>(first, size)) return;
    Collect<kKind>(first, size, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
  }
  template <AccessKind kKind>
  static void Rows(const void* address, size_t size, size_t rows, ptrdiff_t distance) {
    CollectRows<kKind>(address, size, rows, distance,
                       reinterpret_cast<uintptr_t>(__builtin_return_address(0)), Operation::kPlain);
  }
  template <AccessKind kKind>
  static void Parts(const void* address, size_t size, size_t rows, ptrdiff_t distance,
                    __taskrace_parts parts) {
    CollectRows<kKind>(address, size, rows, distance, reinterpret_cast<uintptr_t>(parts),
                       Operation::kParts);
  }
  template <AccessKind kKind>
  [[gnu::noinline]] static void CollectRows(const void* address, size_t size, size_t rows,
                                            ptrdiff_t distance, uintptr_t pc, Operation operation) {
    if (size == 0 || rows == 0 || worker_->detector.IsAlone()) return;
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    worker_->running.NoteTouched(
        distance < 0 ? first + (rows - 1) * static_cast<uintptr_t>(distance) : first);
    worker_->detector.AccessRows(kKind, {first, size, rows, distance},
                                 worker_->Here(pc, operation));
  }
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void CollectSmall(uintptr_t first, uintptr_t pc) {
    if (worker_->detector.IsAlone()) return;
    worker_->running.NoteTouched(first);
    worker_->detector.template AccessSmall<kKind, kSize>(first, worker_->Here(pc));
  }
  template <AccessKind kKind>
  [[gnu::noinline]] static void Collect(uintptr_t first, size_t size, uintptr_t pc) {
    if (worker_->detector.IsAlone()) return;
    worker_->running.NoteTouched(first);
    worker_->detector.Access(kKind, first, size, worker_->Here(pc));
  }

  static inline constinit thread_local Worker* worker_ __attribute__((tls_model("initial-exec"))) =
      nullptr;

 public:
  static constexpr AccessHooks kHooks = {
      .read = {Sized<AccessKind::kRead, 1>, Sized<AccessKind::kRead, 2>,
               Sized<AccessKind::kRead, 4>, Sized<AccessKind::kRead, 8>,
               Sized<AccessKind::kRead, 16>},
      .write = {Sized<AccessKind::kWrite, 1>, Sized<AccessKind::kWrite, 2>,
                Sized<AccessKind::kWrite, 4>, Sized<AccessKind::kWrite, 8>,
                Sized<AccessKind::kWrite, 16>},
      .read_range = Ranged<AccessKind::kRead>,
      .write_range = Ranged<AccessKind::kWrite>,
      .read_rows = Rows<AccessKind::kRead>,
      .write_rows = Rows<AccessKind::kWrite>,
      .read_parts = Parts<AccessKind::kRead>,
      .write_parts = Parts<AccessKind::kWrite>,
      .atomic_read = Ranged<AccessKind::kAtomicRead>,
      .atomic_write = Ranged<AccessKind::kAtomicWrite>,
  };
};

}  // namespace taskrace
