// The start of a run, and the program's events about memory, locks and edges. The rest of the class:
// runtime_report.cc.

#include "runtime/runtime.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>
#include <span>

#include "detect/parallel/parallel_checker.h"
#include "exec/parallel_executor.h"
#include "exec/serial_executor.h"
#include "report/log_format.h"
#include "runtime/allocator.h"
#include "runtime/counting_hooks.h"
#include "runtime/load_order.h"
#include "runtime/load_scheduler.h"
#include "runtime/process_end.h"
#include "runtime/tracing.h"

// Threads that were not started through pthread_create share these frames and are not checked.
static __taskrace_frame unknown_threads_frames[1 << 16];
__attribute__((visibility("default"))) __thread __taskrace_frame* __taskrace_top =
    unknown_threads_frames;

extern "C" char __libc_single_threaded;

namespace taskrace {
namespace {

void IgnoreLoop(const void*, size_t, size_t, ptrdiff_t, __taskrace_parts, ptrdiff_t, size_t,
                size_t) {}

bool NoFastIteration(size_t, uintptr_t) { return false; }

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
    .loop_read = IgnoreLoop,
    .loop_write = IgnoreLoop,
    .loop_zone = [](unsigned) { return __taskrace_zone{UINTPTR_MAX, 0}; },
    .iteration = NoFastIteration,
};

// In an ordered region: written bytes count as new memory for all tasks.
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
    .loop_read = IgnoreLoop,
    .loop_write =
        [](const void* first, size_t size, size_t rows, ptrdiff_t distance, __taskrace_parts,
           ptrdiff_t step, size_t, size_t count) {
          for (; count > 0; --count, first = static_cast<const char*>(first) + step) {
            WriteRowsOrdered(first, size, rows, distance);
          }
        },
    .iteration = NoFastIteration,
};

// Where those that shared a lock release it: beside the lock itself, where no other object can be.
constexpr uintptr_t kReaders = 1;

// One line for a mistake of the user's, before the program has run.
[[noreturn]] void Refuse(const char* text) {
  FixedLine line;
  line << "taskrace: error: " << text;
  line.Print();
  _exit(2);
}

void MakeAbsolute(char (&path)[Options::kTextSize]) {
  char directory[Options::kTextSize];
  if (path[0] == '\0' || path[0] == '/' || getcwd(directory, sizeof(directory)) == nullptr) return;
  const size_t length = strlen(directory);
  if (length + 1 + strlen(path) >= sizeof(path))
    Refuse("a path in TASKRACE_OPTIONS or TMPDIR is too long");
  memmove(path + length + 1, path, strlen(path) + 1);
  memcpy(path, directory, length);
  path[length] = '/';
}

// New memory for one object that lives as long as the process.
void* MapFor(size_t size) { return Map(RoundUpToMapping(size), "the detector"); }

// The part of the main thread's stack that may be used, now and as it grows.
void FindStack(RunningStack& execution) {
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
constinit thread_local WatchedThread* Runtime::thread_ = nullptr;
constinit thread_local WatchedThread* Runtime::own_thread_ = nullptr;
constinit thread_local const AccessHooks* Runtime::hooks_ = &kNoHooks;

void Runtime::Start(char** arguments) {
  Options options;
  char problem[512];
  if (!options.Parse(secure_getenv("TASKRACE_OPTIONS"), problem, sizeof(problem))) Refuse(problem);
  RunningStack stack;
  FindStack(stack);
  __taskrace_top = Stacks::MapFrames(Stacks::FramesFor(stack.stack_high - stack.stack_low));
  if (strcmp(options.mode, "off") == 0) return;
  if (const char* text = LoadBeforeAllocators(arguments)) Refuse(text);
  // The program may change its directory before the files are needed.
  for (auto* file : {&options.json, &options.html, &options.sarif}) MakeAbsolute(*file);
  MakeAbsolute(options.suppressions);
  MakeAbsolute(options.hidden_trace);

  // libstdc++ would take plain instead of atomic operations.
  __libc_single_threaded = 0;
  Runtime* runtime = new (MapFor(sizeof(Runtime))) Runtime(options);
  runtime->SetUp();
  the_ = runtime;
  runtime->OnThreadRuns(runtime->execution_);
  WatchProcessEnd(options.timeout, strcmp(options.exec, "parallel") == 0);
}

__taskrace_frame* Runtime::FramesOfUnknownThreads() { return unknown_threads_frames; }

void Runtime::SetUp() {
  MarkProcess();
  is_secure_ = getauxval(AT_SECURE) != 0;
  const char* temporary = secure_getenv("TMPDIR");
  if (temporary == nullptr || *temporary == '\0') temporary = "/tmp";
  if (strlen(temporary) >= sizeof(temporary_directory_)) Refuse("the path in TMPDIR is too long");
  strcpy(temporary_directory_, temporary);
  MakeAbsolute(temporary_directory_);
  log_.SetUp();
  FindStack(execution_);
  Contexts::InitBase(__taskrace_top);
  execution_.sink = &races_;
  execution_.reports_lock_order = options_.lock_order != 0;
  for (const char* name : kStandardStreams) {
    if (void* stream = dlsym(RTLD_DEFAULT, name)) {
      races_.Ignore(reinterpret_cast<uintptr_t>(stream), kStreamBytes);
    }
  }
  out_of_memory_handler = [](const char* line) {
    if (the_ != nullptr) the_->OnOutOfMemory(line + strlen("taskrace: "));
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
  SetUpSerial(strcmp(options_.engine, "auto") == 0 ? ChooseEngine(constructs_)
                                                   : EngineChoice{options_.engine, nullptr});
}

void Runtime::SetUpSerial(const EngineChoice& choice) {
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
  if (log_.is_open()) WriteEngine(checker_->EngineName(), choice.why);
}

void Runtime::SetUpParallel() {
  if (executor_ != nullptr) return;
  is_parallel_ = true;
  OnThreadRests();
  const TaskScheduler* scheduler = LoadScheduler();
  if (scheduler == nullptr) {
    FixedLine line;
    line << "exec=parallel is not available: " << dlerror()
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

void Runtime::StopWatching() {
  thread_ = nullptr;
  hooks_ = &kNoHooks;
  executor_ = nullptr;
  checker_ = nullptr;
  checks_accesses_ = false;
  is_parallel_ = false;
}

void Runtime::ChooseHooks() {
  if (!checks_accesses_ || thread_->running->ignored > 0) {
    hooks_ = &kNoHooks;
  } else if (thread_->running->ordered > 0) {
    hooks_ = &kOrderedHooks;
  } else {
    const AccessHooks& checking = checker_->Hooks();
    hooks_ = options_.stats != 0 ? &CountingHooks(checking) : &checking;
    if (simd_.IsOpenOn(*thread_->running)) hooks_ = &Simd::Hooks(*hooks_);
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
      constructs_ |= object->constructs & ~uint32_t{TASKRACE_UNCHECKED | TASKRACE_UNKNOWN_ACCESSES};
    }
    if (IsWorker()) {
      SetUpDetection();
      BeginLog();
    }
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
  blocks_.Add(first, size, checker_->Here(pc), thread_->running->thread);
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
  allocator::Free(reinterpret_cast<void*>(first));
}

// A block that fills one of the allocator's goes back to that: free will be called for it.
void Runtime::HandedOut(uintptr_t first, size_t size, uintptr_t pc) {
  if (!checks_accesses_) return;
  const Blocks::Block around = blocks_.At(first);
  if (around.first != 0 && around.size < 2 * size) return;
  Renewed(first, size);
  pooled_.Add(first, size, checker_->Here(pc));
}

// Forgotten at once: the next task that gets the block reads what the pool has written there.
bool Runtime::TakenBack(uintptr_t first, uintptr_t pc) {
  if (!checks_accesses_) return false;
  const Blocks::Block block = pooled_.At(first);
  if (block.first == 0) return false;
  Written(first, block.size, pc, Operation::kFree);
  Renewed(first, block.size);
  pooled_.Remove(first);
  return true;
}

void Runtime::NoBlock(uintptr_t first, size_t size) {
  races_.StopIgnoring(first, size);
  blocks_.Remove(first);
}

void Runtime::Forgotten(uintptr_t first, size_t size) {
  if (!checks_accesses_) return;
  checker_->Clear(first, size);
  simd_.Forget(first, size);
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
  simd_.Access(AccessKind::kRead, first, size, pc);
}

void Runtime::Written(uintptr_t first, size_t size, uintptr_t pc, Operation operation) {
  if (!checks_accesses_) return;
  if (IsExempt()) {
    checker_->Clear(first, size);
  } else {
    checker_->Access(AccessKind::kWrite, first, size, pc, operation);
    simd_.Access(AccessKind::kWrite, first, size, pc);
  }
}

void Runtime::LifetimeStart(uintptr_t first, size_t size, const __taskrace_variable* variable,
                            uintptr_t stack_pointer) {
  if (!checks_accesses_) return;
  thread_->variables.Begin(first, size, variable, thread_->running->stack_low, stack_pointer);
  Forgotten(first, size);
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
  if (orders_by_locks_) {
    Acquire(lock);
    if (!shared) Acquire(lock + kReaders);
  }
  if (checker_ != nullptr) checker_->Locked(lock, shared);
}

bool Runtime::LockReleased(uintptr_t lock) {
  const Holdings::Released released = thread_->holdings.Remove(lock, thread_->running->task);
  if (checker_ != nullptr && !released.still_held) {
    const bool shared = orders_by_locks_ && execution_.lock_sets.IsShared(execution_.locks, lock);
    checker_->Unlocked(lock);
    if (orders_by_locks_) Release(shared ? lock + kReaders : lock);
    thread_->used = 0;
  }
  return released.really;
}

unsigned Runtime::WorkerNumber(uintptr_t pc, unsigned workers) {
  if (checker_ == nullptr) return 0;
  if (is_parallel_) {
    LeaveClass({"a task asks for its worker's number", "auto"}, {"here", checker_->Here(pc)}, {});
  }
  uintptr_t held[64];
  const size_t count = checker_->LocksOf(thread_->running->locks, held);
  unsigned number = worker_numbers_.NumberOf(std::span(held, count), workers);
  if (number == WorkerNumbers::kNone) {
    number = worker_numbers_.Take(workers);
    checker_->Locked(worker_numbers_.LockOf(number), /*shared=*/false);
  }
  return number;
}

std::optional<Variables::Live> Runtime::VariableAround(uintptr_t address) const {
  for (const WatchedThread* thread = threads_; thread != nullptr; thread = thread->next) {
    if (const auto live = thread->variables.Containing(address)) return live;
  }
  return std::nullopt;
}

bool Runtime::IsOnAStack(uintptr_t address) const {
  for (const WatchedThread* thread = threads_; thread != nullptr; thread = thread->next) {
    const bool rests = thread->state == WatchedThread::State::kRuns && thread != running_thread_;
    const RunningStack& stack = rests ? thread->rests.stack : *thread->running;
    if (address >= stack.stack_low && address < stack.stack_high) return true;
  }
  return false;
}

void Runtime::HappensBefore(uintptr_t tag, uintptr_t pc) {
  if (executor_ == nullptr) return;
  const StrandId strand = execution_.strand;
  const PromiseId edge = executor_->SetEdge(pc);
  edges_.Add(tag, edge, strand, [&](StrandId older) { return detection_->Precedes(older); });
}

void Runtime::HappensAfter(uintptr_t tag, uintptr_t pc) {
  if (executor_ == nullptr) return;
  edges_.ForEach(tag, [&](PromiseId edge, StrandId) { executor_->GetEdge(edge, pc); });
}

}  // namespace taskrace
