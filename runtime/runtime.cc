#include "runtime/runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <new>

#include "detect/parallel/parallel_checker.h"
#include "exec/parallel_executor.h"
#include "exec/serial_executor.h"
#include "report/log_format.h"
#include "runtime/counting_hooks.h"
#include "runtime/load_scheduler.h"
#include "runtime/process_end.h"
#include "runtime/tracing.h"

// Threads that nobody told us of share these frames and are not watched.
static __taskrace_frame unknown_threads_frames[1 << 16];
__attribute__((visibility("default"))) __thread __taskrace_frame* __taskrace_top =
    unknown_threads_frames;

extern "C" char __libc_single_threaded;
extern "C" void __libc_free(void*);

namespace taskrace {
namespace {

// In an ignored region, in other modes than `full`, and on other threads.
constexpr AccessHooks kNoHooks = {
    .read = {[](const void*) {}, [](const void*) {}, [](const void*) {}, [](const void*) {},
             [](const void*) {}},
    .write = {[](const void*) {}, [](const void*) {}, [](const void*) {}, [](const void*) {},
              [](const void*) {}},
    .read_range = [](const void*, size_t) {},
    .write_range = [](const void*, size_t) {},
    .read_rows = [](const void*, size_t, size_t, ptrdiff_t) {},
    .write_rows = [](const void*, size_t, size_t, ptrdiff_t) {},
    .read_parts = [](const void*, size_t, size_t, ptrdiff_t, __taskrace_parts) {},
    .write_parts = [](const void*, size_t, size_t, ptrdiff_t, __taskrace_parts) {},
    .atomic_read = [](const void*, size_t) {},
    .atomic_write = [](const void*, size_t) {},
};

// In an ordered region: what is written there is as if it were new, for everybody.
template <size_t kSize>
void WriteOrdered(const void* address) {
  Runtime::Get()->Forgotten(reinterpret_cast<uintptr_t>(address), kSize);
}
void WriteRowsOrdered(const void* address, size_t size, size_t rows, ptrdiff_t distance) {
  uintptr_t row = reinterpret_cast<uintptr_t>(address);
  for (; rows > 0; --rows, row += static_cast<uintptr_t>(distance)) {
    Runtime::Get()->Forgotten(row, size);
  }
}
constexpr AccessHooks kOrderedHooks = {
    .read = {[](const void*) {}, [](const void*) {}, [](const void*) {}, [](const void*) {},
             [](const void*) {}},
    .write = {WriteOrdered<1>, WriteOrdered<2>, WriteOrdered<4>, WriteOrdered<8>, WriteOrdered<16>},
    .read_range = [](const void*, size_t) {},
    .write_range =
        [](const void* address, size_t size) {
          Runtime::Get()->Forgotten(reinterpret_cast<uintptr_t>(address), size);
        },
    .read_rows = [](const void*, size_t, size_t, ptrdiff_t) {},
    .write_rows = WriteRowsOrdered,
    .read_parts = [](const void*, size_t, size_t, ptrdiff_t, __taskrace_parts) {},
    .write_parts = [](const void* address, size_t size, size_t rows, ptrdiff_t distance,
                      __taskrace_parts) { WriteRowsOrdered(address, size, rows, distance); },
    .atomic_read = [](const void*, size_t) {},
    .atomic_write = [](const void*, size_t) {},
};

// One line for a mistake of the user's, before the program has run.
[[noreturn]] void Refuse(const char* text) {
  FixedLine line;
  line << "taskrace: " << text;
  line.Print();
  _exit(2);
}

void MakeAbsolute(char (&path)[Options::kTextSize]) {
  char directory[Options::kTextSize];
  if (path[0] == '\0' || path[0] == '/' || getcwd(directory, sizeof(directory)) == nullptr) return;
  const size_t length = strlen(directory);
  if (length + 1 + strlen(path) >= sizeof(path)) Refuse("a path in TASKRACE_OPTIONS is too long");
  memmove(path + length + 1, path, strlen(path) + 1);
  memcpy(path, directory, length);
  path[length] = '/';
}

// New memory for one object that lives as long as the process.
void* MapFor(size_t size) { return Map(RoundUpToMapping(size), "the detector"); }

// The part of the main thread's stack that may be used, now and as it grows.
void FindStack(Execution& execution) {
  constexpr size_t kMostStack = size_t{64} << 20;
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  const size_t size = limit.rlim_cur < kMostStack ? limit.rlim_cur : kMostStack;
  const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  // Arguments and environment lie above; what is above them does not matter.
  execution.stack_high = reinterpret_cast<uintptr_t>(environ) > here
                             ? reinterpret_cast<uintptr_t>(environ)
                             : here + kMappingUnit;
  execution.stack_low = here > size ? here - size + 16 * kMappingUnit : kMappingUnit;
  execution.stack_touched = execution.stack_high;
}

// The C++ library's streams order the accesses of parallel tasks themselves.
constexpr const char* kStandardStreams[] = {"_ZSt4cout",  "_ZSt3cin",  "_ZSt4cerr",  "_ZSt4clog",
                                            "_ZSt5wcout", "_ZSt4wcin", "_ZSt5wcerr", "_ZSt5wclog"};
constexpr size_t kStreamBytes = 288;

}  // namespace

constinit Runtime* Runtime::the_ = nullptr;
constinit thread_local Runtime::WatchedThread* Runtime::thread_ = nullptr;
constinit thread_local Runtime::WatchedThread* Runtime::own_thread_ = nullptr;
constinit thread_local const AccessHooks* Runtime::hooks_ = &kNoHooks;

void Runtime::Start() {
  Options options;
  char problem[512];
  if (!options.Parse(getenv("TASKRACE_OPTIONS"), problem, sizeof(problem))) Refuse(problem);
  if (strcmp(options.mode, "off") == 0) return;
  // The program may change its directory before the files are needed.
  MakeAbsolute(options.json);
  MakeAbsolute(options.suppressions);

  // libstdc++ would take plain instead of atomic operations.
  __libc_single_threaded = 0;
  Runtime* runtime = new (MapFor(sizeof(Runtime))) Runtime(options);
  runtime->SetUp();
  the_ = runtime;
  runtime->OnThreadRuns(runtime->execution_);
  WatchProcessEnd(options.timeout, strcmp(options.exec, "parallel") == 0);
}

void Runtime::SetUp() {
  process_ = getpid();
  FindStack(execution_);
  __taskrace_top =
      Stacks::MapFrames(Stacks::FramesFor(execution_.stack_high - execution_.stack_low));
  Contexts::InitBase(__taskrace_top);
  execution_.sink = &races_;
  execution_.reports_lock_order = options_.lock_order != 0;
  for (const char* name : kStandardStreams) {
    if (void* stream = dlsym(RTLD_DEFAULT, name)) {
      races_.Ignore(reinterpret_cast<uintptr_t>(stream), kStreamBytes);
    }
  }
  out_of_memory_handler = [](const char* line) {
    if (the_ == nullptr) return;
    the_->Fail(line + strlen("taskrace: "), {}, {});
  };
}

void Runtime::SetUpDetection() {
  if (strcmp(options_.mode, "instrument") == 0) return;
  if (strcmp(options_.exec, "parallel") == 0) {
    SetUpParallel();
  } else {
    SetUpSerial();
  }
  checks_accesses_ = strcmp(options_.mode, "full") == 0;
  ChooseHooks();
}

void Runtime::SetUpSerial() {
  const EngineChoice choice = strcmp(options_.engine, "auto") == 0
                                  ? ChooseEngine(constructs_)
                                  : EngineChoice{options_.engine, nullptr};
  if (executor_ != nullptr &&
      (strcmp(choice.engine, choice_.engine) == 0 || !executor_->IsUntouched())) {
    return;
  }
  // Whatever the root's first strand has done so far precedes everything: a new history may begin.
  choice_ = choice;
  detection_ = MakeDetection(choice.engine, options_.history, execution_);
  if (options_.hidden_trace[0] != '\0') {
    detection_ = MakeTracing(options_.hidden_trace, *detection_);
    if (detection_ == nullptr) Refuse("option hidden_trace names a file that cannot be written");
  }
  checker_ = detection_;
  auto* executor = new (MapFor(sizeof(SerialExecutor))) SerialExecutor(*detection_, *this);
  executor->Start(StrandId{static_cast<uint32_t>(options_.hidden_first_strand)});
  executor_ = executor;
}

void Runtime::SetUpParallel() {
  if (executor_ != nullptr) return;
  if (strcmp(options_.engine, "auto") != 0 && strcmp(options_.engine, "dpst") != 0) {
    Refuse("exec=parallel works with engine dpst alone: leave option engine out");
  }
  if (strcmp(options_.history, "intervals") == 0) {
    Refuse("exec=parallel has a history of its own: leave option history out");
  }
  if (options_.hidden_trace[0] != '\0') Refuse("option hidden_trace needs exec=serial");
  is_parallel_ = true;
  OnThreadRests();
  const TaskScheduler* scheduler = LoadScheduler();
  if (scheduler == nullptr) {
    FixedLine line;
    line << "exec=parallel cannot be had: " << dlerror()
         << " (oneTBB is Debian's package libtbb12)";
    Refuse(line.Text());
  }
  auto* checker = new (MapFor(sizeof(ParallelChecker))) ParallelChecker(
      races_, [](uintptr_t block) { the_->Released(block); }, options_.lock_order != 0);
  checker_ = checker;
  choice_ = {"dpst", "tasks run in parallel"};
  auto* executor =
      new (MapFor(sizeof(ParallelExecutor))) ParallelExecutor(*checker, *scheduler, *this);
  executor_ = executor;
  executor->Start(execution_, static_cast<unsigned>(options_.threads));
}

void Runtime::OnThreadRuns(Running& running) {
  if (own_thread_ == nullptr) {
    own_thread_ = new (MapFor(sizeof(WatchedThread))) WatchedThread;
    own_thread_->number = gettid();
    own_thread_->next = threads_.load();
    while (!threads_.compare_exchange_weak(own_thread_->next, own_thread_)) continue;
  }
  own_thread_->running = &running;
  own_thread_->runs.store(true, std::memory_order_relaxed);
  thread_ = own_thread_;
  ChooseHooks();
}

void Runtime::OnThreadRests() {
  thread_ = nullptr;
  hooks_ = &kNoHooks;
  own_thread_->runs.store(false, std::memory_order_relaxed);
}

void Runtime::ChooseHooks() {
  if (!checks_accesses_ || thread_->running->ignored > 0) {
    hooks_ = &kNoHooks;
  } else if (thread_->running->ordered > 0) {
    hooks_ = &kOrderedHooks;
  } else {
    const AccessHooks& checking = checker_->Hooks();
    hooks_ = options_.stats != 0 ? &CountingHooks(checking) : &checking;
  }
}

void Runtime::OnModule(const __taskrace_object* begin, const __taskrace_object* end) {
  const __taskrace_object* other = modules_.Register(begin, end);
  if (other == nullptr) {
    for (const __taskrace_object* object = begin; object != end; ++object) {
      if ((object->constructs & TASKRACE_UNCHECKED) != 0 && strcmp(options_.mode, "full") == 0) {
        FixedLine line;
        line << object->source << " was compiled with -ftaskrace-only-constructs, which checks no "
             << "accesses: compile it without, or run with --mode=reach";
        Refuse(line.Text());
      }
      constructs_ |= object->constructs & ~uint32_t{TASKRACE_UNCHECKED};
    }
    if (IsWorker()) SetUpDetection();
    return;
  }
  FixedLine line;
  line << other->source << " was compiled by another version of taskrace (hook ABI "
       << uint64_t{other->abi_version} << ", this runtime has " << uint64_t{TASKRACE_ABI_VERSION}
       << "): compile it again";
  Refuse(line.Text());
}

void Runtime::Allocated(uintptr_t first, size_t size, size_t usable, uintptr_t pc) {
  if (!checks_accesses_ || first == 0) return;
  Renewed(first, usable);
  blocks_.Add(first, size, checker_->Here(pc));
}

bool Runtime::Freed(uintptr_t first, uintptr_t pc) {
  if (!checks_accesses_ || first == 0) return false;
  const Blocks::Block block = blocks_.At(first);
  if (block.first == 0) return false;
  const bool is_kept = checker_->Free(first, block.size, pc, !IsExempt());
  if (!is_kept) NoBlock(first, block.size);
  return is_kept;
}

void Runtime::Released(uintptr_t first) {
  NoBlock(first, blocks_.At(first).size);
  __libc_free(reinterpret_cast<void*>(first));
}

void Runtime::NoBlock(uintptr_t first, size_t size) {
  races_.StopIgnoring(first, size);
  blocks_.Remove(first);
}

void Runtime::Forgotten(uintptr_t first, size_t size) {
  if (checks_accesses_) checker_->Clear(first, size);
}

void Runtime::ForgottenWithBlocks(uintptr_t first, size_t size) {
  if (!checks_accesses_) return;
  checker_->Clear(first, size);
  constexpr size_t kWord = sizeof(uintptr_t);
  for (uintptr_t at = (first + kWord - 1) & ~(kWord - 1); at + kWord <= first + size; at += kWord) {
    const Blocks::Block block = blocks_.At(*reinterpret_cast<const uintptr_t*>(at));
    if (block.first != 0) checker_->Clear(block.first, block.size);
  }
}

void Runtime::Renewed(uintptr_t first, size_t size) {
  Forgotten(first, size);
  races_.StopIgnoring(first, size);
}

void Runtime::Read(uintptr_t first, size_t size, uintptr_t pc) {
  if (!checks_accesses_ || IsExempt()) return;
  checker_->Access(AccessKind::kRead, first, size, pc, Operation::kPlain);
}

void Runtime::Written(uintptr_t first, size_t size, uintptr_t pc, Operation operation) {
  if (!checks_accesses_) return;
  if (IsExempt()) {
    checker_->Clear(first, size);
  } else {
    checker_->Access(AccessKind::kWrite, first, size, pc, operation);
  }
}

void Runtime::LifetimeStart(uintptr_t first, size_t size, const __taskrace_variable* variable,
                            uintptr_t stack_pointer) {
  if (!checks_accesses_) return;
  thread_->variables.Begin(first, size, variable, thread_->running->stack_low, stack_pointer);
  checker_->Clear(first, size);
}

void Runtime::LifetimeEnd(uintptr_t first, size_t size, uintptr_t pc) {
  if (!checks_accesses_) return;
  if (IsExempt()) {
    checker_->Clear(first, size);
  } else {
    checker_->Retire(first, size, pc, Operation::kScopeEnd);
  }
  thread_->variables.End(first, thread_->running->stack_low);
}

void Runtime::LockAcquired(uintptr_t lock, bool shared, bool really) {
  thread_->holdings.Add(lock, thread_->running->task, really);
  if (checker_ != nullptr) checker_->Locked(lock, shared);
}

bool Runtime::LockReleased(uintptr_t lock) {
  const Holdings::Released released = thread_->holdings.Remove(lock, thread_->running->task);
  if (checker_ != nullptr && !released.still_held) checker_->Unlocked(lock);
  return released.really;
}

const Variables::Live* Runtime::VariableAround(uintptr_t address) const {
  for (const WatchedThread* thread = threads_; thread != nullptr; thread = thread->next) {
    if (const Variables::Live* live = thread->variables.Containing(address)) return live;
  }
  return nullptr;
}

bool Runtime::IsOnAStack(uintptr_t address) const {
  for (const WatchedThread* thread = threads_; thread != nullptr; thread = thread->next) {
    if (address >= thread->running->stack_low && address < thread->running->stack_high) return true;
  }
  return false;
}

bool Runtime::OpenLog() {
  if (log_.is_open()) return true;
  const char* temporary = getenv("TMPDIR");
  if (temporary == nullptr || *temporary == '\0') temporary = "/tmp";
  if ((options_.hidden_log_dir[0] == '\0' || !log_.Open(options_.hidden_log_dir)) &&
      !log_.Open(temporary)) {
    static constinit bool said = false;
    if (!said) {
      FixedLine line;
      line << "taskrace: no log can be written in " << temporary
           << ": set TMPDIR to a writable directory";
      line.Print();
    }
    said = true;
    return false;
  }
  modules_.Forget();
  log_.BeginLine("start");
  log_.Field("version", kVersion);
  log_.Field("pid", static_cast<uint64_t>(getpid()));
  log_.Field("program", program_invocation_name);
  log_.Field("engine", checker_ == nullptr ? "none" : checker_->EngineName());
  if (choice_.why != nullptr) log_.Field("why", choice_.why);
  log_.Field("history", checker_ == nullptr ? "none" : checker_->HistoryName());
  log_.BeginObject("options");
#define TASKRACE_CHOICE(name, ...) log_.Field(#name, options_.name);
#define TASKRACE_NUMBER(name, ...) log_.Field(#name, static_cast<uint64_t>(options_.name));
#define TASKRACE_TEXT(name, ...) log_.Field(#name, options_.name);
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
  log_.EndObject();
  log_.Bool("forked", forked_);
  log_.EndLine();
  return true;
}

void Runtime::OnRaceWritten() {
  if (options_.halt_on_error == 0) return;
  if (options_.suppressions[0] != '\0' && !Render(/*verdict_only=*/true)) return;
  _exit(Finish(End::kExit, static_cast<int>(options_.exitcode)));
}

void Runtime::WriteMessage(const char* severity, const char* text, Place first, Place second) {
  const ReportingLock::Guard guard(reporting_);
  if (!OpenLog()) {
    FixedLine line;
    line << "taskrace: " << severity << ": " << text;
    line.Print();
    return;
  }
  modules_.Introduce(log_);
  log_.BeginLine("message");
  log_.Field("severity", severity);
  log_.Field("text", text);
  log_.BeginArray("stacks");
  for (const Place& place : {first, second}) {
    if (place.where == kNowhere) continue;
    log_.BeginObject(nullptr);
    log_.Field("label", place.label);
    races_.WriteStack("stack", place.where);
    log_.EndObject();
  }
  log_.EndArray();
  log_.EndLine();
}

void Runtime::Fail(const char* text, Place first, Place second) {
  WriteMessage("error", text, first, second);
  Finish(End::kFailure, 2);
  _exit(2);
}

void Runtime::Warn(const char* text, uintptr_t pc) {
  const Where where = IsWorker() && checker_ != nullptr && pc != 0 ? checker_->Here(pc) : kNowhere;
  WriteMessage("warning", text, {"here", where}, {});
}

void Runtime::FailAt(const char* text, uintptr_t pc) {
  Fail(text, {"here", checker_ != nullptr ? checker_->Here(pc) : kNowhere}, {});
}

void Runtime::LeaveClass(const Reason& reason, Place first, Place second) {
  FixedLine line;
  if (is_parallel_) {
    line << reason.what << ", which exec=parallel cannot follow: run again with --exec=serial";
  } else {
    line << reason.what << ", which engine " << checker_->EngineName()
         << " cannot follow: run again with --engine=" << reason.engines;
  }
  Fail(line.Text(), first, second);
}

void Runtime::Deadlock(const Fiber* first) {
  constexpr uint64_t kMostWaiting = 1000;
  uint64_t count = 0;
  for (const Fiber* fiber = first; fiber != nullptr; fiber = fiber->newer) ++count;
  if (!OpenLog()) {
    FixedLine line;
    line << "taskrace: deadlock: no task can run, " << count << " wait";
    line.Print();
  } else {
    modules_.Introduce(log_);
    log_.BeginLine("deadlock");
    log_.Field("count", count);
    log_.BeginArray("waiting");
    uint64_t written = 0;
    for (const Fiber* fiber = first; fiber != nullptr && written < kMostWaiting;
         fiber = fiber->newer, ++written) {
      const Waiting& waiting = fiber->waiting;
      log_.BeginObject(nullptr);
      log_.Field("task", uint64_t{Index(waiting.task)});
      log_.Field("for", waiting.what);
      races_.WriteStack("stack", waiting.waits_at);
      if (waiting.made_at != kNowhere) races_.WriteStack("made", waiting.made_at);
      races_.WriteCreators(waiting.task);
      log_.EndObject();
    }
    log_.EndArray();
    log_.EndLine();
  }
  Finish(End::kFailure, kDeadlock);
  _exit(kDeadlock);
}

void Runtime::HappensBefore(uintptr_t tag, uintptr_t pc) {
  if (executor_ == nullptr) return;
  const StrandId strand = execution_.strand;
  const PromiseId edge = executor_->SetEdge(pc);
  edges_.Add(tag, edge, strand, [&](StrandId older) { return detection_->Precedes(older); });
}

void Runtime::HappensAfter(uintptr_t tag, uintptr_t pc) {
  if (executor_ == nullptr) return;
  edges_.ForEach(tag, [&](PromiseId edge) { executor_->GetEdge(edge, pc); });
}

void Runtime::WriteStats() {
  const Checker::Statistics statistics =
      checker_ == nullptr ? Checker::Statistics{} : checker_->GetStatistics();
  log_.BeginLine("stats");
  log_.Field("tasks", statistics.tasks);
  log_.Field("strands", executor_ == nullptr ? 0 : executor_->strands());
  log_.Field("occurrences", races_.occurrences());
  if (options_.stats != 0) {
    const AccessCounts& counts = Counts();
    log_.Field("reads", counts.reads);
    log_.Field("writes", counts.writes);
    log_.Field("ranges", counts.ranges);
    log_.Field("range_bytes", counts.range_bytes);
    log_.Field("atomics", counts.atomics);
  }
  if (checker_ != nullptr) {
    log_.Field("queries", statistics.queries);
    log_.Field("intervals", statistics.intervals);
    log_.Field("reader_entries", statistics.reader_entries);
    log_.Field("engine_bytes", statistics.engine_bytes);
    log_.Field("history_bytes", statistics.history_bytes);
    log_.Field("context_bytes", statistics.context_bytes);
    log_.Field("task_bytes", statistics.task_bytes);
    log_.Field("live_blocks", uint64_t{blocks_.Size()});
  }
  log_.EndLine();
}

void Runtime::WriteEnd(End how, int code) {
  modules_.Introduce(log_);
  races_.WriteCounts();
  WriteStats();
  if (checker_ != nullptr && checker_->Left() != nullptr) {
    log_.BeginLine("engine");
    log_.Field("engine", checker_->EngineName());
    log_.Field("why", checker_->Left()->what);
    log_.EndLine();
  }
  log_.BeginLine("end");
  log_.Field("how", how == End::kSignal ? "signal" : "exit");
  log_.Field("code", static_cast<uint64_t>(code));
  log_.EndLine();
}

void Runtime::TellNow() {
  if (!IsWorker() || reporting_.IsHeldHere() || !checker_->CanFlush()) return;
  checker_->Flush();
  own_thread_->has_told = true;
}

void Runtime::HearOthers() {
  constexpr int kMostTries = 20;
  constexpr timespec kBetween = {.tv_sec = 0, .tv_nsec = 5'000'000};
  for (int tries = 0; tries < kMostTries; ++tries) {
    bool all_have_told = true;
    for (WatchedThread* thread = threads_; thread != nullptr; thread = thread->next) {
      if (thread == own_thread_ || !thread->runs || thread->has_told) continue;
      all_have_told = false;
      syscall(SYS_tgkill, process_, thread->number, TellSignal());
    }
    if (all_have_told) return;
    nanosleep(&kBetween, nullptr);
  }
}

int Runtime::Finish(End how, int code) {
  if (ended_ || getpid() != process_) return code;
  if (IsWorker() && checker_ != nullptr && checker_->CanFlush()) checker_->Flush();
  if (is_parallel_) HearOthers();
  const ReportingLock::Guard guard(reporting_);
  if (ended_) return code;
  if (how == End::kExit && executor_ != nullptr && executor_->HasUnfinished()) {
    Warn("the program ended before all of its tasks did: what they had left to do is not checked",
         0);
  }
  ended_ = true;
  const bool has_more_to_say =
      !forked_ && !reported_ &&
      (options_.hidden_summary != 0 || options_.stats != 0 || options_.json[0] != '\0');
  if (log_.is_open() || (has_more_to_say && OpenLog())) {
    WriteEnd(how, code);
    reported_ |= Render(/*verdict_only=*/false);
  }
  const bool says_so = reported_ && how == End::kExit && options_.exitcode != 0;
  return says_so ? static_cast<int>(options_.exitcode) : code;
}

// If exec fails, the program goes on, with a new log for what is found from then on.
void Runtime::BeforeExec() {
  const ReportingLock::Guard guard(reporting_);
  if (ended_ || getpid() != process_ || !log_.is_open()) return;
  WriteEnd(End::kExit, 0);
  reported_ |= Render(/*verdict_only=*/false);
  log_.Abandon();
}

void Runtime::AfterForkInChild() {
  process_ = getpid();
  reporting_.Reset();
  forked_ = true;
  log_.Abandon();
  races_.Forget();
  StopTracing();
}

bool Runtime::Render(bool verdict_only) {
  Dl_info self{};
  static constexpr char kReporter[] = "/../../bin/taskrace";
  char path[4096];
  if (dladdr(&unknown_threads_frames, &self) == 0 ||
      strlen(self.dli_fname) + sizeof(kReporter) > sizeof(path)) {
    return true;
  }
  strcpy(path, self.dli_fname);
  char* slash = strrchr(path, '/');
  strcpy(slash == nullptr ? path : slash, kReporter);

  char render[] = "render", verdict[] = "--verdict-only";
  char* arguments[] = {path, render, verdict_only ? verdict : const_cast<char*>(log_.path()),
                       verdict_only ? const_cast<char*>(log_.path()) : nullptr, nullptr};
  // A program that ignores SIGCHLD would never hear of the reporter's end.
  struct sigaction reaping{}, programs_own;
  reaping.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &reaping, &programs_own);
  pid_t reporter;
  int status = 0;
  if (posix_spawn(&reporter, path, nullptr, nullptr, arguments, environ) != 0) {
    FixedLine line;
    line << "taskrace: cannot run " << path << " to write the report; what was found is in "
         << log_.path();
    line.Print();
    return true;
  }
  while (waitpid(reporter, &status, 0) < 0 && errno == EINTR) continue;
  sigaction(SIGCHLD, &programs_own, nullptr);
  return WIFEXITED(status) && WEXITSTATUS(status) == kReported;
}

}  // namespace taskrace
