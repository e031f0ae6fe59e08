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
  // The access at hand, for the log.
  struct Here {
    Worker& worker;
    uintptr_t pc;
    Operation operation = Operation::kPlain;
    AccessLog::Caller Caller() const { return {pc, __taskrace_top->context}; }
    Where Code() const { return worker.Here(pc, operation); }
  };

  // The hooks are jumped to, so their return address is the instrumented access.
  template <AccessKind kKind, size_t kSize>
  static void Sized(const void* address) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    const ParallelWorker& detector = worker_->detector;
    if (detector.HasFew()) return SizedFew<kKind, kSize>(first, pc);
    if (detector.template Has<kKind, kSize>(first)) [[likely]]
      return;
    SizedSlow<kKind, kSize>(first, pc);
  }
  // Not inlined: the fast path would save registers for them.
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedFew(uintptr_t first, uintptr_t pc) {
    Worker& worker = *worker_;
    if (worker.detector.IsAlone()) return;
    worker.running.NoteTouched(first);
    worker.detector.template AccessOneOfFew<kKind>(first, kSize, Here{worker, pc});
  }
  template <AccessKind kKind, size_t kSize>
  [[gnu::noinline]] static void SizedSlow(uintptr_t first, uintptr_t pc) {
    CollectOne<kKind>(first, kSize, pc, Operation::kPlain);
  }
  // Requires: accesses are many.
  template <AccessKind kKind>
  [[gnu::always_inline]] static void CollectOne(uintptr_t first, size_t size, uintptr_t pc,
                                                Operation operation) {
    Worker& worker = *worker_;
    worker.running.NoteTouched(first);
    worker.detector.template AccessOneOfMany<kKind>(first, size, Here{worker, pc, operation});
  }
  template <AccessKind kKind>
  static void Ranged(const void* address, size_t size) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    const ParallelWorker& detector = worker_->detector;
    if (!detector.HasFew() && detector.template HasRange<kKind>(first, size)) return;
    RangedSlow<kKind>(first, size, pc, Operation::kPlain);
  }
  template <AccessKind kKind>
  [[gnu::noinline]] static void RangedSlow(uintptr_t first, size_t size, uintptr_t pc,
                                           Operation operation) {
    if (!worker_->detector.HasFew()) return CollectOne<kKind>(first, size, pc, operation);
    CollectRows<kKind>(first, size, 1, 0, pc, operation);
  }
  template <AccessKind kKind>
  static void Rows(const void* address, size_t size, size_t rows, ptrdiff_t distance) {
    CollectRows<kKind>(reinterpret_cast<uintptr_t>(address), size, rows, distance,
                       reinterpret_cast<uintptr_t>(__builtin_return_address(0)), Operation::kPlain);
  }
  template <AccessKind kKind>
  static void Parts(const void* address, size_t size, size_t rows, ptrdiff_t distance,
                    __taskrace_parts parts) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    const uintptr_t pc = reinterpret_cast<uintptr_t>(parts);
    const ParallelWorker& detector = worker_->detector;
    if (rows != 1) return CollectRows<kKind>(first, size, rows, distance, pc, Operation::kParts);
    if (!detector.HasFew() && detector.template HasRange<kKind>(first, size)) return;
    RangedSlow<kKind>(first, size, pc, Operation::kParts);
  }
  template <AccessKind kKind>
  static void Atomic(const void* address, size_t size) {
    CollectRows<kKind>(reinterpret_cast<uintptr_t>(address), size, 1, 0,
                       reinterpret_cast<uintptr_t>(__builtin_return_address(0)), Operation::kPlain);
  }
  // Accesses of the iterations that run next.
  template <AccessKind kKind>
  static void OfLoop(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                     __taskrace_parts parts, ptrdiff_t step, size_t k, size_t count) {
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    Worker& worker = *worker_;
    if (size == 0 || rows == 0 || count == 0) return;
    const Where code = parts == nullptr
                           ? worker.Here(pc)
                           : worker.Here(reinterpret_cast<uintptr_t>(parts), Operation::kParts);
    const MovedAccess moved{
        kKind, code, reinterpret_cast<uintptr_t>(first), size, rows, distance, step, k, count};
    worker.running.NoteTouched(moved.LowOfAll());
    worker.detector.Move(moved);
  }
  // Every access that stays is checked: other parts may run at the same time.
  static __taskrace_zone ZoneOfLoop(unsigned) {
    static_cast<ParallelPart&>(*worker_->running.part).has_staying = true;
    return {0, UINTPTR_MAX};
  }
  // The common case: the iteration before was no task, and has left nothing in the stack, nor locks.
  static bool Iteration(size_t k, uintptr_t stack_pointer) {
    Worker& worker = *worker_;
    ParallelPart& part = static_cast<ParallelPart&>(*worker.running.part);
    if (part.has_marks && part.k == k) return true;
    if (part.is_task || worker.running.stack_touched < stack_pointer ||
        worker.running.locks != kNoLocks) {
      return false;
    }
    if (!worker.detector.GoOnWithIteration(part, k)) worker.detector.BeginIteration(part, k);
    return true;
  }
  template <AccessKind kKind>
  [[gnu::noinline]] static void CollectRows(uintptr_t first, size_t size, size_t rows,
                                            ptrdiff_t distance, uintptr_t pc, Operation operation) {
    Worker& worker = *worker_;
    if (size == 0 || rows == 0 || worker.detector.IsAlone()) return;
    const AccessLog::Touch touch{first, size, rows, distance};
    worker.running.NoteTouched(touch.Low());
    worker.detector.AccessRows(kKind, touch, Here{worker, pc, operation});
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
      .atomic_read = Atomic<AccessKind::kAtomicRead>,
      .atomic_write = Atomic<AccessKind::kAtomicWrite>,
      .loop_read = OfLoop<AccessKind::kRead>,
      .loop_write = OfLoop<AccessKind::kWrite>,
      .loop_zone = ZoneOfLoop,
      .iteration = Iteration,
  };
};

}  // namespace taskrace
