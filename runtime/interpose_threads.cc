// Threads of the program's own: they run with a shadow call stack, and unwatched.
//
// The shadow call stack lives as long as the thread. A key whose destructor gives it back is the way to see
// the end of a thread, however it comes; instrumented code that runs still later, in other destructors, uses
// the frames of threads that were started without pthread_create.
// Tested by: test/runtime/threads_test.py

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "exec/stacks.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

extern "C" char __libc_single_threaded;

using taskrace::Real;
using taskrace::Runtime;
using taskrace::Stacks;

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

void GiveFramesBack(void* frames) {
  __taskrace_top = Runtime::FramesOfUnknownThreads();
  Stacks::UnmapFrames(static_cast<__taskrace_frame*>(frames), kFrames);
}

// Before the first thread starts.
pthread_key_t PrepareForThreads() {
  static const pthread_key_t key = [] {
    // libc takes the signal that setuid needs when it starts the first thread; Runtime::Start has made it
    // believe that there is one.
    __libc_single_threaded = 1;
    pthread_key_t made;
    pthread_key_create(&made, GiveFramesBack);
    return made;
  }();
  return key;
}

// `Result`: of the thread's function.
template <class Result>
struct Thread {
  Result (*run)(void*);
  void* argument;
  pthread_key_t frames;

  // Starts it by `start(function, argument)`, which returns 0 if it could.
  template <class Start>
  static int Create(Result (*run)(void*), void* argument, int no_memory, Start start) {
    Thread* thread = static_cast<Thread*>(malloc(sizeof(Thread)));
    if (thread == nullptr) return no_memory;
    *thread = {run, argument, PrepareForThreads()};
    const int result = start(Run, thread);
    if (result != 0) free(thread);
    return result;
  }
  static Result Run(void* started) {
    const Thread thread = *static_cast<Thread*>(started);
    free(started);
    __taskrace_top = Stacks::MapFrames(kFrames);
    pthread_setspecific(thread.frames, __taskrace_top);
    return thread.run(thread.argument);
  }
};

void OnOwnThread(Runtime& runtime) {
  if (!runtime.has_threads && Runtime::IsWorker()) {
    // The caller may be the C++ library, for std::thread.
    runtime.WarnOfCall(
        "the program starts a thread of its own: accesses of that thread are not checked. Use the "
        "task interface for parallel work that should be checked");
  }
  runtime.has_threads = true;
}

}  // namespace

TASKRACE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*run)(void*), void* argument) noexcept {
  // Those of oneTBB run tasks.
  if (Runtime* runtime = Runtime::Get();
      runtime != nullptr && (!runtime->is_parallel() || !IsInTbb(TASKRACE_CALLER))) {
    OnOwnThread(*runtime);
  }
  return Thread<void*>::Create(run, argument, EAGAIN, [=](auto* function, void* started) {
    return real_create(thread, attributes, function, started);
  });
}

// Calls pthread_create inside libc.
TASKRACE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  if (Runtime* runtime = Runtime::Get()) OnOwnThread(*runtime);
  return Thread<int>::Create(run, argument, thrd_nomem, [=](auto* function, void* started) {
    return real_thrd_create(thread, function, started);
  });
}
