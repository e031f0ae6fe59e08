// The runtime context: everything that one detected process has, and the life of the run.
//
// Start() runs before any constructor of the program, Finish() after its last destructor, or when
// it crashes, is interrupted, calls _exit or replaces itself. Thread rule: the worker, which is the
// thread that started the process; other threads find IsWorker() false and are not watched.
#pragma once

#include "detect/detection.h"
#include "exec/serial_executor.h"
#include "runtime/blocks.h"
#include "runtime/edges.h"
#include "runtime/engine_choice.h"
#include "runtime/holdings.h"
#include "runtime/log.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/races.h"
#include "runtime/variables.h"

namespace taskrace {

class Runtime final : public Host {
 public:
  // The one runtime, or null before Start and in mode `off`.
  static Runtime* Get() { return the_; }
  // True on the thread whose accesses are checked.
  static bool IsWorker() { return is_worker_; }
  // Get() if the caller is the worker and detects, else null.
  static Runtime* OfWorker() { return is_worker_ ? the_ : nullptr; }

  // Reads the options and sets everything up. A user's mistake ends the process with code 2.
  static void Start();

  // Ends the run: writes what is left, has the log rendered, and returns the code to exit with.
  enum class End { kExit, kSignal, kFailure };
  int Finish(End how, int code);
  // Renders what was found so far, because exec is about to replace the program.
  void BeforeExec();
  // The forked child: a process of its own, with a report of its own.
  void AfterForkInChild();

  [[noreturn]] void Fail(const char* text, Place first, Place second) override;
  [[noreturn]] void LeaveClass(const Reason& reason, Place first, Place second) override;
  [[noreturn]] void Deadlock(const Fiber* first) override;
  void OnSwitch() override { ChooseHooks(); }
  // The same, for a mistake at one place.
  [[noreturn]] void FailAt(const char* text, uintptr_t pc);
  // Tells the user something once; `pc` is where in the program.
  void Warn(const char* text, uintptr_t pc);

  // The program declares an edge between strands.
  void HappensBefore(uintptr_t tag, uintptr_t pc);
  void HappensAfter(uintptr_t tag, uintptr_t pc);
  // A module with these objects was loaded.
  void OnModule(const __taskrace_object* begin, const __taskrace_object* end);

  // The kinds of regions; they nest, and apply to everything that runs inside.
  void BeginIgnore() { ++execution_.ignored, ChooseHooks(); }
  void EndIgnore() { --execution_.ignored, ChooseHooks(); }
  void BeginOrdered() { ++execution_.ordered, ChooseHooks(); }
  void EndOrdered() { --execution_.ordered, ChooseHooks(); }

  // Memory of the program: see hooks.h and design 4.3.
  void Allocated(uintptr_t first, size_t size, size_t usable, uintptr_t pc);
  void Freed(uintptr_t first, uintptr_t pc);
  void Forgotten(uintptr_t first, size_t size);
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
  // Who on this worker holds the lock: nobody, the running task, or a task that waits for it.
  Holder HolderOf(uintptr_t lock) const { return holdings_.HolderOf(lock, execution_.task); }

  SerialExecutor* executor() { return executor_; }  // null: tasks are plain calls
  Races& races() { return races_; }
  const Options& options() const { return options_; }
  bool checks_accesses() const { return checks_accesses_; }
  // The program started a thread of its own; from then on waiting may make sense.
  bool has_threads = false;

  // What the access hooks of this thread jump to.
  static const AccessHooks* hooks() { return hooks_; }

 private:
  explicit Runtime(const Options& options) : options_(options), races_(*this) {}
  friend class Races;

  void SetUp();
  // Makes the detector for the constructs that are known so far.
  void SetUpDetection();
  // In a region where accesses are not checked.
  bool IsExempt() const { return execution_.ignored > 0 || execution_.ordered > 0; }
  void ChooseHooks();
  bool OpenLog();
  void OnRaceWritten();
  void WriteMessage(const char* severity, const char* text, Place first, Place second);
  void WriteStats();
  void WriteEnd(End how, int code);
  // Runs the reporter on the log; true if it reported a race.
  bool Render(bool verdict_only);

  static constinit Runtime* the_;
  static constinit thread_local bool is_worker_ __attribute__((tls_model("initial-exec")));
  static constinit thread_local const AccessHooks* hooks_
      __attribute__((tls_model("initial-exec")));

  Options options_;
  Log log_;
  Modules modules_;
  Blocks blocks_;
  Variables variables_;
  Execution execution_;
  Races races_;
  Detection* detection_ = nullptr;
  SerialExecutor* executor_ = nullptr;
  Holdings holdings_;
  Edges edges_;
  uint32_t constructs_ = 0;  // that the modules so far can use
  EngineChoice choice_ = {"none", nullptr};
  bool checks_accesses_ = false;
  bool forked_ = false;
  bool ended_ = false;
  bool reported_ = false;  // a log with races was rendered
  int process_ = 0;
};

}  // namespace taskrace
