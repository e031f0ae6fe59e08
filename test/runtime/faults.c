/* Preloaded, it makes one call fail, or kills the process at it.

   FAULT=NAME:N         the N-th call of NAME (mmap, open, clone, ...) by FAULT_IN
   FAULT_IN=TEXT        what the caller's module has in its path; exe:NAME: any caller in that program
   FAULT_ERRNO=NUMBER   what it fails with; 0: SIGKILL instead
   FAULT_MARK=FILE      is created when it happens

   The runtime's system calls go through libc, so that the runtime itself needs no build of its own for this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long Raw(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static long Result(long result) {
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

static int IsCaller(void* caller) {
  const char* in = getenv("FAULT_IN");
  if (in == NULL) return 0;
  if (strncmp(in, "exe:", 4) == 0) return strcmp(program_invocation_short_name, in + 4) == 0;
  Dl_info module;
  return dladdr(caller, &module) != 0 && strstr(module.dli_fname, in) != NULL;
}

/* The errno to fail with, or 0. */
static int Fault(const char* name, void* caller) {
  static atomic_long calls;
  const char* fault = getenv("FAULT");
  const size_t length = strlen(name);
  if (fault == NULL || strncmp(fault, name, length) != 0 || fault[length] != ':') return 0;
  if (!IsCaller(caller)) return 0;
  if (atomic_fetch_add(&calls, 1) + 1 != atol(fault + length + 1)) return 0;
  const char* mark = getenv("FAULT_MARK");
  Raw(SYS_open, (long)mark, O_WRONLY | O_CREAT, 0600, 0, 0, 0);
  const int problem = atoi(getenv("FAULT_ERRNO"));
  if (problem == 0) Raw(SYS_kill, Raw(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
  return problem;
}

#define FAIL_WITH(name, failure)                                  \
  do {                                                            \
    const int problem = Fault(name, __builtin_return_address(0)); \
    if (problem != 0) {                                           \
      errno = problem;                                            \
      return failure;                                             \
    }                                                             \
  } while (0)

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_mmap || number == SYS_mremap) FAIL_WITH("mmap", -1);
  if (number == SYS_execve) FAIL_WITH("execve", -1);
  return Result(Raw(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  FAIL_WITH("open", -1);
  return (int)Result(Raw(SYS_open, (long)path, flags, mode, 0, 0, 0));
}

ssize_t write(int file, const void* text, size_t size) {
  FAIL_WITH("write", -1);
  return Result(Raw(SYS_write, file, (long)text, (long)size, 0, 0, 0));
}

ssize_t pwrite(int file, const void* text, size_t size, off_t at) {
  FAIL_WITH("pwrite", -1);
  return Result(Raw(SYS_pwrite64, file, (long)text, (long)size, at, 0, 0));
}

int pipe2(int files[2], int flags) {
  FAIL_WITH("pipe2", -1);
  return (int)Result(Raw(SYS_pipe2, (long)files, flags, 0, 0, 0, 0));
}

int posix_fallocate(int file, off_t at, off_t size) {
  const int problem = Fault("fallocate", __builtin_return_address(0));
  return problem != 0 ? problem : (int)-Raw(SYS_fallocate, file, 0, at, size, 0, 0);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clone(int (*work)(void*), void* stack, int flags, void* argument, ...) {
  FAIL_WITH("clone", -1);
  return NEXT(clone)(work, stack, flags, argument);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments,
                char* const* environment) {
  const int problem = Fault("posix_spawn", __builtin_return_address(0));
  return problem != 0 ? problem
                      : NEXT(posix_spawn)(child, path, actions, attributes, arguments, environment);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  const int problem = Fault("pthread_create", __builtin_return_address(0));
  return problem != 0 ? problem : NEXT(pthread_create)(thread, attributes, run, argument);
}
