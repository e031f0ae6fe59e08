// Threads of the program: their beginning, their end, and who waits for it.
//
// A thread has a shadow call stack as long as it lives. A key whose destructor gives it back is the way to see
// the end of a thread, however it comes. The destructor asks to be called again as often as libc allows, so that
// destructors of other keys come before it; instrumented code that runs still later uses the frames of threads that were
// started without pthread_create.
// Tested by: test/runtime/threads_test.py

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "exec/stacks.h"
#include "runtime/deadline.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

extern "C" char __libc_single_threaded;

using taskrace::Deadline;
using taskrace::Real;
using taskrace::Runtime;
using taskrace::Stacks;
using taskrace::WatchedThread;

namespace {

constinit Real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> real_create(
    "pthread_create");
constinit Real<int(thrd_t*, thrd_start_t, void*)> real_thrd_create("thrd_create");

bool IsInTbb(uintptr_t pc) {
  Dl_info module;
  return dladdr(reinterpret_cast<void*>(pc), &module) != 0 &&
         strstr(module.dli_fname, "libtbb") != nullptr;
}

constexpr size_t kFrames = size_t{1} << 19;

// What a thread has until its end.
struct Life {
  __taskrace_frame* frames;  // null: those of the thread that called main
  WatchedThread* watched;    // null: it is not checked
  int rounds;                // of destructors so far
};
constinit thread_local Life life __attribute__((tls_model("initial-exec"))) = {};

pthread_key_t PrepareForThreads();

void EndLife(void*) {
  if (++life.rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(PrepareForThreads(), &life);
    return;
  }
  if (life.watched != nullptr) Runtime::Get()->OnThreadEnds();
  if (life.frames == nullptr) return;
  __taskrace_top = Runtime::FramesOfUnknownThreads();
  Stacks::UnmapFrames(life.frames, kFrames);
}

// Before the first thread starts.
pthread_key_t PrepareForThreads() {
  static const pthread_key_t key = [] {
    // libc takes the signal that setuid needs when it starts the first thread; Runtime::Start has made it
    // believe that there is one.
    __libc_single_threaded = 1;
    pthread_key_t made;
    pthread_key_create(&made, EndLife);
    return made;
  }();
  return key;
}

// `Result`: of the thread's function.
template <class Result>
struct Thread {
  Result (*run)(void*);
  void* argument;
  WatchedThread* watched;

  // Starts it by `start(function, argument)`, which returns 0 if it could.
  template <class Start>
  static int Create(Result (*run)(void*), void* argument, WatchedThread* watched, int no_memory,
                    Start start) {
    Thread* thread = static_cast<Thread*>(malloc(sizeof(Thread)));
    if (thread == nullptr) return no_memory;
    PrepareForThreads();
    *thread = {run, argument, watched};
    const int result = start(Run, thread);
    if (result != 0) free(thread);
    return result;
  }
  static Result Run(void* started) {
    const Thread thread = *static_cast<Thread*>(started);
    free(started);
    __taskrace_top = Stacks::MapFrames(kFrames);
    life = {__taskrace_top, thread.watched, 0};
    pthread_setspecific(PrepareForThreads(), &life);
    if (thread.watched != nullptr) Runtime::Get()->OnThreadBegins(thread.watched);
    return thread.run(thread.argument);
  }
};

// The new thread, if it is to be checked; else null, and the report says so.
WatchedThread* NewThread(Runtime& runtime) {
  if (!Runtime::IsWorker()) {
    runtime.has_threads = true;
    return nullptr;
  }
  if (runtime.BeginWatchingThreads()) {
    // pthread_exit ends the thread that called main, too, and not the program.
    if (life.watched == nullptr) {
      life.watched = &runtime.ThisThread();
      pthread_setspecific(PrepareForThreads(), &life);
    }
    return runtime.NewThread();
  }
  if (!runtime.has_threads && runtime.executor() != nullptr) {
    // The caller may be the C++ library, for std::thread.
    runtime.WarnOfCall(runtime.is_parallel()
                           ? "the program starts a thread of its own: accesses of that thread are "
                             "not checked by exec=parallel. Run with --exec=serial"
                           : "the program starts a thread of its own: accesses of that thread are "
                             "not checked, because the engine cannot follow it. Run with "
                             "--engine=promises");
  }
  runtime.has_threads = true;
  return nullptr;
}

bool IsDetached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  return state == PTHREAD_CREATE_DETACHED;
}

constinit Real<int(pthread_t, void**)> real_join("pthread_join");
constinit Real<int(pthread_t)> real_detach("pthread_detach");
constinit Real<int(pthread_t)> real_cancel("pthread_cancel");
constinit Real<int(pthread_t, void**)> real_tryjoin("pthread_tryjoin_np");
constinit Real<int(pthread_t, void**, const timespec*)> real_timedjoin("pthread_timedjoin_np");
constinit Real<int(pthread_t, void**, clockid_t, const timespec*)> real_clockjoin(
    "pthread_clockjoin_np");
constinit Real<int(thrd_t, int*)> real_thrd_join("thrd_join");
constinit Real<int(thrd_t)> real_thrd_detach("thrd_detach");

// The thread that the caller joins, if both are checked.
WatchedThread* Joinable(pthread_t handle) {
  Runtime* const runtime = Runtime::OfWorker();
  if (runtime == nullptr || !runtime->WatchesThreads() || handle == pthread_self()) return nullptr;
  return runtime->ThreadOf(handle);
}

// Waits for its end, and joins it by real(): libc has little left to wait for.
template <class RealJoin>
int Join(pthread_t handle, const timespec* until, int too_late, RealJoin real) {
  WatchedThread* const thread = Joinable(handle);
  if (thread != nullptr && !Runtime::Get()->WaitForEnd(thread, until)) return too_late;
  const int result = real();
  if (thread != nullptr && result == 0) Runtime::Get()->Joined(thread);
  return result;
}

}  // namespace

TASKRACE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*run)(void*), void* argument) noexcept {
  Runtime* const runtime = Runtime::Get();
  // Those of oneTBB run tasks.
  WatchedThread* const watched =
      runtime != nullptr && (!runtime->is_parallel() || !IsInTbb(TASKRACE_CALLER))
          ? NewThread(*runtime)
          : nullptr;
  const int result =
      Thread<void*>::Create(run, argument, watched, EAGAIN, [=](auto* function, void* started) {
        return real_create(thread, attributes, function, started);
      });
  if (watched == nullptr) return result;
  if (result == 0) {
    runtime->RunThread(watched, *thread, IsDetached(attributes));
  } else {
    runtime->DropThread(watched);
  }
  return result;
}
TASKRACE_EXPORT int pthread_join(pthread_t thread, void** result) {
  return Join(thread, nullptr, ETIMEDOUT, [=] { return real_join(thread, result); });
}
TASKRACE_EXPORT int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  if (WatchedThread* const other = Joinable(thread);
      other != nullptr && !Runtime::Get()->HasEnded(other)) {
    Runtime::Get()->Yield();
    if (!Runtime::Get()->HasEnded(other)) return EBUSY;
  }
  return Join(thread, nullptr, EBUSY, [=] {
    return Joinable(thread) != nullptr ? real_join(thread, result) : real_tryjoin(thread, result);
  });
}
TASKRACE_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  const Deadline deadline(CLOCK_REALTIME, until);
  return Join(thread, deadline.monotonic(), ETIMEDOUT,
              [=] { return real_timedjoin(thread, result, until); });
}
TASKRACE_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                         const timespec* until) {
  const Deadline deadline(clock, until);
  return Join(thread, deadline.monotonic(), ETIMEDOUT,
              [=] { return real_clockjoin(thread, result, clock, until); });
}
TASKRACE_EXPORT int pthread_detach(pthread_t thread) noexcept {
  Runtime* const runtime = Runtime::OfWorker();
  WatchedThread* const known = runtime == nullptr ? nullptr : runtime->ThreadOf(thread);
  const int result = real_detach(thread);
  if (known != nullptr && result == 0) runtime->Detached(known);
  return result;
}

TASKRACE_EXPORT int pthread_cancel(pthread_t thread) {
  const int result = real_cancel(thread);
  if (Runtime* runtime = Runtime::OfWorker(); runtime != nullptr && runtime->WatchesThreads()) {
    runtime->Cancelled(thread);
  }
  return result;
}

// Calls pthread_create inside libc.
TASKRACE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  Runtime* const runtime = Runtime::Get();
  WatchedThread* const watched = runtime == nullptr ? nullptr : NewThread(*runtime);
  const int result = Thread<int>::Create(
      run, argument, watched, thrd_nomem,
      [=](auto* function, void* started) { return real_thrd_create(thread, function, started); });
  if (watched == nullptr) return result;
  if (result == thrd_success) {
    runtime->RunThread(watched, *thread, /*is_detached=*/false);
  } else {
    runtime->DropThread(watched);
  }
  return result;
}
TASKRACE_EXPORT int thrd_join(thrd_t thread, int* result) {
  return Join(thread, nullptr, thrd_error, [=] { return real_thrd_join(thread, result); });
}
TASKRACE_EXPORT int thrd_detach(thrd_t thread) {
  Runtime* const runtime = Runtime::OfWorker();
  WatchedThread* const known = runtime == nullptr ? nullptr : runtime->ThreadOf(thread);
  const int result = real_thrd_detach(thread);
  if (known != nullptr && result == thrd_success) runtime->Detached(known);
  return result;
}
