// Parallel executor: oneTBB runs the tasks, on as many threads as it has; each of them is a worker of
// the detector while it runs one.
//
// A task begins and ends on one thread. A thread that waits for a group may run other tasks meanwhile,
// on top of the waiting one: what belongs to that is put aside and back. Between tasks, and while
// the scheduler is at work, a thread is nobody's: it tells nothing, and its allocations are not the
// program's.
//
// A thread that has kMostWaiting tasks in the scheduler, for whoever has nothing to do, runs the next one
// that it creates at once, on top of the creator: a loop that creates millions does not fill the memory
// with them, and tiny tasks cost no scheduling. Not if the creator holds a lock, which the task may want.
//
// A loop is run in parts, which oneTBB cuts: a part is one call of the program's function, on one thread. An
// iteration that reaches a construct is a task until it ends. Where others have enough to do, a loop is one
// part, which its creator runs at once.
//
// Class: spawn/sync and async/finish whose joins nest; anything else is refused before it happens.
// Thread rule: threads that run tasks. Cost: a block of memory and a node of the tree a task, a block a
// group that has tasks, beside what oneTBB costs; two nodes a loop, and some instructions an iteration.
// Tested by: test/runtime/parallel_test.py, test/oracle/generated_programs_test.sh
#pragma once

#include "detect/parallel/parallel_checker.h"
#include "exec/executor.h"
#include "exec/task_scheduler.h"
#include "exec/task_storage.h"

namespace taskrace {

class ParallelExecutor final : public Executor {
 public:
  ParallelExecutor(ParallelChecker& checker, const TaskScheduler& scheduler, Host& host)
      : checker_(checker), scheduler_(scheduler), host_(host) {}

  // The root task begins on the calling thread, which runs what `running` says. `threads`: as
  // TaskScheduler::start.
  void Start(Running& running, unsigned threads);
  bool IsUntouched() const override { return false; }
  void JoinAll(uintptr_t pc) override;
  void AbandonWaiting() override {}
  uint64_t strands() const override { return checker_.Sum(&ParallelWorker::Counts::strands); }
  bool HasUnfinished() const override {
    using Counts = ParallelWorker::Counts;
    return checker_.Sum(&Counts::tasks) != checker_.Sum(&Counts::ended) ||
           checker_.Sum(&Counts::loops) != checker_.Sum(&Counts::loops_ended);
  }
  bool OthersRun() const override { return !checker_.detection().alone.Is(); }

  void* Storage(size_t size, size_t alignment) override;
  void Spawn(__taskrace_group* scope, void (*body)(void*), void* closure, uintptr_t pc) override;
  void Async(void (*body)(void*), void* closure, uintptr_t pc) override;
  void CreateSingle(How how, __taskrace_future* future, void (*body)(void*), void* closure,
                    uintptr_t pc) override;
  void CreateStage(__taskrace_future* stage, void (*body)(void*), void* closure,
                   uintptr_t pc) override;
  void Get(How how, __taskrace_future* future, uintptr_t pc) override;
  void PromiseBegin(__taskrace_future* promise, uintptr_t pc) override;
  void PromiseSet(__taskrace_future* promise, uintptr_t pc) override;
  void PromiseEnd(__taskrace_future*) override {}
  void Loop(size_t count, int64_t index, LoopRange range, void* closure, uintptr_t pc) override;
  bool Iteration(size_t k, uintptr_t stack_pointer) override;
  void ScopeBegin(__taskrace_group* scope, uintptr_t pc) override;
  void ScopeSync(__taskrace_group* scope, uintptr_t pc) override;
  void ScopeEnd(__taskrace_group* scope) override;
  void FinishBegin(__taskrace_group* finish, uintptr_t pc) override;
  void FinishEnd(__taskrace_group* finish, uintptr_t pc) override;
  __taskrace_group* InnermostFinish() override;
  PromiseId SetEdge(uintptr_t pc) override;
  void GetEdge(PromiseId promise, uintptr_t pc) override;

 private:
  // A group that has tasks; __taskrace_group::waiter.
  struct Group {
    TaskTree::Group tree;
    bool is_scheduled = false;  // the scheduler has a group of its own in the room
    alignas(16) char room[TaskScheduler::kGroupBytes];
  };
  struct Thread;
  // Directly before a closure, in one block of its creator's storage.
  struct alignas(16) Task {
    ParallelExecutor* executor;
    void* block;
    size_t size;  // of the closure
    Thread* creator;
    void (*body)(void*);
    TaskTree::TaskPlace place;
    RunningTask running;  // what it begins with

    void* closure() { return this + 1; }
  };
  // A loop from its beginning to its end.
  struct RunningLoop {
    ParallelExecutor* executor;
    LoopRange range;
    void* closure;
    ParallelLoop loop;
    RunningTask running;  // what iterations begin with
  };
  // A thread that has run a task.
  struct Thread {
    Thread(ParallelChecker& checker, Running& running)
        : running(running), worker(checker.detection(), checker.contexts(), running) {}
    Running& running;
    WorkerHooks::Worker worker;
    TaskTree::TaskPlace* place = nullptr;  // of the task that it runs
    TaskStorage storage;                   // of the tasks and groups that it has made
    // Its tasks in the scheduler: handed over less begun here, and those begun elsewhere.
    uint64_t handed_over = 0;
    alignas(64) std::atomic<uint64_t> stolen{0};

    bool HasManyWaiting() const {
      return handed_over - stolen.load(std::memory_order_relaxed) >= kMostWaiting;
    }
  };
  static constexpr uint64_t kMostWaiting = 64;
  // So much of a stack is left to what a task that is run at once may call.
  static constexpr size_t kLeastStack = size_t{1} << 20;

  static Thread& Here() { return *thread_; }
  Thread& MakeThread(Running& running);
  // A thread of the scheduler's runs its first task.
  Thread& BecomeThread();
  Group& GroupOf(__taskrace_group* group);
  void EndGroup(__taskrace_group* group);
  [[noreturn]] void Refuse(const Reason& reason, uintptr_t pc);
  void Check(OutsideClass reason, uintptr_t pc);
  void CheckScope(const __taskrace_group& scope, uintptr_t pc);

  void Create(How how, __taskrace_group* group, void (*body)(void*), void* closure, uintptr_t pc);
  void Wait(Group& group, uintptr_t pc);
  // The thread, which ran nothing, runs the task to its end; called by the scheduler.
  static void RunHandedOver(void* task);
  // The thread's task creates another one, which is to be run at once: may that be?
  static bool MayRunNow(const Thread& thread);
  // Runs the task to its end. What the thread ran before is put aside meanwhile.
  static void RunTask(Thread& thread, Task& task);
  // The thread, which ran nothing, runs iterations of a loop; called by the scheduler.
  static void RunPartHandedOver(void* loop, size_t begin, size_t end);
  static void RunPart(Thread& thread, RunningLoop& loop, size_t begin, size_t end);
  // The running iteration, if it is one and no task yet, becomes a task: it reaches a construct.
  void BecomeTask();
  static void EndIteration(Host& host, Thread& thread, ParallelPart& part);
  static ParallelPart& PartOf(const Thread& thread) {
    return static_cast<ParallelPart&>(*thread.running.part);
  }
  // The thread runs something on top of what it runs, with calls and a place of its own; then GoBack.
  struct Below {
    RunningTask running;
    TaskTree::TaskPlace* place;
    __taskrace_frame* callers;
  };
  static Below PutAside(Thread& thread, const RunningTask& next, TaskTree::TaskPlace* place);
  static void GoBack(Thread& thread, const Below& below);
  // What lies below the stack pointer is dead.
  static void ForgetBelow(Thread& thread, uintptr_t stack_pointer);

  static constinit thread_local Thread* thread_ __attribute__((tls_model("initial-exec")));

  ParallelChecker& checker_;
  const TaskScheduler& scheduler_;
  Host& host_;
  TaskTree::TaskPlace root_;
  __taskrace_group root_finish_ = {};
};

}  // namespace taskrace
