// Who may go in: single, master, critical sections, reductions, locks, and orders of iterations.

#include <string.h>

#include <new>

#include "detect/ds/intern_table.h"
#include "frontend/openmp/team.h"

namespace taskrace::openmp {
namespace {

// A lock binds to the contention group: between the teams of a league it protects nothing.
const void* LockIn(const void* address) {
  const Thread* initial = InitialOfLeague();
  if (initial == nullptr || initial->team->size == 1) return address;
  return reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(address) ^
                                       (static_cast<uintptr_t>(initial->number) + 1) << 48);
}

void WarnOfOrder(uintptr_t pc) {
  static bool has_warned = false;
  if (has_warned) return;
  has_warned = true;
  Runtime().Warn(
      "flush, an atomic construct that is more than relaxed, or a lock that is taken in a loop to "
      "wait: what it "
      "orders is taken from the order of this run, so that races may be missed",
      pc);
}

// A thread that takes a lock outside of units may count itself there. One that looks under the lock whether
// another has done something goes on after those who had the lock.
void Acquire(const void* lock, uintptr_t pc) {
  Thread& thread = Here();
  if (thread.rounds > 0 && Detecting() != nullptr && Detecting()->HasEdges()) {
    WarnOfOrder(pc);
    __taskrace_happens_after(LockIn(lock));
  }
  MakeAwareInChain();
  ++thread.locks;
  __taskrace_lock_acquired(LockIn(lock), 0);
}
void Release(const void* lock) {
  Thread& thread = Here();
  if (thread.locks > 0) --thread.locks;
  __taskrace_lock_released(LockIn(lock));
  if (thread.team->size > 1 && Detecting() != nullptr && Detecting()->HasEdges()) {
    __taskrace_happens_before(LockIn(lock));
  }
}

// What an omp_lock_t or omp_nest_lock_t points to.
struct Lock {
  const Thread* holder;  // null: it is free
  const Task* task;      // of the holder
  int32_t count;         // how often it has it
};

Lock* Made() { return new (Allocate<Lock>()) Lock{}; }

Lock& Of(void** lock, uintptr_t pc) {
  if (*lock == nullptr) Runtime().Fail("a lock is used that was not initialised", pc);
  return *static_cast<Lock*>(*lock);
}

// Threads run one after the other, so another holder has come to a barrier, or waits.
void CheckFree(const Lock& lock, uintptr_t pc) {
  const bool can_wait = Detecting() == nullptr || Detecting()->HasEdges();
  for (uint64_t rounds = 1; can_wait && lock.holder != nullptr && lock.task != Here().task;) {
    Yield(++rounds, pc);
  }
  if (lock.holder == nullptr) return;
  Runtime().Fail(lock.task == Here().task
                     ? "a thread waits for a lock that it holds: the program is deadlocked"
                     : "a thread waits for a lock that another one holds across a barrier or while "
                       "it creates a task: this version of taskrace cannot follow that",
                 pc);
}

void Take(void** address, Lock& lock, uintptr_t pc) {
  lock.holder = &Here();
  lock.task = Here().task;
  if (lock.count++ == 0) Acquire(address, pc);
}

void GiveBack(void** address, uintptr_t pc) {
  Lock& lock = Of(address, pc);
  if (lock.count == 0) {
    return Runtime().Warn("a lock is released that nobody holds", pc);
  }
  if (--lock.count > 0) return;
  lock.holder = nullptr;
  lock.task = nullptr;
  Release(address);
}

// Tags of edges are no addresses of the program.
constexpr uintptr_t kFirstTag = uintptr_t{1} << 56;
constexpr uintptr_t kFlushTag = kFirstTag - 1;

const void* Tag(uintptr_t number) { return reinterpret_cast<const void*>(number); }

// The first of the tags that belong to a loop of a team: the same for all its threads. `count`: so many.
uintptr_t TagsOf(uint64_t loop, bool is_doacross, uint64_t count) {
  struct Loop {
    uint64_t team;
    uint64_t number;
    uint64_t Hash() const { return Mix(team ^ Mix(number)); }
    bool operator==(const Loop&) const = default;
  };
  static constinit InternTable<Loop> loops;
  static constinit MappedArray<uintptr_t> first{"the loops with ordered iterations"};
  static constinit uintptr_t next = kFirstTag;
  const uint32_t number = loops.Intern({Here().team->number, loop << 1 | (is_doacross ? 1 : 0)});
  if (first.Size() <= number) {
    first.Resize(number + 1);
    first[number] = next;
    next += count;
  }
  return first[number];
}

const void* OrderedTag() { return Tag(TagsOf(Here().ordered_loops, false, 1)); }

// That of an iteration of a doacross loop; null: the iteration is not one of the loop.
const void* DoacrossTag(const int64_t* iteration) {
  const Thread& thread = Here();
  uint64_t number = 0, count = 1;
  for (int32_t i = 0; i < thread.doacross_dimensions; ++i) {
    const auto [low, high, step] = thread.doacross[i];
    if (step > 0 ? iteration[i] < low || iteration[i] > high
                 : iteration[i] > low || iteration[i] < high) {
      return nullptr;
    }
    const auto index_of = [low = low, step = step](int64_t value) {
      return step > 0 ? (static_cast<uint64_t>(value) - static_cast<uint64_t>(low)) /
                            static_cast<uint64_t>(step)
                      : (static_cast<uint64_t>(low) - static_cast<uint64_t>(value)) /
                            -static_cast<uint64_t>(step);
    };
    number = number * (index_of(high) + 1) + index_of(iteration[i]);
    count *= index_of(high) + 1;
  }
  return Tag(TagsOf(thread.doacross_loops, true, count) + number);
}

// So many in one phase of one thread are a wait in a loop.
constexpr uint64_t kMostFlushes = 10'000'000;

}  // namespace
}  // namespace taskrace::openmp

using namespace taskrace::openmp;

// ---- who runs it

OPENMP_ENTRY int32_t __kmpc_single(Ident*, int32_t) {
  Thread& thread = Here();
  if (thread.team->is_league) return 1;
  const auto size = static_cast<uint64_t>(thread.team->size);
  // Not always thread 0, which runs first: its other code would hide races of these blocks.
  if (static_cast<uint64_t>(thread.number) != size - 1 - thread.singles++ % size) return 0;
  BeginUnits({.count = 1, .index = taskrace::kSingleBlock}, OPENMP_CALLER);
  BeginUnit(0, 0);
  return 1;
}
OPENMP_ENTRY void __kmpc_end_single(Ident*, int32_t) { LeaveUnits(); }
OPENMP_ENTRY void __kmpc_copyprivate(Ident*, int32_t, size_t, void* data,
                                     void (*copy)(void* to, void* from), int32_t did_it) {
  Thread& thread = Here();
  if (thread.team->size == 1) return;
  if (did_it != 0) thread.team->copied = data;
  Barrier();
  if (did_it == 0) copy(data, thread.team->copied);
  Barrier();
}
OPENMP_ENTRY void* __kmpc_copyprivate_light(Ident*, int32_t, void* data) {
  Thread& thread = Here();
  if (thread.team->size == 1) return data;
  if (data != nullptr) thread.team->copied = data;
  Barrier();
  return thread.team->copied;
}
OPENMP_ENTRY int32_t __kmpc_master(Ident*, int32_t) {
  // In a region of one thread it tells nothing.
  if (Here().team->is_league || Here().team->size == 1) return 1;
  if (Here().number != 0) return 0;
  MakeAware();
  return 1;
}
OPENMP_ENTRY void __kmpc_end_master(Ident*, int32_t) {}
OPENMP_ENTRY int32_t __kmpc_masked(Ident*, int32_t, int32_t filter) {
  if ((Here().team->is_league ? 0 : Here().number) != filter) return 0;
  MakeAware();
  return 1;
}
OPENMP_ENTRY void __kmpc_end_masked(Ident*, int32_t) {}

// ---- mutual exclusion

OPENMP_ENTRY void __kmpc_critical(Ident*, int32_t, int32_t* name) { Acquire(name, OPENMP_CALLER); }
OPENMP_ENTRY void __kmpc_critical_with_hint(Ident*, int32_t, int32_t* name, uint32_t) {
  Acquire(name, OPENMP_CALLER);
}
OPENMP_ENTRY void __kmpc_end_critical(Ident*, int32_t, int32_t* name) { Release(name); }

// 1: the caller combines its copy with the variable, under the lock.
OPENMP_ENTRY int32_t __kmpc_reduce(Ident*, int32_t, int32_t, size_t, void*, void (*)(void*, void*),
                                   int32_t* lock) {
  __taskrace_lock_acquired(lock, 0);
  return 1;
}
OPENMP_ENTRY int32_t __kmpc_reduce_nowait(Ident*, int32_t, int32_t, size_t, void*,
                                          void (*)(void*, void*), int32_t* lock) {
  __taskrace_lock_acquired(lock, 0);
  return 1;
}
OPENMP_ENTRY void __kmpc_end_reduce(Ident*, int32_t, int32_t* lock) {
  __taskrace_lock_released(lock);
}
OPENMP_ENTRY void __kmpc_end_reduce_nowait(Ident*, int32_t, int32_t* lock) {
  __taskrace_lock_released(lock);
}

#define LOCKS(kind)                                                                       \
  OPENMP_ENTRY void omp_init_##kind(void** lock) { *lock = Made(); }                      \
  OPENMP_ENTRY void omp_init_##kind##_with_hint(void** lock, int32_t) { *lock = Made(); } \
  OPENMP_ENTRY void omp_destroy_##kind(void** lock) {                                     \
    if (*lock != nullptr) Free(*lock);                                                    \
    *lock = nullptr;                                                                      \
  }                                                                                       \
  OPENMP_ENTRY void omp_unset_##kind(void** lock) { GiveBack(lock, OPENMP_CALLER); }
LOCKS(lock)
LOCKS(nest_lock)

OPENMP_ENTRY void omp_set_lock(void** address) {
  Lock& lock = Of(address, OPENMP_CALLER);
  CheckFree(lock, OPENMP_CALLER);
  Take(address, lock, OPENMP_CALLER);
}
OPENMP_ENTRY int32_t omp_test_lock(void** address) {
  Lock& lock = Of(address, OPENMP_CALLER);
  if (lock.holder != nullptr) return 0;
  Take(address, lock, OPENMP_CALLER);
  return 1;
}
OPENMP_ENTRY void omp_set_nest_lock(void** address) {
  Lock& lock = Of(address, OPENMP_CALLER);
  if (lock.task != Here().task) CheckFree(lock, OPENMP_CALLER);
  Take(address, lock, OPENMP_CALLER);
}
OPENMP_ENTRY int32_t omp_test_nest_lock(void** address) {
  Lock& lock = Of(address, OPENMP_CALLER);
  if (lock.holder != nullptr && lock.task != Here().task) return 0;
  Take(address, lock, OPENMP_CALLER);
  return lock.count;
}

// ---- order

OPENMP_ENTRY void __kmpc_ordered(Ident*, int32_t) {
  if (Here().team->size > 1) __taskrace_happens_after(OrderedTag());
}
OPENMP_ENTRY void __kmpc_end_ordered(Ident*, int32_t) {
  if (Here().team->size > 1) __taskrace_happens_before(OrderedTag());
}
OPENMP_ENTRY void __kmpc_doacross_init(Ident*, int32_t, int32_t count, Dimension* dimensions) {
  Thread& thread = Here();
  auto* const copy = Allocate<Dimension>(static_cast<size_t>(count));
  memcpy(copy, dimensions, static_cast<size_t>(count) * sizeof(Dimension));
  thread.doacross = copy;
  thread.doacross_dimensions = count;
  thread.in_doacross = true;
  ++thread.doacross_loops;
}
OPENMP_ENTRY void __kmpc_doacross_post(Ident*, int32_t, int64_t* iteration) {
  if (Here().team->size > 1) {
    if (const void* tag = DoacrossTag(iteration)) __taskrace_happens_before(tag);
  }
}
OPENMP_ENTRY void __kmpc_doacross_wait(Ident*, int32_t, int64_t* iteration) {
  if (Here().team->size > 1) {
    if (const void* tag = DoacrossTag(iteration)) __taskrace_happens_after(tag);
  }
}
OPENMP_ENTRY void __kmpc_doacross_fini(Ident*, int32_t) {
  Thread& thread = Here();
  if (thread.doacross != nullptr) Free(const_cast<Dimension*>(thread.doacross));
  thread.doacross = nullptr;
  thread.in_doacross = false;
}

// Which write a thread waits for in a loop is not known here. So what a thread did before a flush counts as
// ordered before what others do after their next one, as it happened in this run: races may be missed, which is said.
OPENMP_ENTRY void __kmpc_flush(Ident*) {
  Thread& thread = Here();
  if (thread.team->size == 1) return;
  WarnOfOrder(OPENMP_CALLER);
  if (++thread.flushes == kMostFlushes) {
    Runtime().Fail(
        "a thread seems to wait in a loop for another one: this version of taskrace runs "
        "threads one after the other, and cannot follow that",
        OPENMP_CALLER);
  }
  __taskrace_happens_after(Tag(kFlushTag));
  __taskrace_happens_before(Tag(kFlushTag));
}
