// Ends of the process that no exit handler sees in time, and programs that replace themselves.

#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// The arguments of execl and similar functions, counted and copied.
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
