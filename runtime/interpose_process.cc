// Ends of the process that no exit handler sees in time, programs that replace themselves, and
// threads.

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "exec/stacks.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

using taskrace::Real;
using taskrace::Runtime;

namespace {

[[noreturn]] void EndNow(int code) {
  if (Runtime* runtime = Runtime::Get()) code = runtime->Finish(Runtime::End::kExit, code);
  for (;;) syscall(SYS_exit_group, code);
}

void BeforeExec() {
  if (Runtime* runtime = Runtime::Get()) runtime->BeforeExec();
}

// The arguments of execl and its kin, counted and copied.
#define TASKRACE_COLLECT(first, array)                                               \
  va_list rest;                                                                      \
  va_start(rest, first);                                                             \
  size_t count = 1;                                                                  \
  while (va_arg(rest, char*) != nullptr) ++count;                                    \
  va_end(rest);                                                                      \
  char** array = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  va_start(rest, first);                                                             \
  array[0] = const_cast<char*>(first);                                               \
  for (size_t i = 1; i <= count; ++i) array[i] = va_arg(rest, char*);

constinit Real<void(int)> real_exit("exit");
constinit Real<int(const char*, char* const*, char* const*)> real_execve("execve");
constinit Real<int(const char*, char* const*)> real_execv("execv");
constinit Real<int(const char*, char* const*)> real_execvp("execvp");
constinit Real<int(const char*, char* const*, char* const*)> real_execvpe("execvpe");
constinit Real<int(int, char* const*, char* const*)> real_fexecve("fexecve");
constinit Real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> real_create(
    "pthread_create");

constinit Real<int(thrd_t*, thrd_start_t, void*)> real_thrd_create("thrd_create");

bool IsInTbb(uintptr_t pc) {
  Dl_info module;
  return dladdr(reinterpret_cast<void*>(pc), &module) != 0 &&
         strstr(module.dli_fname, "libtbb") != nullptr;
}

// A thread of the program's own: runs with a shadow call stack, and unwatched. `Result`: of its function.
template <class Result>
struct Thread {
  Result (*run)(void*);
  void* argument;

  // Starts it by `start(function, argument)`, which returns 0 if it could.
  template <class Start>
  static int Create(Result (*run)(void*), void* argument, int no_memory, Start start) {
    Thread* thread = static_cast<Thread*>(malloc(sizeof(Thread)));
    if (thread == nullptr) return no_memory;
    *thread = {run, argument};
    const int result = start(Run, thread);
    if (result != 0) free(thread);
    return result;
  }
  static Result Run(void* started) {
    constexpr size_t kFrames = size_t{1} << 19;
    const Thread thread = *static_cast<Thread*>(started);
    free(started);
    __taskrace_top = taskrace::Stacks::MapFrames(kFrames);
    return thread.run(thread.argument);
  }
};

void OnOwnThread(Runtime& runtime) {
  if (!runtime.has_threads && Runtime::IsWorker()) {
    // The caller may be the C++ library, for std::thread.
    runtime.WarnOfCall(
        "the program starts a thread of its own: what that thread does is not checked. Use the "
        "task interface for the parallelism that is to be checked");
  }
  runtime.has_threads = true;
}

}  // namespace

// The implicit finish waits before the globals are destroyed, as when main returns.
TASKRACE_EXPORT void exit(int code) noexcept {
  if (Runtime* runtime = Runtime::OfWorker();
      runtime != nullptr && runtime->executor() != nullptr) {
    runtime->executor()->JoinAll(TASKRACE_CALLER);
    runtime->executor()->AbandonWaiting();
  }
  real_exit(code);
  __builtin_unreachable();
}

TASKRACE_EXPORT void _exit(int code) { EndNow(code); }
TASKRACE_EXPORT void _Exit(int code) noexcept { EndNow(code); }

TASKRACE_EXPORT int execve(const char* path, char* const* arguments,
                           char* const* environment) noexcept {
  BeforeExec();
  return real_execve(path, arguments, environment);
}
TASKRACE_EXPORT int execv(const char* path, char* const* arguments) noexcept {
  BeforeExec();
  return real_execv(path, arguments);
}
TASKRACE_EXPORT int execvp(const char* file, char* const* arguments) noexcept {
  BeforeExec();
  return real_execvp(file, arguments);
}
TASKRACE_EXPORT int execvpe(const char* file, char* const* arguments,
                            char* const* environment) noexcept {
  BeforeExec();
  return real_execvpe(file, arguments, environment);
}
TASKRACE_EXPORT int fexecve(int file, char* const* arguments, char* const* environment) noexcept {
  BeforeExec();
  return real_fexecve(file, arguments, environment);
}
TASKRACE_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  TASKRACE_COLLECT(first, arguments)
  va_end(rest);
  BeforeExec();
  return real_execv(path, arguments);
}
TASKRACE_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  TASKRACE_COLLECT(first, arguments)
  va_end(rest);
  BeforeExec();
  return real_execvp(file, arguments);
}
TASKRACE_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  TASKRACE_COLLECT(first, arguments)
  char* const* environment = va_arg(rest, char* const*);
  va_end(rest);
  BeforeExec();
  return real_execve(path, arguments, environment);
}

TASKRACE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*run)(void*), void* argument) noexcept {
  Runtime* runtime = Runtime::Get();
  if (runtime == nullptr) return real_create(thread, attributes, run, argument);
  // Those of oneTBB run tasks.
  if (!runtime->is_parallel() || !IsInTbb(TASKRACE_CALLER)) OnOwnThread(*runtime);
  return Thread<void*>::Create(run, argument, EAGAIN, [=](auto* function, void* started) {
    return real_create(thread, attributes, function, started);
  });
}

// Calls pthread_create inside libc.
TASKRACE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  Runtime* runtime = Runtime::Get();
  if (runtime == nullptr) return real_thrd_create(thread, run, argument);
  OnOwnThread(*runtime);
  return Thread<int>::Create(run, argument, thrd_nomem, [=](auto* function, void* started) {
    return real_thrd_create(thread, function, started);
  });
}
