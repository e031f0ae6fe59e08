// ParallelChecker: the checker of a parallel run. What the workers share, and what the runtime asks of
// the worker that the calling thread is.
//
// A free, and a variable whose lifetime ends, are writes; the bytes are forgotten when they are used
// again. A heap block is given back when every worker has told what it did before (quarantine.h); a
// variable's place is used again at once, for a stack belongs to one worker.
//
// Thread rule: any worker (worker_hooks.h); reports may be written by any thread.
// Cost:       the parts'. Locks cost a spin lock each, and so does comparing two sets that are not empty.
// Tested by:  test/detect/parallel_checker_test.cc, test/oracle/generated_programs_test.sh
#pragma once

#include "detect/checker.h"
#include "detect/ds/spin_lock.h"
#include "detect/lock_sets.h"
#include "detect/parallel/worker_hooks.h"
#include "detect/race_places.h"

namespace taskrace {

class ParallelChecker final : public Checker, public ParallelHost {
 public:
  using Worker = WorkerHooks::Worker;

  // release(first): the heap block may be used again; called by any worker.
  ParallelChecker(RaceSink& sink, void (*release)(uintptr_t first), bool reports_lock_order)
      : sink_(sink), release_(release), reports_lock_order_(reports_lock_order) {}

  // For the constructor of a Worker.
  ParallelDetection& detection() { return detection_; }
  SharedContexts& contexts() { return contexts_; }

  // From now on the worker's numbers are in the statistics.
  void Add(Worker& worker) {
    worker.next = workers_.load();
    while (!workers_.compare_exchange_weak(worker.next, &worker)) continue;
  }

  // Of one count, what all workers have; while they run, about that.
  uint64_t Sum(uint64_t ParallelWorker::Counts::* count) const {
    uint64_t sum = 0;
    for (const Worker* worker = workers_; worker != nullptr; worker = worker->next) {
      sum += worker->detector.GetCounts().*count;
    }
    return sum;
  }

  // The numbers of tasks are those of their nodes; a loop is a task to those who ask for its iterations.
  TaskId TaskOf(TaskTree::Node node) const {
    const TaskTree::Node task = detection_.tree.TaskOf(node);
    return detection_.tree.IsRoot(task) ? kRootTask : TaskId{static_cast<uint32_t>(task)};
  }

  void Access(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc,
              Operation operation) override {
    Worker& worker = *WorkerHooks::Current();
    const Where where = worker.Here(pc, operation);
    worker.running.NoteTouched(first);
    if (operation == Operation::kPlain) {
      worker.detector.Access(kind, first, size, where);
    } else {
      worker.detector.AccessNow(kind, first, size, where);
    }
  }
  void Retire(uintptr_t first, size_t size, uintptr_t pc, Operation operation) override {
    Worker& worker = *WorkerHooks::Current();
    worker.detector.Access(AccessKind::kWrite, first, size, worker.Here(pc, operation));
  }
  bool Free(uintptr_t first, size_t size, uintptr_t pc, bool checked) override {
    Worker& worker = *WorkerHooks::Current();
    if (checked) {
      worker.detector.Retire(first, size, worker.Here(pc, Operation::kFree));
    } else {
      worker.detector.Withdraw(first, size);
    }
    return true;
  }
  void Clear(uintptr_t first, size_t size) override {
    WorkerHooks::Current()->detector.Clear(first, size);
  }
  void Locked(uintptr_t lock, bool shared) override {
    Worker& worker = *WorkerHooks::Current();
    {
      const SpinLock::Guard guard(lock_sets_busy_);
      worker.running.locks = lock_sets_.With(worker.running.locks, lock, shared);
    }
    worker.detector.SetLocks(worker.running.locks);
  }
  void Unlocked(uintptr_t lock) override {
    Worker& worker = *WorkerHooks::Current();
    {
      const SpinLock::Guard guard(lock_sets_busy_);
      worker.running.locks = lock_sets_.Without(worker.running.locks, lock);
    }
    worker.detector.SetLocks(worker.running.locks);
  }
  void Flush() override {
    if (Worker* worker = WorkerHooks::Current()) worker->detector.Tell();
  }
  bool CanFlush() const override {
    const Worker* worker = WorkerHooks::Current();
    return !SpinLock::IsHeldHere() && (worker == nullptr || !worker->detector.IsInside());
  }
  const AccessHooks& Hooks() const override { return WorkerHooks::kHooks; }

  Where Here(uintptr_t pc) override { return WorkerHooks::Current()->Here(pc); }
  Contexts::Site SiteOf(Where where) const override { return contexts_[where]; }
  size_t StackOf(Where where, std::span<uintptr_t> frames) const override {
    return WriteStack(contexts_, where, frames);
  }
  TaskId CreatorOf(TaskId task) const override {
    return TaskOf(detection_.tree.CreatorOf(TaskTree::Node{Index(task)}));
  }
  bool IterationOf(TaskId task, int64_t& number) const override {
    const TaskTree& tree = detection_.tree;
    const TaskTree::Node node{Index(task)};
    if (task == kRootTask || !tree.WasIteration(node)) return false;
    number = tree.IndexOf(tree.Parent(node), Index(tree.First(node)));
    return true;
  }
  bool IsLoop(TaskId task) const override {
    return task != kRootTask && detection_.tree.IsLoop(TaskTree::Node{Index(task)});
  }
  Where CreatedAt(TaskId task) const override {
    return detection_.tree.CreatedAt(TaskTree::Node{Index(task)});
  }
  bool Disjoint(LockSet a, LockSet b) const override {
    const SpinLock::Guard guard(lock_sets_busy_);
    return lock_sets_.Disjoint(a, b);
  }
  size_t LocksOf(LockSet locks, std::span<uintptr_t> addresses) const override {
    const SpinLock::Guard guard(lock_sets_busy_);
    return lock_sets_.Addresses(locks, addresses);
  }

  const char* EngineName() const override { return "dpst"; }
  OutsideClass Left() const override { return nullptr; }
  const char* HistoryName() const override { return "shadow"; }
  Statistics GetStatistics() const override {
    Statistics sum{.tasks = Sum(&ParallelWorker::Counts::tasks),
                   .loops = Sum(&ParallelWorker::Counts::loops),
                   .iterations = Sum(&ParallelWorker::Counts::iterations),
                   .iterations_as_tasks = Sum(&ParallelWorker::Counts::iterations_as_tasks),
                   .whole_loop_rows = Sum(&ParallelWorker::Counts::whole_rows),
                   .queries = Sum(&ParallelWorker::Counts::queries),
                   .engine_bytes = detection_.tree.BytesUsed(),
                   .history_bytes = detection_.records.BytesUsed() + detection_.history.BytesUsed(),
                   .context_bytes = contexts_.BytesUsed()};
    for (const Worker* worker = workers_; worker != nullptr; worker = worker->next) {
      sum.history_bytes += worker->detector.ShadowBytes() + worker->detector.PlaceBytes();
    }
    return sum;
  }

  // As ParallelHost.
  void OnRace(const ParallelRace& race) override {
    const auto access = [](const ParallelSide& side) {
      return RacingAccess{side.record.strand, side.kind, side.locks};
    };
    const auto side = [this](const ParallelSide& side) {
      const Contexts::Site site = contexts_[side.where];
      const auto [node, strand] = side.record.step;
      detection_.tree.Keep(detection_.tree.TaskOf(node));
      RaceSide said{TaskOf(node),
                    Intern(Contexts::Site(site.pc, site.context, side.size, site.operation()))};
      // A part of a loop that is one strand has none of its numbers.
      said.is_iteration = detection_.tree.IsLoop(node) && Index(strand) < ParallelLoop::kFirstPart;
      if (said.is_iteration) said.iteration = detection_.tree.IndexOf(node, Index(strand));
      return said;
    };
    sink_.OnRace({race.first, race.size, access(race.earlier), access(race.later)},
                 side(race.earlier), side(race.later));
  }
  bool MayRace(LockSet a, LockSet b) override { return reports_lock_order_ || Disjoint(a, b); }
  AccessLog::Found PartWith(uintptr_t byte, const AccessLog::Found& found) override {
    const Contexts::Site site = contexts_[found.code];
    if (site.operation() != Operation::kParts) return found;
    AccessLog::Found part = found;
    const uintptr_t pc = FindPart(site, byte, part);
    part.code = Intern(Contexts::Site(pc, site.context, 0, Operation::kPlain));
    return part;
  }
  bool HasParts(Where code) override { return contexts_[code].operation() == Operation::kParts; }
  void Release(const Quarantine::Block& block) override { release_(block.first); }

 private:
  static Where Intern(const Contexts::Site& site) {
    return WorkerHooks::Current()->contexts.Intern(site);
  }

  RaceSink& sink_;
  void (*const release_)(uintptr_t);
  const bool reports_lock_order_;
  ParallelDetection detection_{*this};
  SharedContexts contexts_;
  std::atomic<Worker*> workers_{nullptr};
  mutable SpinLock lock_sets_busy_;
  LockSets lock_sets_;
};

}  // namespace taskrace
