#include "frontend/openmp/team.h"

#include <string.h>

#include <new>
#include <utility>

#include "frontend/openmp/settings.h"
#include "frontend/openmp/tasks.h"
#include "frontend/openmp/thread_locals.h"

namespace taskrace::openmp {
namespace {

// Calls function(gtid, btid, arguments[0], ...). Requires: the array has at least four elements.
__attribute__((naked)) void Call(Microtask function, int32_t* gtid, int32_t* btid, void** arguments,
                                 size_t count) {
  asm(R"(
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rax
    movq %rcx, %r10
    movq %r8, %r11
    movq %rsi, %rdi
    movq %rdx, %rsi
    cmpq $4, %r11
    jbe 2f
    testq $1, %r11
    je 1f
    subq $8, %rsp
  1:
    pushq -8(%r10,%r11,8)
    decq %r11
    cmpq $4, %r11
    ja 1b
  2:
    movq (%r10), %rdx
    movq 8(%r10), %rcx
    movq 16(%r10), %r8
    movq 24(%r10), %r9
    movq %rax, %r11
    xorl %eax, %eax
    callq *%r11
    leave
    .cfi_def_cfa %rsp, 8
    retq
  )");
}

constexpr size_t kRegisterArguments = 4;

// An operating system's thread as a team of one.
struct Initial {
  Team team;
  Thread thread;
};

constinit thread_local Thread* here = nullptr;
constinit uint64_t teams_ever = 0;

Thread& MakeInitial() {
  auto* const initial = new (Allocate<Initial>()) Initial;
  initial->team.threads = &initial->thread;
  initial->thread.team = &initial->team;
  initial->thread.implicit.variables = TheSettings().variables;
  initial->thread.task = &initial->thread.implicit;
  return initial->thread;
}

// Sets what a new thread has. `running`: the task that makes the team.
void Init(Thread& thread, Team& team, int32_t number, const Task& running) {
  thread.team = &team;
  thread.number = number;
  thread.identity = IdentityOf(team.parent->identity, number);
  thread.implicit.variables = running.variables;
  thread.implicit.is_final = false;
  thread.task = &thread.implicit;
}

// The whole of a thread, on its stack.
void RunThread(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  int32_t gtid = thread.identity;
  int32_t btid = thread.number;
  Call(thread.team->microtask, &gtid, &btid, thread.team->arguments, thread.team->argument_count);
  LeaveUnits();
  JoinUnits(nullptr);
}

// One phase of a thread, as a task.
void RunPhase(void* argument) {
  Thread& thread = **static_cast<Thread**>(argument);
  Thread* const caller = here;
  here = &thread;
  Runtime().SetThread(static_cast<uint32_t>(thread.number),
                      static_cast<uint32_t>(thread.team->size),
                      static_cast<uint32_t>(thread.identity));
  SwitchThreadLocals(caller->identity, thread.identity);
  thread.has_ended = Runtime().Resume(thread.coroutine);
  SwitchThreadLocals(thread.identity, caller->identity);
  here = caller;
}

// The thread runs until it ends, comes to a barrier, or yields.
void RunAsTask(Thread* thread, uintptr_t pc) {
  Executor* const executor = Detecting();
  if (executor == nullptr) return RunPhase(&thread);
  void* const closure = executor->Storage(sizeof(Thread*), alignof(Thread*));
  memcpy(closure, &thread, sizeof(thread));
  executor->Async(RunPhase, closure, pc);
}

void RunPhases(Team& team, uintptr_t pc) {
  Executor* const executor = Detecting();
  for (int32_t running = team.size; running > 0;) {
    __taskrace_group phase = {};
    if (executor != nullptr) executor->FinishBegin(&phase, pc);
    for (int32_t i = 0; i < team.size; ++i) {
      if (!team.threads[i].has_ended) RunAsTask(&team.threads[i], pc);
    }
    // Those that wait for others go on in turn, until all are at the barrier.
    for (bool some_wait = true; some_wait;) {
      some_wait = false;
      for (int32_t i = 0; i < team.size; ++i) {
        if (!team.threads[i].has_yielded) continue;
        some_wait = true;
        RunAsTask(&team.threads[i], pc);
      }
    }
    if (executor != nullptr) executor->FinishEnd(&phase, pc);
    running = 0;
    for (int32_t i = 0; i < team.size; ++i) running += team.threads[i].has_ended ? 0 : 1;
  }
}

void RunTeam(int32_t size, bool is_league, Microtask microtask, void** arguments, size_t count,
             uintptr_t pc) {
  Thread& parent = Here();
  Team team;
  team.size = size;
  team.level = is_league ? 0 : parent.team->level + 1;
  team.active_level = is_league ? 0 : parent.team->active_level + (size > 1 ? 1 : 0);
  team.is_league = is_league;
  team.parent = &parent;
  team.microtask = microtask;
  team.arguments = arguments;
  team.argument_count = count;
  team.number = ++teams_ever;
  team.threads = Allocate<Thread>(static_cast<size_t>(size));
  for (int32_t i = 0; i < size; ++i) {
    Init(*new (&team.threads[i]) Thread, team, i, *parent.task);
  }
  if (size == 1) {
    here = &team.threads[0];
    RunThread(here);
    here = &parent;
  } else {
    Runtime().CountRegion(static_cast<uint32_t>(size));
    for (int32_t i = 0; i < size; ++i) {
      team.threads[i].coroutine = Runtime().Begin(RunThread, &team.threads[i]);
    }
    RunPhases(team, pc);
  }
  for (int32_t i = 0; i < size; ++i) ForgetChildren(team.threads[i].implicit);
  Free(team.threads);
}

}  // namespace

// A thread inherits what its parent has learnt: addresses that it computed from its number.
bool IsInAwareThread(const Thread& thread) {
  for (const Thread* parent = thread.team->parent; parent != nullptr;
       parent = parent->team->parent) {
    if (parent->is_aware) return true;
  }
  return false;
}

Thread& Here() {
  if (here == nullptr) [[unlikely]]
    here = &MakeInitial();
  return *here;
}

int32_t SizeOfNextTeam(int32_t wanted) {
  const Thread& thread = Here();
  const Variables& variables = thread.task->variables;
  if (!Runtime().IsHere()) return 1;
  if (thread.team->active_level >= variables.most_active_levels) return 1;
  const int32_t threads = wanted > 0 ? wanted : variables.threads;
  return threads < TheSettings().thread_limit ? threads : TheSettings().thread_limit;
}

void Fork(Microtask microtask, void** arguments, size_t count, uintptr_t pc) {
  Thread& thread = Here();
  const int32_t wanted = thread.wanted_threads;
  thread.wanted_threads = 0;
  RunTeam(SizeOfNextTeam(wanted), false, microtask, arguments, count, pc);
}

void ForkTeams(Microtask microtask, void** arguments, size_t count, uintptr_t pc) {
  Thread& thread = Here();
  const int32_t wanted = thread.wanted_teams;
  thread.wanted_teams = 0;
  const int32_t size = wanted > 0 ? wanted : TheSettings().teams;
  RunTeam(Runtime().IsHere() ? size : 1, true, microtask, arguments, count, pc);
}

void BeginSerial() {
  Thread& parent = Here();
  parent.wanted_threads = 0;
  auto* const serial = new (Allocate<Initial>()) Initial;
  Team& team = serial->team;
  team.level = parent.team->level + 1;
  team.active_level = parent.team->active_level;
  team.parent = &parent;
  team.threads = &serial->thread;
  team.number = ++teams_ever;
  Init(serial->thread, team, 0, *parent.task);
  serial->thread.coroutine = parent.coroutine;
  here = &serial->thread;
}

void EndSerial() {
  Thread& thread = Here();
  here = thread.team->parent;
  ForgetChildren(thread.implicit);
  Free(thread.team);  // the first part of an Initial
}

// Joins the first ones of the list, and takes them out of it. Returns the tasks that they are.
static uint32_t* JoinOne(LeftUnits** list) {
  LeftUnits* const left = *list;
  *list = left->older;
  Detecting()->UnitsJoin(left->units);
  uint32_t* const tasks = left->tasks.made;
  Free(left);
  return tasks;
}

// So many units are tasks in a run. Later ones are in order with all units that their thread has run in loops of the same shape.
constexpr uint64_t kMostUnitTasks = uint64_t{1} << 20;
constinit uint64_t unit_tasks_ever = 0;

// The tasks that the thread's units of this loop are. `before`: those of the loop before it, or null.
static UnitTasks TasksOf(Thread& thread, const Units& units, uint32_t* before) {
  const bool is_paired = std::exchange(thread.next_is_paired, false);
  UnitTasks tasks{nullptr, before, units.count, units.first, units.distance};
  if (units.trips == 0 || !is_paired || unit_tasks_ever + units.count > kMostUnitTasks) {
    return tasks;
  }
  unit_tasks_ever += units.count;
  tasks.made = Allocate<uint32_t>(units.count);
  memset(tasks.made, 0, units.count * sizeof(uint32_t));
  return tasks;
}

static void FreeTasks(UnitTasks& tasks) {
  if (tasks.made != nullptr) Free(tasks.made);
  if (tasks.before != nullptr) Free(tasks.before);
  tasks = {};
}

void BeginUnits(const Units& units, uintptr_t pc) {
  Thread& thread = Here();
  if (thread.team->size == 1) return;
  LeaveUnits();  // of a loop that was cancelled
  const uint64_t trips = units.trips, chunk = units.chunk;
  thread.unit_size = units.size;
  Executor* const executor = Detecting();
  if (executor == nullptr) return;
  uint32_t* before = nullptr;
  for (LeftUnits** at = &thread.left_units; trips != 0 && *at != nullptr;) {
    if ((*at)->trips == trips && (*at)->chunk == chunk) {
      before = JoinOne(at);
    } else {
      at = &(*at)->older;
    }
  }
  thread.tasks = TasksOf(thread, units, before);
  thread.static_trips = trips;
  thread.static_chunk = chunk;
  if (!thread.is_aware && !IsInAwareThread(thread) && thread.task == &thread.implicit) {
    if (thread.tasks.made == nullptr) executor->UnitTasksGet(before, units.count, pc);
    executor->UnitsBegin(units.count, units.index, pc,
                         thread.tasks.made == nullptr ? UnitTasks{} : thread.tasks);
  } else {
    executor->UnitTasksGet(before, units.count, pc);
  }
  thread.has_units = executor->HasUnits();
  if (!thread.has_units) FreeTasks(thread.tasks);
  Runtime().CountLoop(thread.has_units);
}

void BeginUnit(uint64_t iteration, uintptr_t stack_pointer) {
  // A loop of a region of one thread inside of a unit is a part of the unit.
  const Thread& thread = Here();
  if (!thread.has_units) return;
  Detecting()->Unit(iteration - iteration % thread.unit_size, stack_pointer);
}

void LeaveUnits() {
  Thread& thread = Here();
  if (!thread.has_units) return;
  thread.has_units = false;
  RunningLoop* const units = Detecting()->UnitsLeave();
  if (units == nullptr) return FreeTasks(thread.tasks);
  UnitTasks tasks = std::exchange(thread.tasks, {});
  if (tasks.before != nullptr) Free(std::exchange(tasks.before, nullptr));
  thread.left_units = new (Allocate<LeftUnits>())
      LeftUnits{thread.left_units,      units, thread.static_trips, thread.static_chunk,
                thread.task->taskgroup, tasks};
}

void JoinUnits(const Taskgroup* taskgroup, bool in_phase) {
  Thread& thread = Here();
  while (thread.left_units != nullptr &&
         (taskgroup == nullptr || thread.left_units->taskgroup == taskgroup)) {
    const size_t count = thread.left_units->tasks.count;
    uint32_t* const tasks = JoinOne(&thread.left_units);
    if (tasks == nullptr) continue;
    if (in_phase) Detecting()->UnitTasksGet(tasks, count, 0);
    Free(tasks);
  }
}

void MakeAware() {
  Thread* thread = &Here();
  while (thread->team->size == 1 && thread->team->parent != nullptr) thread = thread->team->parent;
  if (thread->is_aware || thread->team->size == 1) return;
  thread->is_aware = true;
  if (!thread->has_units) return;
  thread->has_units = false;
  if (Detecting()->HasUnits()) {
    Runtime().CountLoop(false);
    Detecting()->UnitsEnd();
  }
  FreeTasks(thread->tasks);
}

void MakeAwareInChain() {
  Executor* const executor = Detecting();
  // Nor does a task tell that may be run by any thread.
  const ExplicitTask* const task = Here().task->as_explicit;
  if (task != nullptr && task->future.task != 0) return;
  if (executor != nullptr && !executor->HasUnits()) MakeAware();
}

void Barrier() {
  Thread& thread = Here();
  if (thread.team->size == 1 || thread.team->is_league) return;
  LeaveUnits();
  JoinUnits(nullptr);
  ForgetChildren(thread.implicit);
  Runtime().Leave(thread.coroutine);
}

// So often all others have had their turn.
constexpr uint64_t kMostRounds = 10'000;

void Yield(uint64_t rounds, uintptr_t pc) {
  Thread& thread = Here();
  if (rounds > kMostRounds) {
    Runtime().Fail(
        "a thread waits in a loop for something that no other thread does: the program is "
        "deadlocked, or waits in a way that this version of taskrace cannot follow",
        pc);
  }
  // In the middle of a task, or with a lock, it cannot be left.
  if (thread.team->size == 1 || thread.team->is_league || thread.task != &thread.implicit ||
      thread.implicit.taskgroup != nullptr || thread.locks > 0) {
    return;
  }
  LeaveUnits();
  JoinUnits(nullptr, /*in_phase=*/true);
  Executor* const executor = Detecting();
  PromiseId edge{};
  if (executor != nullptr) edge = executor->SetEdge(pc);
  thread.has_yielded = true;
  Runtime().Leave(thread.coroutine);
  thread.has_yielded = false;
  if (executor != nullptr) executor->GetEdge(edge, pc);
}

const Thread* AncestorAt(int32_t level) {
  const Thread* thread = &Here();
  if (level < 0 || level > thread->team->level) return nullptr;
  while (thread->team->level > level) thread = thread->team->parent;
  return thread;
}

const Thread* InitialOfLeague() {
  const Thread* thread = &Here();
  while (thread != nullptr && !thread->team->is_league) thread = thread->team->parent;
  return thread;
}

}  // namespace taskrace::openmp

using namespace taskrace::openmp;

namespace {

// The pointers that follow in the list of arguments, padded for Call.
#define COPY_ARGUMENTS(last)                                                                \
  void** const arguments = static_cast<void**>(                                             \
      __builtin_alloca((static_cast<size_t>(count) + kRegisterArguments) * sizeof(void*))); \
  memset(arguments, 0, (static_cast<size_t>(count) + kRegisterArguments) * sizeof(void*));  \
  __builtin_va_list list;                                                                   \
  __builtin_va_start(list, last);                                                           \
  for (int32_t i = 0; i < count; ++i) arguments[i] = __builtin_va_arg(list, void*);         \
  __builtin_va_end(list)

}  // namespace

OPENMP_ENTRY void __kmpc_fork_call(Ident*, int32_t count, Microtask microtask, ...) {
  COPY_ARGUMENTS(microtask);
  Fork(microtask, arguments, static_cast<size_t>(count), OPENMP_CALLER);
}
OPENMP_ENTRY void __kmpc_fork_call_if(Ident*, int32_t count, Microtask microtask, int32_t condition,
                                      void* argument) {
  void* arguments[kRegisterArguments] = {argument};
  if (condition == 0) Here().wanted_threads = 1;
  Fork(microtask, arguments, static_cast<size_t>(count), OPENMP_CALLER);
}
OPENMP_ENTRY void __kmpc_fork_teams(Ident*, int32_t count, Microtask microtask, ...) {
  COPY_ARGUMENTS(microtask);
  ForkTeams(microtask, arguments, static_cast<size_t>(count), OPENMP_CALLER);
}
OPENMP_ENTRY void __kmpc_push_num_threads(Ident*, int32_t, int32_t threads) {
  Here().wanted_threads = threads;
}
OPENMP_ENTRY void __kmpc_push_num_teams(Ident*, int32_t, int32_t teams, int32_t) {
  Here().wanted_teams = teams;
}
OPENMP_ENTRY void __kmpc_push_num_teams_51(Ident*, int32_t, int32_t, int32_t most, int32_t) {
  Here().wanted_teams = most;
}
OPENMP_ENTRY void __kmpc_set_thread_limit(Ident*, int32_t, int32_t) {}
OPENMP_ENTRY void __kmpc_push_proc_bind(Ident*, int32_t, int32_t) {}
OPENMP_ENTRY void __kmpc_serialized_parallel(Ident*, int32_t) { BeginSerial(); }
OPENMP_ENTRY void __kmpc_end_serialized_parallel(Ident*, int32_t) { EndSerial(); }
OPENMP_ENTRY int32_t __kmpc_global_thread_num(Ident*) { return Here().identity; }
OPENMP_ENTRY int32_t __kmpc_bound_thread_num(Ident*) { return Here().number; }
OPENMP_ENTRY int32_t __kmpc_bound_num_threads(Ident*) { return Here().team->size; }
OPENMP_ENTRY int32_t __kmpc_in_parallel(Ident*) { return Here().team->active_level > 0; }
OPENMP_ENTRY int32_t __kmpc_ok_to_fork(Ident*) { return 1; }
OPENMP_ENTRY void __kmpc_begin(Ident*, int32_t) {}
OPENMP_ENTRY void __kmpc_end(Ident*) {}
OPENMP_ENTRY void __kmpc_barrier(Ident*, int32_t) { Barrier(); }

// The pass calls it before what tells a thread who it is and is no function of ours (openmp_loops.h): also in units,
// or only outside of them.
OPENMP_ENTRY void __taskrace_aware(int32_t in_units) noexcept {
  in_units != 0 ? MakeAware() : MakeAwareInChain();
}
// And in each iteration of a worksharing loop. The caller's stack ends where the return address was pushed.
OPENMP_ENTRY void __taskrace_unit(uint64_t iteration, int32_t) noexcept {
  BeginUnit(iteration, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) + 16);
}
// Before a loop whose iterations a thread runs in a row, and before the checks that have left it. Such a loop need not
// call the one above in each iteration.
OPENMP_ENTRY void __taskrace_units_begin(uint64_t first, uint64_t count) noexcept {
  if (taskrace::Executor* const executor = Detecting())
    executor->UnitsRun(first, count, Here().has_units);
}

// Before a static loop, if there may be another one, before or after it, and no barrier between them.
OPENMP_ENTRY void __taskrace_paired_units() noexcept { Here().next_is_paired = true; }

// And where a loop begins that waits for others, and where it is over.
OPENMP_ENTRY void __taskrace_wait(int32_t goes_on) noexcept {
  Thread& thread = Here();
  if (goes_on == 0 || thread.team->size == 1) {
    thread.rounds = 0;
    return;
  }
  if (thread.rounds++ > 0) Yield(thread.rounds, OPENMP_CALLER);
}
