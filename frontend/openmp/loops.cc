// Worksharing loops and sections: which iterations each thread gets.
//
// Loops with a static schedule are distributed as the specification of OpenMP says. Of those where any distribution is
// right, each thread gets chunks in turn, so that neighbours are on different threads. Loops with an
// `ordered` clause and doacross loops are distributed in runs: thread by thread is then also the order of their iterations.

#include "frontend/openmp/team.h"

namespace taskrace::openmp {
namespace {

// Which of how many parts of a loop is the caller's.
struct Share {
  uint64_t number;
  uint64_t count;
};

Share ShareOfTeam() {
  const Thread& thread = Here();
  if (thread.team->is_league) return {0, 1};
  return {static_cast<uint64_t>(thread.number), static_cast<uint64_t>(thread.team->size)};
}

Share ShareOfLeague() {
  const Thread* initial = InitialOfLeague();
  if (initial == nullptr) return {0, 1};
  return {static_cast<uint64_t>(initial->number), static_cast<uint64_t>(initial->team->size)};
}

// How many iterations the loop has, less one; false: it has none.
template <class T>
bool LastIteration(T low, T high, int64_t increment, uint64_t& last) {
  if (increment > 0 ? high < low : low < high) return false;
  const uint64_t distance = increment > 0
                                ? static_cast<uint64_t>(high) - static_cast<uint64_t>(low)
                                : static_cast<uint64_t>(low) - static_cast<uint64_t>(high);
  last = distance /
         (increment > 0 ? static_cast<uint64_t>(increment) : -static_cast<uint64_t>(increment));
  return true;
}

// The iterations [first, first + count) of part `number` of `parts`: as even as possible, the longer ones first.
struct Run {
  unsigned __int128 first;
  unsigned __int128 count;
};
Run RunOf(unsigned __int128 trips, Share share) {
  const unsigned __int128 small = trips / share.count, longer = trips % share.count;
  const unsigned __int128 before = share.number < longer ? share.number : longer;
  return {share.number * small + before, small + (share.number < longer ? 1 : 0)};
}

template <class T>
void StaticInit(const Ident* ident, int32_t schedule, int32_t* is_last, T* low, T* high, T* stride,
                int64_t increment, int64_t chunk, uintptr_t pc) {
  schedule &= ~kScheduleModifiers;
  const bool is_distribute = schedule == kDistribute || schedule == kDistributeChunked;
  const Share share = is_distribute ? ShareOfLeague() : ShareOfTeam();
  const auto at = [low = *low, increment](unsigned __int128 iteration) {
    return static_cast<T>(static_cast<uint64_t>(low) +
                          static_cast<uint64_t>(iteration) * static_cast<uint64_t>(increment));
  };
  uint64_t last;
  if (!LastIteration(*low, *high, increment, last)) {
    *is_last = 0;
    *stride = static_cast<T>(increment);
    return;
  }
  const unsigned __int128 trips = static_cast<unsigned __int128>(last) + 1;
  const bool is_chunked = (schedule == kStaticChunked || schedule == kDistributeChunked ||
                           schedule == kStaticBalancedChunked) &&
                          !Here().in_doacross;
  *stride = at(trips) - *low;
  if (share.count == 1) {
    *is_last = 1;
    return;
  }
  Run run;
  if (is_chunked) {
    if (chunk < 1) chunk = 1;
    const unsigned __int128 size = static_cast<uint64_t>(chunk);
    *stride = static_cast<T>(static_cast<uint64_t>(chunk) * share.count *
                             static_cast<uint64_t>(increment));
    *is_last = (trips - 1) / size % share.count == share.number;
    run = {share.number * size, size};
    if (run.first >= trips) run.count = 0;
  } else {
    run = RunOf(trips, share);
    *is_last = run.count > 0 && run.first + run.count == trips;
  }
  const unsigned __int128 own = is_chunked ? (trips - 1) / share.count + 1 : run.count;
  // Two such loops have the same iterations on the same thread.
  const bool is_sections = ident != nullptr && (ident->flags & kIsSections) != 0;
  const bool is_static_loop =
      (schedule == kStatic || schedule == kStaticChunked) && !Here().in_doacross && !is_sections;
  BeginUnits({.count = own < UINT32_MAX ? static_cast<uint64_t>(own) : UINT32_MAX,
              .size = is_chunked && chunk > 1 ? static_cast<uint64_t>(chunk) : 1,
              .index = is_sections ? kFirstSection : 0,
              .trips = is_static_loop ? static_cast<uint64_t>(trips) : 0,
              .chunk = is_chunked ? static_cast<uint64_t>(chunk) : 0,
              .first = static_cast<uint64_t>(run.first),
              .distance = is_chunked ? static_cast<uint64_t>(chunk) * share.count : 1},
             pc);
  if (run.count > 0) {
    // The last chunk ends where the loop does: the sum must not run over the end of its type.
    const unsigned __int128 end = run.first + run.count < trips ? run.first + run.count : trips;
    *high = at(end - 1);
    *low = at(run.first);
    return;
  }
  // An empty range, though the loop may end at the last number of its type.
  const T end = at(trips - 1);
  const T behind = at(trips);
  if (increment > 0 ? behind > end : behind < end) {
    *low = behind;
    *high = end;
  } else {
    *low = end;
    *high = static_cast<T>(static_cast<uint64_t>(end) - static_cast<uint64_t>(increment));
  }
}

template <class T>
void DispatchInit(int32_t schedule, T low, T high, int64_t increment, int64_t chunk, uintptr_t pc) {
  Thread& thread = Here();
  schedule &= ~kScheduleModifiers;
  bool in_order = thread.in_doacross;
  if (schedule >= kFirstOrdered && schedule <= kLastOrdered) {
    in_order = true;
    schedule -= kOrdered;
    ++thread.ordered_loops;
  }
  if (schedule == kRuntime) {
    schedule = thread.task->variables.schedule;
    chunk = thread.task->variables.chunk;
    if (schedule == kStatic && chunk > 0) schedule = kStaticChunked;
  }
  const Share share = ShareOfTeam();
  Dispatch& dispatch = thread.dispatch;
  dispatch = {};
  dispatch.low = static_cast<int64_t>(low);
  dispatch.increment = increment;
  uint64_t last;
  if (!LastIteration(low, high, increment, last)) return;
  dispatch.trips = last + 1;
  if (dispatch.trips == 0) {
    Runtime().Fail("a loop has 2^64 iterations, which is one too many", 0);
  }
  // A chunk of a dynamic loop is a unit, an iteration of all others.
  const bool has_chunks = schedule == kDynamic || schedule == kStaticChunked;
  if (!has_chunks) chunk = 1;
  if (share.count > 1) {
    const uint64_t own = (dispatch.trips - 1) / share.count + 1;
    BeginUnits({.count = own < UINT32_MAX ? own : UINT32_MAX}, pc);
  }
  dispatch.chunk = chunk < 1 ? 1 : static_cast<uint64_t>(chunk);
  const uint64_t chunks = (dispatch.trips - 1) / dispatch.chunk + 1;
  if (in_order || schedule == kStatic) {
    const Run run = RunOf(chunks, share);
    dispatch.next = static_cast<uint64_t>(run.first);
    dispatch.end = static_cast<uint64_t>(run.first + run.count);
  } else {
    dispatch.next = share.number;
    dispatch.step = share.count;
    dispatch.end = chunks;
  }
}

template <class T>
int32_t DispatchNext(int32_t* is_last, T* low, T* high, T* stride, uintptr_t stack_pointer) {
  Dispatch& dispatch = Here().dispatch;
  if (dispatch.next >= dispatch.end) {
    if (dispatch.trips > 0) LeaveUnits();
    dispatch = {};
    return 0;
  }
  const uint64_t first = dispatch.next * dispatch.chunk;
  const uint64_t left = dispatch.trips - first;
  const uint64_t count = left < dispatch.chunk ? left : dispatch.chunk;
  const auto at = [&](uint64_t iteration) {
    return static_cast<T>(static_cast<uint64_t>(dispatch.low) +
                          iteration * static_cast<uint64_t>(dispatch.increment));
  };
  *low = at(first);
  *high = at(first + count - 1);
  *stride = static_cast<T>(dispatch.increment);
  if (is_last != nullptr) *is_last = first + count == dispatch.trips;
  BeginUnit(first, stack_pointer);
  dispatch.next += dispatch.step;
  return 1;
}

}  // namespace
}  // namespace taskrace::openmp

using namespace taskrace::openmp;

#define LOOPS(suffix, type, signed_type)                                                           \
  OPENMP_ENTRY void __kmpc_for_static_init_##suffix(                                               \
      Ident* ident, int32_t, int32_t schedule, int32_t* is_last, type* low, type* high,            \
      signed_type* stride, signed_type increment, signed_type chunk) {                             \
    type step;                                                                                     \
    StaticInit<type>(ident, schedule, is_last, low, high, &step, increment, chunk, OPENMP_CALLER); \
    *stride = static_cast<signed_type>(step);                                                      \
  }                                                                                                \
  OPENMP_ENTRY void __kmpc_dispatch_init_##suffix(Ident*, int32_t, int32_t schedule, type low,     \
                                                  type high, signed_type increment,                \
                                                  signed_type chunk) {                             \
    DispatchInit<type>(schedule, low, high, increment, chunk, OPENMP_CALLER);                      \
  }                                                                                                \
  OPENMP_ENTRY int32_t __kmpc_dispatch_next_##suffix(Ident*, int32_t, int32_t* is_last, type* low, \
                                                     type* high, signed_type* stride) {            \
    type step;                                                                                     \
    const int32_t more = DispatchNext<type>(                                                       \
        is_last, low, high, &step, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) + 16);  \
    if (more != 0) *stride = static_cast<signed_type>(step);                                       \
    return more;                                                                                   \
  }                                                                                                \
  OPENMP_ENTRY void __kmpc_dispatch_fini_##suffix(Ident*, int32_t) {}

LOOPS(4, int32_t, int32_t)
LOOPS(4u, uint32_t, int32_t)
LOOPS(8, int64_t, int64_t)
LOOPS(8u, uint64_t, int64_t)

OPENMP_ENTRY void __kmpc_dispatch_deinit(Ident*, int32_t) {}
OPENMP_ENTRY void __kmpc_for_static_fini(Ident*, int32_t) { LeaveUnits(); }
