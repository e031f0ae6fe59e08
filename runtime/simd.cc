#include "runtime/simd.h"

#include "runtime/runtime.h"

namespace taskrace {
namespace {

constinit const AccessHooks* next = nullptr;

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

#define SIMD_CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))

}  // namespace

// What is told to the loop before the hooks proper, which are jumped to, get it.
struct SimdHooks {
  static Simd& Here() { return Runtime::Get()->simd(); }

  template <AccessKind kKind>
  static void Touch(const void* first, size_t size, uintptr_t pc) {
    Here().Touch(kKind, Address(first), size, pc);
  }
  // Calls visit(first, size, pc) for each part of a row.
  template <class Visit>
  static void ForEachPart(__taskrace_parts parts, const void* first, Visit visit) {
    struct Visitor {
      Visit& visit;
      static void Part(void* visitor, const void* first, size_t size) {
        static_cast<Visitor*>(visitor)->visit(first, size, SIMD_CALLER);
      }
    } visitor{visit};
    parts(first, &visitor, Visitor::Part);
  }

  template <AccessKind kKind, unsigned kIndex>
  static void Sized(const void* address) {
    Touch<kKind>(address, size_t{1} << kIndex, SIMD_CALLER);
    constexpr auto kTable = kKind == AccessKind::kRead ? &AccessHooks::read : &AccessHooks::write;
    [[clang::musttail]] return (next->*kTable)[kIndex](address);
  }
  template <AccessKind kKind, auto kHook>
  static void Range(const void* first, size_t size) {
    Touch<kKind>(first, size, SIMD_CALLER);
    [[clang::musttail]] return (next->*kHook)(first, size);
  }
  template <AccessKind kKind, auto kHook>
  static void Rows(const void* first, size_t size, size_t rows, ptrdiff_t distance) {
    AccessLog::Touch{Address(first), size, rows, distance}.ForEachRow(
        [&, pc = SIMD_CALLER](uintptr_t row) { Here().Touch(kKind, row, size, pc); });
    [[clang::musttail]] return (next->*kHook)(first, size, rows, distance);
  }
  template <AccessKind kKind, auto kHook>
  static void Parts(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                    __taskrace_parts parts) {
    AccessLog::Touch{Address(first), size, rows, distance}.ForEachRow([&](uintptr_t row) {
      ForEachPart(parts, reinterpret_cast<const void*>(row), Touch<kKind>);
    });
    [[clang::musttail]] return (next->*kHook)(first, size, rows, distance, parts);
  }
  template <AccessKind kKind, auto kHook>
  static void Loop(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                   __taskrace_parts parts, ptrdiff_t step, size_t k, size_t count) {
    const auto move = [&](const void* part, size_t bytes, uintptr_t pc) {
      Simd& simd = Here();
      simd.Move({kKind, simd.At(pc, bytes), Address(part), bytes, rows, distance, step, k, count});
    };
    if (parts == nullptr) {
      move(first, size, SIMD_CALLER);
    } else {
      ForEachPart(parts, first, move);
    }
    [[clang::musttail]] return (next->*kHook)(first, size, rows, distance, parts, step, k, count);
  }

  static constexpr AccessKind kRead = AccessKind::kRead, kWrite = AccessKind::kWrite;
  static constexpr AccessHooks kHooks = {
      .read = {Sized<kRead, 0>, Sized<kRead, 1>, Sized<kRead, 2>, Sized<kRead, 3>, Sized<kRead, 4>},
      .write = {Sized<kWrite, 0>, Sized<kWrite, 1>, Sized<kWrite, 2>, Sized<kWrite, 3>,
                Sized<kWrite, 4>},
      .read_range = Range<kRead, &AccessHooks::read_range>,
      .write_range = Range<kWrite, &AccessHooks::write_range>,
      .read_rows = Rows<kRead, &AccessHooks::read_rows>,
      .write_rows = Rows<kWrite, &AccessHooks::write_rows>,
      .read_parts = Parts<kRead, &AccessHooks::read_parts>,
      .write_parts = Parts<kWrite, &AccessHooks::write_parts>,
      .atomic_read = Range<AccessKind::kAtomicRead, &AccessHooks::atomic_read>,
      .atomic_write = Range<AccessKind::kAtomicWrite, &AccessHooks::atomic_write>,
      .loop_read = Loop<kRead, &AccessHooks::loop_read>,
      .loop_write = Loop<kWrite, &AccessHooks::loop_write>,
      .iteration = [](size_t k,
                      uintptr_t stack_pointer) { return next->iteration(k, stack_pointer); },
  };
};

const AccessHooks& Simd::Hooks(const AccessHooks& hooks) {
  next = &hooks;
  return SimdHooks::kHooks;
}

void Simd::Begin(size_t safelen, uintptr_t pc, uintptr_t stack_pointer) {
  if (runtime_.is_parallel() || runtime_.detection() == nullptr) return;
  // One that an exception has left.
  if (depth_ > 0 && loop_.stack_pointer() < stack_pointer && IsOpenOn(runtime_.running())) {
    depth_ = 1;
    End();
  }
  if (depth_++ > 0) return;
  ++loops_;
  place_ = runtime_.checker().Here(pc);
  loop_.Begin(safelen == 0 ? UINT64_MAX : safelen, runtime_.running().stack_low, stack_pointer);
  // What the pass has moved before the loop is the running strand's.
  runtime_.detection()->OnRun(/*are_iterations=*/false);
  runtime_.OnSwitch();
}

void Simd::End() {
  if (depth_ == 0 || --depth_ > 0) return;
  loop_.End();
  runtime_.OnSwitch();
}

Where Simd::At(uintptr_t pc, size_t size) {
  return runtime_.execution().contexts.Intern(__taskrace_top, pc, size, Operation::kPlain);
}

void Simd::Touch(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc) {
  loop_.Access(kind, first, size, At(pc, size));
}

void Simd::Move(const MovedAccess& access) {
  if (depth_ == 1) return loop_.Move(access);
  // Out of a loop that is a part of the lane.
  access.ForEachTouch(/*joins=*/true, [&](const AccessLog::Touch& touch) {
    touch.ForEachRow(
        [&](uintptr_t row) { loop_.Access(access.kind, row, touch.size, access.code); });
  });
}

void Simd::OnLanes(uintptr_t first, size_t size, const LaneAccess& earlier,
                   const LaneAccess& later) {
  const Execution& execution = runtime_.execution();
  const auto by = [&](const LaneAccess& access) {
    return RacingAccess{execution.strand, access.kind, kNoLocks};
  };
  const StrandId strand = execution.strand;
  const bool is_iteration = IsIteration(strand);
  const auto side = [&](const LaneAccess& access) {
    return RaceSide{.task = is_iteration ? execution.loops.TaskOf(strand) : execution.task,
                    .where = access.where,
                    .is_iteration = is_iteration,
                    .iteration = is_iteration ? execution.loops.NumberOf(strand) : 0,
                    .simd_loop = place_,
                    .lane = static_cast<int64_t>(access.lane)};
  };
  runtime_.races().OnRace({first, size, by(earlier), by(later)}, side(earlier), side(later));
}

}  // namespace taskrace
