// Threads of the program that are checked: each is a task, and they take turns (exec/baton.h).
//
// The detector is one, and works for the thread that has the baton. What a thread was doing stays in execution_
// when it gives the baton away; the next one to get it puts that aside. So a thread that finds the baton where it has
// left it goes on as if nothing had happened.
//
// Invariants:
//   1. thread_ is null on every thread but the one that has the baton: signal handlers elsewhere are not watched.
//   2. execution_ belongs to running_thread_, which has the baton or had it last.
// Tested by: test/lit/threads, test/runtime/threads_test.py

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "exec/serial_executor.h"
#include "runtime/process_end.h"
#include "runtime/runtime.h"

namespace taskrace {

using Thread = WatchedThread;

bool Runtime::BeginWatchingThreads() {
  if (watches_threads_) return true;
  if (!IsWorker() || is_parallel_ || has_threads || executor_ == nullptr) return false;
  if (!executor_->CanFollowThreads() && executor_->IsUntouched() &&
      strcmp(options_.engine, "auto") == 0) {
    SetUpSerial({"promises", "the program starts threads"});
    ChooseHooks();
  }
  if (!executor_->CanFollowThreads()) return false;
  watches_threads_ = true;
  orders_by_locks_ = strcmp(options_.locks, "order") == 0;
  orders_by_atomics_ = strcmp(options_.atomics, "order") == 0;
  baton_.Start(thread_->turn);
  running_thread_ = thread_;
  thread_->state = Thread::State::kRuns;
  thread_->handle = pthread_self();
  return true;
}

Thread* Runtime::NewThread() {
  Thread* thread = threads_;
  while (thread != nullptr && thread->state != Thread::State::kUnused) thread = thread->next;
  if (thread == nullptr) {
    thread = new (Map(RoundUpToMapping(sizeof(Thread)), "the threads")) Thread;
    thread->next = threads_;
    threads_ = thread;
  }
  thread->running = &execution_;
  thread->state = Thread::State::kRuns;
  thread->handle = 0;
  thread->rests = {};
  thread->used_again = thread->used = 0;
  for (uintptr_t& load : thread->loads) load = 0;
  thread->has_fenced = false;
  return thread;
}

void Runtime::DropThread(Thread* thread) { thread->state = Thread::State::kUnused; }

void Runtime::RunThread(Thread* created, pthread_t handle, bool is_detached) {
  created->handle = handle;
  created->is_detached = is_detached;
  created->id = ++threads_ever_;
  ++unfinished_threads_;
  created->rests = executor_->CreateThread(created->id, modules_.InstrumentedCaller());
  created->task = created->rests.task.task;
  Thread* const caller = Rest();
  baton_.Begin(caller->turn, created->turn);
  TakeOver(caller);
}

void Runtime::OnThreadBegins(Thread* thread) {
  own_thread_ = thread;
  thread->number = gettid();
  RunningStack stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low;
    size_t size;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    stack.stack_low = reinterpret_cast<uintptr_t>(low);
    stack.stack_high = stack.stack_touched = stack.stack_low + size;
  }
  Contexts::InitBase(__taskrace_top);
  baton_.AwaitTurn(thread->turn);
  // The creator has filled in the rest meanwhile.
  thread->rests.stack = stack;
  TakeOver(thread);
}

void Runtime::OnThreadEnds() {
  Thread* const thread = own_thread_;
  // It was cancelled in a system call.
  if (thread_ == nullptr) {
    baton_.Return(thread->turn);
    TakeOver(thread);
  }
  executor_->BeforeSwitch();
  executor_->EndThread();
  OnThreadRests();
  own_thread_ = nullptr;
  running_thread_ = nullptr;
  if (thread->id != 0) --unfinished_threads_;
  thread->state = thread->is_detached ? Thread::State::kUnused : Thread::State::kEnded;
  Wake(&thread->handle, SIZE_MAX);
  baton_.End(thread->turn);
}

Thread* Runtime::ThreadOf(pthread_t handle) {
  for (Thread* thread = threads_; thread != nullptr; thread = thread->next) {
    if (thread->state != Thread::State::kUnused && thread->handle == handle &&
        !thread->is_detached) {
      return thread;
    }
  }
  return nullptr;
}

bool Runtime::HasEnded(const Thread* thread) const {
  return thread->state == Thread::State::kEnded;
}

bool Runtime::WaitForEnd(Thread* thread, const timespec* until) {
  while (!HasEnded(thread)) {
    if (!Wait(&thread->handle, "the end of a thread", until)) return false;
    pthread_testcancel();
  }
  return true;
}

void Runtime::Joined(Thread* thread) {
  executor_->JoinThread(thread->task, 0);
  thread->state = Thread::State::kUnused;
}

void Runtime::Cancelled(pthread_t handle) {
  for (Thread* thread = threads_; thread != nullptr; thread = thread->next) {
    if (thread->state == Thread::State::kRuns && thread->handle == handle) {
      baton_.WakeOne(thread->turn);
    }
  }
}

void Runtime::Detached(Thread* thread) {
  thread->is_detached = true;
  if (HasEnded(thread)) thread->state = Thread::State::kUnused;
}

// ---- turns

void Runtime::TakeOver(Thread* thread) {
  own_thread_ = thread_ = thread;
  thread->runs.store(true, std::memory_order_relaxed);
  if (running_thread_ != thread) {
    executor_->SwitchThread(running_thread_ == nullptr ? nullptr : &running_thread_->rests,
                            thread->rests);
    running_thread_ = thread;
  }
  ChooseHooks();
}

Thread* Runtime::Rest() {
  executor_->BeforeSwitch();
  OnThreadRests();
  return own_thread_;
}

bool Runtime::Wait(const void* on, const char* what, const timespec* until) {
  thread_->waiting = {.task = execution_.task,
                      .what = what,
                      .waits_at = checker_->Here(modules_.InstrumentedCaller()),
                      .made_at = kNowhere};
  Thread* const thread = Rest();
  const bool is_woken = baton_.Block(thread->turn, on, until);
  TakeOver(thread);
  return is_woken;
}

bool Runtime::AwaitOtherThreads(const void* on, const Waiting& waiting) {
  if (!watches_threads_) return false;
  thread_->waiting = waiting;
  Thread* const thread = Rest();
  baton_.Block(thread->turn, on, nullptr);
  TakeOver(thread);
  return true;
}

void Runtime::Yield() {
  if (!baton_.HasLine()) return;
  Thread* const thread = Rest();
  baton_.Yield(thread->turn);
  TakeOver(thread);
}

Runtime::Away::Away() : thread_(the_->Rest()) { the_->baton_.Leave(thread_->turn); }

Runtime::Away::~Away() {
  const int error = errno;
  the_->baton_.Return(thread_->turn);
  the_->TakeOver(thread_);
  errno = error;
}

void Runtime::NoteSpinning(uintptr_t atomic) {
  constexpr uint32_t kMostAgain = 64;
  constexpr uint32_t kMost = 1024;  // a loop may look at several
  Thread& thread = *thread_;
  if (thread.atomic != atomic) {
    thread.atomic = atomic;
    thread.used_again = 0;
  }
  if (++thread.used_again < kMostAgain && ++thread.used < kMost) return;
  thread.used_again = thread.used = 0;
  Yield();
}

// ---- order

void Runtime::Release(uintptr_t object) {
  if (!watches_threads_) return;
  HappensBefore(object, 0);
}

void Runtime::Acquire(uintptr_t object) {
  if (!watches_threads_) return;
  edges_.ForEach(object, [&](PromiseId edge, StrandId released) {
    if (detection_->Precedes(released)) return;
    executor_->GetEdge(edge, 0);
    ++synchronisations_;
  });
}

void Runtime::AtomicAcquire(uintptr_t atomic, unsigned order) {
  if (!watches_threads_) return;
  NoteSpinning(atomic);
  if (!orders_by_atomics_ || (order & TASKRACE_READS) == 0) return;
  if ((order & TASKRACE_ACQUIRES) != 0) return Acquire(atomic);
  Thread& thread = *thread_;
  for (const uintptr_t load : thread.loads) {
    if (load == atomic) return;
  }
  thread.loads[thread.next_load++ % Thread::kLoads] = atomic;
}

void Runtime::AtomicRelease(uintptr_t atomic, unsigned order) {
  if (!watches_threads_ || !orders_by_atomics_) return;
  if ((order & TASKRACE_RELEASES) == 0 && !thread_->has_fenced) return;
  // A value that does not depend on the one before ends what that one released.
  if ((order & TASKRACE_UPDATES) == 0) {
    edges_.Forget(atomic);
    thread_->used = 0;
  }
  Release(atomic);
}

void Runtime::AtomicFence(unsigned order) {
  if (!watches_threads_ || !orders_by_atomics_) return;
  if ((order & TASKRACE_RELEASES) != 0) thread_->has_fenced = true;
  if ((order & TASKRACE_ACQUIRES) == 0) return;
  for (const uintptr_t load : thread_->loads) {
    if (load != 0) Acquire(load);
  }
}

// ---- nobody can run

void Runtime::DeadlockOfThreads() {
  if (ProgramHandlesSignals()) return;
  // The thread that has blocked last reports.
  thread_ = own_thread_ != nullptr ? own_thread_ : running_thread_;
  Fiber* first = nullptr;
  Fiber** link = &first;
  Fiber* last = nullptr;
  baton_.ForEachBlocked([&](Baton::Thread& turn) {
    Thread* thread = threads_;
    while (&thread->turn != &turn) thread = thread->next;
    auto* const fiber = new (Map(RoundUpToMapping(sizeof(Fiber)), "the report")) Fiber;
    fiber->waiting = thread->waiting;
    // Who holds the lock?
    for (const Thread* other = threads_; other != nullptr; other = other->next) {
      if (other->state != Thread::State::kRuns ||
          other->holdings.HolderOf(reinterpret_cast<uintptr_t>(turn.on), kRootTask) ==
              Holder::kNobody) {
        continue;
      }
      auto* const line = new (Map(RoundUpToMapping(sizeof(FixedLine)), "the report")) FixedLine;
      *line << thread->waiting.what;
      if (other->id == 0) {
        *line << " that the main thread holds";
      } else {
        *line << " that thread " << uint64_t{other->id} << " holds";
      }
      fiber->waiting.what = line->Text();
      break;
    }
    fiber->older = last;
    last = fiber;
    *link = fiber;
    link = &fiber->newer;
  });
  Deadlock(first);
}

}  // namespace taskrace
