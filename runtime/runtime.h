// The runtime context: everything that one detected process has, and the life of the run.
//
// Start() runs before any constructor of the program, Finish() after its last destructor, or when
// it crashes, is interrupted, calls _exit or replaces itself. Thread rule: threads that run tasks. In a serial
// run these are the threads of the program, and the one that has the baton is such a thread; others find IsWorker()
// false and are not watched.
#pragma once

#include <pthread.h>
#include <time.h>

#include <atomic>

#include "detect/detection.h"
#include "exec/baton.h"
#include "exec/executor.h"
#include "exec/fibers.h"
#include "runtime/blocks.h"
#include "runtime/edges.h"
#include "runtime/engine_choice.h"
#include "runtime/log.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/races.h"
#include "runtime/reporter.h"
#include "runtime/reporting_lock.h"
#include "runtime/simd.h"
#include "runtime/watched_thread.h"
#include "runtime/worker_numbers.h"

namespace taskrace {

class Runtime final : public Host {
 public:
  // The one runtime, or null before Start and in mode `off`.
  static Runtime* Get() { return the_; }
  // True on a thread that runs the program's tasks, while it does.
  static bool IsWorker() { return thread_ != nullptr; }
  // Get() if the caller runs tasks and detects, else null.
  static Runtime* OfWorker() { return thread_ != nullptr ? the_ : nullptr; }

  // While one lives, the thread that made it does something that is not the program's.
  class Unwatched {
   public:
    Unwatched() : thread_(Runtime::thread_) { Runtime::thread_ = nullptr; }
    ~Unwatched() { Runtime::thread_ = thread_; }
    Unwatched(const Unwatched&) = delete;
    Unwatched& operator=(const Unwatched&) = delete;

   private:
    WatchedThread* const thread_;
  };

  // Reads the options and sets everything up. A user's mistake ends the process with code 2.
  // `arguments`: the program's.
  static void Start(char** arguments);

  // Ends the run: writes what is left, has the log rendered, and returns the code to exit with.
  enum class End {
    kExit,
    kSignal,   // the code is its number
    kFailure,  // an error ended detection
    kStopped,  // by us: the code stands, whatever was found
  };
  int Finish(End how, int code);
  // Renders what was found so far, because exec is about to replace the program.
  void BeforeExec();
  // Called first in a handler of a signal that ends the program: it may have come in the middle of a
  // check, which then cannot be finished.
  void OnInterrupted();
  // Called in a signal handler: checks the pending accesses of this thread, unless it is inside the detector.
  void TellNow();
  // Around fork: runtime_fork.cc.
  void BeforeFork();
  void AfterForkInParent();
  // The child is a process of its own, with a report of its own.
  void AfterForkInChild();

  [[noreturn]] void Fail(const char* text, Place first, Place second) override;
  [[noreturn]] void LeaveClass(const Reason& reason, Place first, Place second) override;
  [[noreturn]] void Deadlock(const Fiber* first) override;
  void OnJoined(uintptr_t pc) override { races_.OnJoined(pc); }
  void DeadlockOfThreads();
  void OnSwitch() override { ChooseHooks(); }
  void OnThreadRuns(Running& running) override;
  void OnThreadRests() override;
  bool AwaitOtherThreads(const void* on, const Waiting& waiting) override;
  void WakeThread(const void* on) override { Wake(on, SIZE_MAX); }

  // Threads of the program (runtime_threads.cc). They take turns, and each is a task.
  // Are they checked? Decided when the first one is created.
  bool WatchesThreads() const { return watches_threads_; }
  bool BeginWatchingThreads();
  WatchedThread& ThisThread() { return *own_thread_; }
  // Does a checked thread run itself, and none of its tasks?
  bool IsThreadItself() const {
    return watches_threads_ && execution_.task == own_thread_->task && execution_.part == nullptr;
  }
  // A thread that is about to be created, and one that could not be created.
  WatchedThread* NewThread();
  void DropThread(WatchedThread* thread);
  // It has been created and runs before this returns.
  void RunThread(WatchedThread* thread, pthread_t handle, bool is_detached);
  // Called on the new thread, when it begins and when it has ended.
  void OnThreadBegins(WatchedThread* thread);
  void OnThreadEnds();
  // The one with this handle that no one has joined or detached; null: it is not known.
  WatchedThread* ThreadOf(pthread_t handle);
  // The running task waits for the end of the thread. False: the time is up.
  bool WaitForEnd(WatchedThread* thread, const timespec* until);
  bool HasEnded(const WatchedThread* thread) const;
  // It has been joined; it has been detached.
  void Joined(WatchedThread* thread);
  void Detached(WatchedThread* thread);
  // It was asked to end: if it waits, it looks whether it may go on.
  void Cancelled(pthread_t handle);

  // The running thread waits until another one calls Wake for `on`. `what`: in words. `until`: on the monotonic clock, or
  // null. False: the time is up.
  bool Wait(const void* on, const char* what, const timespec* until = nullptr);
  size_t Wake(const void* on, size_t most) { return baton_.Wake(on, most); }
  void Yield();
  // While one lives, the running thread is in a system call that may last, and others run.
  // Requires: it takes turns with them.
  class Away {
   public:
    Away();
    ~Away();
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;

   private:
    WatchedThread* const thread_;
  };
  // Synchronisation between threads through an object at this address: what comes before a release precedes what comes
  // after a later acquire. Nothing happens where threads are not checked.
  void Release(uintptr_t object);
  void Acquire(uintptr_t object);
  // What an atomic operation or fence orders, as in hooks.h.
  void AtomicAcquire(uintptr_t atomic, unsigned order);
  void AtomicRelease(uintptr_t atomic, unsigned order);
  void AtomicFence(unsigned order);

  // The same, for a mistake at one place.
  [[noreturn]] void FailAt(const char* text, uintptr_t pc);
  // Tells the user something once; `pc` is where in the program.
  void Warn(const char* text, uintptr_t pc);
  // The same, at the innermost call of instrumented code, which may have gone through libraries.
  void WarnOfCall(const char* text);

  // The program declares an edge between strands.
  void HappensBefore(uintptr_t tag, uintptr_t pc);
  void HappensAfter(uintptr_t tag, uintptr_t pc);
  // A module with these objects was loaded.
  void OnModule(const __taskrace_object* begin, const __taskrace_object* end);

  // The kinds of regions; they nest, and apply to everything that runs inside.
  void BeginIgnore() { ++thread_->running->ignored, ChooseHooks(); }
  void EndIgnore() { --thread_->running->ignored, ChooseHooks(); }
  void BeginOrdered() { ++thread_->running->ordered, ChooseHooks(); }
  void EndOrdered() { --thread_->running->ordered, ChooseHooks(); }

  // Memory of the program: see hooks.h and docs/decisions/003-free-is-a-write.md.
  void Allocated(uintptr_t first, size_t size, size_t usable, uintptr_t pc);
  // True: the block must not be given back yet; the runtime does that.
  bool Freed(uintptr_t first, uintptr_t pc);
  // The checker has done with a block that Freed has kept.
  void Released(uintptr_t first);
  // The program's own operator new hands a block out; its operator delete takes one back, and the answer is
  // whether it is one of a pool.
  void HandedOut(uintptr_t first, size_t size, uintptr_t pc);
  bool TakenBack(uintptr_t first, uintptr_t pc);
  void Forgotten(uintptr_t first, size_t size);
  // Forgotten, with the heap blocks that the bytes point to: a container is what it holds.
  void ForgottenWithBlocks(uintptr_t first, size_t size);
  // Forgotten, and no annotation holds for the bytes any more: they are new memory.
  void Renewed(uintptr_t first, size_t size);
  void Read(uintptr_t first, size_t size, uintptr_t pc);
  void Written(uintptr_t first, size_t size, uintptr_t pc, Operation operation);
  void LifetimeStart(uintptr_t first, size_t size, const __taskrace_variable* variable,
                     uintptr_t stack_pointer);
  void LifetimeEnd(uintptr_t first, size_t size, uintptr_t pc);

  // `really`: the operating system's lock was taken, not only the program's idea of it.
  void LockAcquired(uintptr_t lock, bool shared, bool really);
  // True if the operating system's lock must be released too.
  bool LockReleased(uintptr_t lock);
  // The holder of the lock on this worker: none, the running task, or a suspended creator of it.
  Holder HolderOf(uintptr_t lock) const {
    return thread_->holdings.HolderOf(lock, thread_->running->task);
  }

  // That of the running task (worker_numbers.h). `pc`: where the program asks.
  unsigned WorkerNumber(uintptr_t pc, unsigned workers = WorkerNumbers::kWorkers);

  // What this thread runs.
  Running& running() { return *thread_->running; }
  // The running task is this one of the threads of a team.
  void SetThread(uint32_t number, uint32_t team_size, uint32_t identity) {
    execution_.tasks.SetThread(execution_.task, {number, team_size});
    execution_.thread = identity + 1;
  }
  // The stack of the innermost thread of a team that runs; its explicit tasks may be on others.
  RunningStack thread_stack;
  // Teams of threads so far, for the report.
  struct Teams {
    uint64_t regions = 0;
    uint64_t largest = 0;
    uint64_t loops_by_units = 0;
    uint64_t loops_by_threads = 0;
    void Count(uint64_t size) {
      ++regions;
      if (size > largest) largest = size;
    }
  };
  Teams& teams() { return teams_; }

  Executor* executor() { return executor_; }  // null: tasks are plain calls
  // Tasks really run at the same time.
  bool is_parallel() const { return is_parallel_; }
  Races& races() { return races_; }
  Simd& simd() { return simd_; }
  Checker& checker() { return *checker_; }
  Detection* detection() { return detection_; }  // null: the run is parallel, or without detection
  Execution& execution() { return execution_; }
  const Options& options() const { return options_; }
  bool has_ended() const { return ended_; }
  const char* log_path() const { return log_.path(); }
  bool checks_accesses() const { return checks_accesses_; }
  // The program started a thread of its own; from then on waiting may make sense.
  bool has_threads = false;

  // The shadow call stack of threads that the runtime does not know.
  static __taskrace_frame* FramesOfUnknownThreads();

  // What the access hooks of this thread jump to.
  static const AccessHooks* hooks() { return hooks_; }

 private:
  explicit Runtime(const Options& options) : options_(options), races_(*this) {}
  // Errors, and what is not complete.
  static constexpr int kExitBad = 2;
  friend class Races;

  void SetUp();
  // Makes the detector for the constructs that are known so far.
  void SetUpDetection();
  void SetUpSerial();
  void SetUpSerial(const EngineChoice& choice);
  void SetUpParallel();
  void EndHolding();
  // Notes that the running process is the one that what is known so far belongs to.
  void MarkProcess();
  // Begins with a log of its own and without races if this is a child that no handler of fork has run in. Called
  // before anything is written.
  void NoticeFork();
  void BecomeChild();
  // In a child of fork: nothing is checked any more, and tasks are plain calls.
  void StopWatching();
  bool HasUnfinishedTasks() const { return executor_ != nullptr && executor_->HasUnfinished(); }
  // In a region where accesses are not checked.
  bool IsExempt() const { return thread_->running->ignored > 0 || thread_->running->ordered > 0; }
  // For reports.
  std::optional<Variables::Live> VariableAround(uintptr_t address) const;
  bool IsOnAStack(uintptr_t address) const;
  // The running thread uses an atomic. Again and again: it may be waiting for another thread.
  void NoteSpinning(uintptr_t atomic);
  // The calling thread has the baton: what runs is its task.
  void TakeOver(WatchedThread* thread);
  // The calling thread is about to give the baton away.
  WatchedThread* Rest();
  void ChooseHooks();
  void NoBlock(uintptr_t first, size_t size);
  // Ends the run. Returns if the calling thread is at it already; others wait for the end.
  void OnOutOfMemory(const char* text);
  bool OpenLog();
  // Opens the log although there is nothing to report, if `taskrace run` waits: it renders the log of a
  // program that is killed.
  void BeginLog();
  void WriteEngine(const char* engine, const char* why);
  void OnRaceWritten();
  void WriteMessage(const char* severity, const char* text, Place first, Place second);
  void WriteStats();
  void WriteEnd(End how, int code);
  // What is found from now on goes to another log.
  void ForgetLog();
  // Asks all other threads to check their pending accesses, and waits at most 100 ms for them.
  void HearOthers();
  // Writes the end of the log and has it rendered.
  void Report(End how, int code);
  // Runs the reporter on the log and takes its verdict.
  void Render(Rendering rendering);
  // A race was found that no suppression is known to match. Does not depend on log or reporter.
  bool KnowsRace() const { return races_.occurrences() > acquitted_; }
  // What to exit with, given what is known.
  int CodeOf(End how, int code) const;

  static constinit Runtime* the_;
  static constinit thread_local WatchedThread* thread_ __attribute__((tls_model("initial-exec")));
  // The same, also while the thread does something of its own.
  static constinit thread_local WatchedThread* own_thread_
      __attribute__((tls_model("initial-exec")));
  static constinit thread_local const AccessHooks* hooks_
      __attribute__((tls_model("initial-exec")));

  Options options_;
  Log log_;
  Modules modules_;
  Blocks blocks_;
  WorkerNumbers worker_numbers_;
  Blocks pooled_;  // of pools behind the program's own operator new; perhaps inside of others
  Execution execution_;
  Races races_;
  Simd simd_{*this};
  ReportingLock reporting_;
  std::atomic<WatchedThread*> threads_{nullptr};
  std::atomic<bool> out_of_memory_{false};
  Checker* checker_ = nullptr;
  Detection* detection_ = nullptr;  // the checker of a serial run
  Executor* executor_ = nullptr;
  Edges edges_;
  Baton baton_{[] { the_->DeadlockOfThreads(); }};
  WatchedThread* running_thread_ = nullptr;  // whose task is in execution_; null: it has ended
  uint32_t threads_ever_ = 0;
  uint32_t unfinished_threads_ = 0;  // but for the one that called main
  uint64_t synchronisations_ = 0;    // acquires that came after a release of another thread
  bool watches_threads_ = false;
  bool orders_by_locks_ = false;
  bool orders_by_atomics_ = false;
  Teams teams_;
  uint32_t constructs_ = 0;  // that the modules so far can use
  EngineChoice choice_ = {"none", nullptr};
  bool checks_accesses_ = false;
  bool is_parallel_ = false;
  bool forked_ = false;
  bool forked_amid_tasks_ = false;  // which are the parent's to finish
  bool holds_states_ = false;       // while a thread forks
  bool is_checking_ = false;        // for ever, since a signal came
  std::atomic<bool> ended_{false};
  bool log_tells_ = false;   // of a race, or has a message
  bool reported_ = false;    // a log with races was rendered
  bool is_complete_ = true;  // nothing was lost of what was found, and no report that was asked for
  bool is_secure_ = false;   // run by another user than its file's: the environment is not trusted
  int stop_code_ = 0;        // of End::kStopped
  uint64_t acquitted_ =
      0;  // the number of occurrences, from the first one on, that are known to be suppressed
  int process_ = 0;
  bool* is_own_process_ = nullptr;  // false in a child of fork, until that is noticed
  char temporary_directory_[Options::kTextSize] = "";
};

}  // namespace taskrace
