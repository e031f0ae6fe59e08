// Teams, their logical threads, and the task that each of them runs.
//
// All threads of a team are coroutines of one operating system's thread. What a team does between two
// barriers is a phase: the task that made the team opens a finish, creates a task for each thread, which
// runs until its barrier or its end, and joins them. So barriers are ends of finishes, and the dag is
// series-parallel: docs/decisions/018-openmp.md.
//
// Thread rule: each operating system's thread has threads of its own; on others than the one that runs
// tasks, teams have one thread. Cost: a phase is a finish and an async a thread.
#pragma once

#include "exec/frontend.h"
#include "frontend/openmp/abi.h"

namespace taskrace::openmp {

inline Frontend& Runtime() {
  static Frontend* const frontend = __taskrace_frontend();
  return *frontend;
}
inline Executor* Detecting() { return Runtime().executor(); }

// Storage that no instrumented code sees before it is handed out.
template <class T>
T* Allocate(size_t count = 1) {
  return static_cast<T*>(__taskrace_state_storage(count * sizeof(T), 64));
}
inline void Free(void* storage) { __taskrace_state_free(storage); }

struct Team;
struct Thread;
struct ExplicitTask;
struct Taskgroup;
struct DependenceTable;

// The internal control variables of a task.
struct Variables {
  int32_t threads;
  int32_t most_active_levels;
  int32_t schedule;  // a Schedule
  int32_t chunk;
  bool dynamic;
};

// An implicit or explicit task.
struct Task {
  Variables variables;
  ExplicitTask* children = nullptr;        // that it has not waited for, the newest first
  Taskgroup* taskgroup = nullptr;          // the innermost one that it is in
  DependenceTable* dependences = nullptr;  // of its children
  ExplicitTask* as_explicit = nullptr;     // null: it is implicit
  bool is_final = false;
};

// What a thread knows of the loop that it asks for chunks.
struct Dispatch {
  uint64_t trips = 0;
  uint64_t chunk = 1;
  uint64_t next = 0;  // chunk
  uint64_t end = 0;
  uint64_t step = 1;  // from one chunk of this thread to its next
  int64_t low = 0;
  int64_t increment = 1;
};

// Units of a loop that are over, and parallel to what their thread does until its next barrier.
struct LeftUnits {
  LeftUnits* older;
  RunningLoop* units;
  uint64_t
      trips;  // of a static loop, else 0: the same thread has the same iterations of all loops with these trips
  uint64_t chunk;              // and this chunk
  const Taskgroup* taskgroup;  // that they are in
  UnitTasks tasks;             // that they are, if they are some
};

struct Thread {
  Team* team = nullptr;
  int32_t number = 0;
  int32_t identity =
      0;  // the same for the same place in all teams: whose threadprivate variables it has
  Coroutine* coroutine = nullptr;
  Task implicit;
  Task* task = nullptr;  // that it runs
  Dispatch dispatch;
  uint64_t singles = 0;  // regions that it has come to
  uint64_t ordered_loops = 0;
  uint64_t doacross_loops = 0;
  uint64_t flushes = 0;                 // since it began
  const Dimension* doacross = nullptr;  // of the loop that it is in
  int32_t doacross_dimensions = 0;
  bool in_doacross = false;
  int32_t wanted_threads = 0;  // by a num_threads clause, for the next region
  int32_t wanted_teams = 0;
  bool has_ended = false;
  bool has_yielded = false;   // it waits in a loop for others, in the middle of a phase
  uint64_t rounds = 0;        // of the loop in which it waits; 0: it is in none
  uint32_t locks = 0;         // that it holds
  bool is_aware = false;      // it has learnt who it is: its iterations are its own, in order
  bool has_units = false;     // it is in a loop whose iterations are units
  uint64_t unit_size = 1;     // iterations of the static loop that it is in
  uint64_t static_trips = 0;  // of it; 0: it is none that has the same iterations as another
  uint64_t static_chunk = 0;
  LeftUnits* left_units = nullptr;  // of this phase, the newest first
  bool next_is_paired = false;      // the next loop may have the same iterations as another one
  UnitTasks tasks;                  // of the loop that it is in, if its units are some
};

struct Team {
  Thread* threads = nullptr;
  int32_t size = 1;
  int32_t level = 0;         // parallel regions around it
  int32_t active_level = 0;  // those of more than one thread
  bool is_league = false;    // its threads are the initial threads of teams
  Thread* parent = nullptr;  // that made it
  Microtask microtask = nullptr;
  void** arguments = nullptr;
  size_t argument_count = 0;
  void* copied = nullptr;  // of copyprivate
  int32_t cancelled = 0;   // what of it is (cancellation.cc); 0: nothing
  uint64_t number = 0;     // among all teams; tags of its ordered loops are made from it
};

// The logical thread that runs here.
Thread& Here();

// Runs the microtask on each thread of a new team. `pc`: where the program called the runtime.
void Fork(Microtask microtask, void** arguments, size_t count, uintptr_t pc);
// The same on the initial threads of a league.
void ForkTeams(Microtask microtask, void** arguments, size_t count, uintptr_t pc);
// A region of one thread begins and ends around the caller.
void BeginSerial();
void EndSerial();
// All threads of the team come here, and all of their tasks end, before one goes on.
void Barrier();
// The thread waits in a loop: others go on first. Fails if that cannot help. `rounds`: how often it has waited already.
void Yield(uint64_t rounds, uintptr_t pc);
// What Team::cancelled is if the whole region is.
constexpr int32_t kWholeRegion = 1;
// How many threads the next region has.
int32_t SizeOfNextTeam(int32_t wanted);
// Iterations of a loop begin: those that the thread runs are units, if nobody could tell which they are.
struct Units {
  uint64_t count;      // at most
  uint64_t size = 1;   // iterations of a unit of a static loop
  int64_t index = 0;   // what reports call the first one
  uint64_t trips = 0;  // of a loop with a static schedule, else 0
  uint64_t chunk = 0;  // a unit of an earlier loop with the same trips and chunk precedes its like
  uint64_t first = 0;  // unit of the thread, of such a loop
  uint64_t distance = 1;  // to its next one
};
void BeginUnits(const Units& units, uintptr_t pc);
// The unit with this iteration begins or goes on. `stack_pointer`: what lies below is dead.
void BeginUnit(uint64_t iteration, uintptr_t stack_pointer);
// The loop is over: its units are parallel to what follows, up to the next barrier.
void LeaveUnits();
// The units of loops inside of the taskgroup, or of all, precede what follows. in_phase: the thread goes on before the
// finish that they are in ends.
void JoinUnits(const Taskgroup* taskgroup, bool in_phase = false);
// The running thread learns who it is, so what it does from now on is not done by any other.
void MakeAware();
// The same, for what makes a thread known only outside of units: a lock that counts threads.
void MakeAwareInChain();

// The number that is the same for this thread of the team in every region.
int32_t IdentityOf(int32_t parent, int32_t number);

// The thread of the team around which the level is; null: there is none.
const Thread* AncestorAt(int32_t level);
// The initial thread of the league that the running thread is in; null: there is none.
const Thread* InitialOfLeague();

}  // namespace taskrace::openmp
