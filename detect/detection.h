// Detection: the checker of a serial run, whatever engine and history are inside, as the executor sees
// it: constructs come in the order of reachability.h.
//
// Thread rule: the one worker that runs the tasks. Cost: the engine's and the history's.
#pragma once

#include "detect/checker.h"
#include "detect/ds/mapped_array.h"
#include "detect/lock_sets.h"
#include "detect/loop_table.h"
#include "detect/reach/reachability.h"
#include "detect/task_table.h"

namespace taskrace {

// What runs now, and what reports need to say about it later.
struct Execution : Running {
  StrandId strand = kNoStrand;
  // The same as the engine knows it: while an iteration of a loop runs, the loop creator's.
  StrandId engine_strand = kNoStrand;
  bool reports_lock_order = false;
  Contexts contexts;
  LockSets lock_sets;
  TaskTable tasks;
  LoopTable loops;
  // Tables of fewer bytes are not collected (table_collection.h). 0: collected at every construct.
  size_t small_tables = size_t{8} << 20;
  RaceSink* sink = nullptr;
  // Races of which no join is known yet after which both strands are over. The strands are not forgotten.
  struct OpenRace {
    size_t number;  // the sink's
    StrandId earlier;
    StrandId later;
  };
  MappedArray<OpenRace> open_races;
};

class Detection : public Checker {
 public:
  explicit Detection(Execution& execution) : execution_(execution) {}

  // The constructs, as in reachability.h. Each ends the current strand; `strand` is the next one.
  virtual void OnStart(TaskId task, GroupId finish, StrandId strand) = 0;
  virtual OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group,
                                StrandId strand) = 0;
  virtual OutsideClass OnEnd(TaskId task) = 0;
  virtual void OnProceed(TaskId task, StrandId strand) = 0;
  virtual OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) = 0;
  virtual OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                              StrandId strand) = 0;
  virtual OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) = 0;
  virtual OutsideClass OnBlock(TaskId task) = 0;
  virtual OutsideClass OnSet(TaskId task, PromiseId promise) = 0;
  virtual OutsideClass OnGetPromise(TaskId task, PromiseId promise, StrandId strand) = 0;
  virtual void OnOver(PromiseId) {}
  // Parallel loops. OnLoop: one begins; OnCreate and OnEnd of the task that stands for its iterations follow, and
  // OnProceed. OnPart: some of its iterations run from now on. OnIteration: the running strand is over, and
  // that of iteration k begins. OnPartEnd: the part is over. Between them an iteration may become a
  // task, by OnCreate; then OnEnd and OnProceed of the creator come before the next iteration.
  virtual void OnLoop() = 0;
  virtual void OnPart(TaskId creator, GroupId group) = 0;
  // Accesses that were moved out of a loop follow: of the part's iterations, or, if these are no strands, of the
  // strand that runs.
  virtual void OnRun(bool are_iterations) = 0;
  virtual void OnIteration(uint64_t k) = 0;
  virtual void OnPartEnd(GroupId group) = 0;
  // Does the strand, which ran earlier, precede the one that runs now?
  virtual bool Precedes(StrandId strand) = 0;
  // Can a task that blocks be switched out?
  virtual bool Switches() const = 0;

  bool Free(uintptr_t first, size_t size, uintptr_t pc, bool checked) override {
    if (checked) {
      Access(AccessKind::kWrite, first, size, pc, Operation::kFree);
    } else {
      Clear(first, size);
    }
    return false;
  }
  void Locked(uintptr_t lock, bool shared) override {
    Flush();
    execution_.locks = execution_.lock_sets.With(execution_.locks, lock, shared);
  }
  void Unlocked(uintptr_t lock) override {
    Flush();
    execution_.locks = execution_.lock_sets.Without(execution_.locks, lock);
  }

  Where Here(uintptr_t pc) override {
    return execution_.contexts.Intern(__taskrace_top, pc, 0, Operation::kPlain);
  }
  Contexts::Site SiteOf(Where where) const override { return execution_.contexts[where]; }
  size_t StackOf(Where where, std::span<uintptr_t> frames) const override {
    return WriteStack(execution_.contexts, where, frames);
  }
  TaskId CreatorOf(TaskId task) const override { return execution_.tasks.Creator(task); }
  Where CreatedAt(TaskId task) const override { return execution_.tasks.CreatedAt(task); }
  bool IsLoop(TaskId task) const override { return execution_.tasks.IsLoop(task); }
  bool IterationOf(TaskId task, int64_t& number) const override {
    return execution_.loops.NumberOf(task, number);
  }
  bool ThreadOf(TaskId task, uint32_t& number, uint32_t& team_size) const override {
    const TaskTable::Thread thread = execution_.tasks.ThreadOf(task);
    number = thread.number;
    team_size = thread.team_size;
    return team_size != 0;
  }
  bool Disjoint(LockSet a, LockSet b) const override { return execution_.lock_sets.Disjoint(a, b); }
  size_t LocksOf(LockSet locks, std::span<uintptr_t> addresses) const override {
    return execution_.lock_sets.Addresses(locks, addresses);
  }

  Execution& execution() { return execution_; }

 protected:
  ~Detection() = default;
  Execution& execution_;
};

}  // namespace taskrace
