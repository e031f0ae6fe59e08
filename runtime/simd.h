// Simd: the simd loop that the program runs, if it runs one, and the hooks that show its accesses to it.
//
// A simd loop inside of another one is a part of the outer loop's lane. Parallel runs check no lanes.
//
// Thread rule: the worker of a serial run. Cost: nothing outside of simd loops; inside that of detect/simd_loop.h.
// Tested by:  test/lit/openmp/
#pragma once

#include "detect/checker.h"
#include "detect/simd_loop.h"

namespace taskrace {

class Runtime;

class Simd final : public SimdLoop::Sink {
 public:
  explicit Simd(Runtime& runtime) : runtime_(runtime), loop_(*this) {}

  // The hooks of hooks.h.
  void Begin(size_t safelen, uintptr_t pc, uintptr_t stack_pointer);
  void End();
  void Lane(size_t k) {
    if (depth_ == 1) loop_.Lane(k);
  }
  void Ordered(bool begins) {
    if (depth_ == 1) begins ? loop_.BeginOrdered() : loop_.EndOrdered();
  }
  void Own(uintptr_t first, size_t size) {
    if (depth_ == 1) loop_.AddOwn(first, size);
  }

  // Is a loop open on the stack that runs?
  bool IsOpenOn(const RunningStack& stack) const {
    return depth_ > 0 && loop_.stack_pointer() > stack.stack_low &&
           loop_.stack_pointer() <= stack.stack_high;
  }
  // The hooks for such a loop. They do what `next` does, too.
  static const AccessHooks& Hooks(const AccessHooks& next);

  // Accesses that come by no hook, and memory that is new. Nothing if no loop is open.
  void Access(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc) {
    if (depth_ > 0) [[unlikely]]
      Touch(kind, first, size, pc);
  }
  void Forget(uintptr_t first, size_t size) {
    if (depth_ > 0) [[unlikely]]
      loop_.Forget(first, size);
  }

  // So far.
  uint64_t loops() const { return loops_; }

  void OnLanes(uintptr_t first, size_t size, const LaneAccess& earlier,
               const LaneAccess& later) override;

 private:
  friend struct SimdHooks;
  void Touch(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc);
  void Move(const MovedAccess& access);
  Where At(uintptr_t pc, size_t size);

  Runtime& runtime_;
  SimdLoop loop_;
  Where place_ = kNowhere;  // of the loop
  uint32_t depth_ = 0;      // loops inside of each other
  uint64_t loops_ = 0;
};

}  // namespace taskrace
