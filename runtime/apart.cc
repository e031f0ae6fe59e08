// Work in a process that shares our memory but not our descriptors, signal handlers and children.
//
// It is a clone with CLONE_VM | CLONE_VFORK: nothing is copied, and this thread waits until it has ended, so
// it may use a buffer of this function as its stack. It waits by a direct system call: libc's functions that wait are
// interposed, and let other threads of the program run.
#include "runtime/apart.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace taskrace {
namespace {

constexpr size_t kStackBytes = 16 << 10;
constexpr size_t kCommandStackBytes = 4 << 10;
constexpr uint64_t kAllSignals = ~uint64_t{0};
constexpr uint64_t kNoSignals = 0;

// The system call, because libc's function would leave out the signals that libc uses internally.
void SetSignalMask(const uint64_t& mask, uint64_t* before) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, sizeof(mask));
}

struct Start {
  const Command& command;
  int problem;
};

// execve and setresuid are direct system calls: libc's execve is interposed, and its setresuid changes all
// threads of the program.
int Exec(void* argument) {
  Start& start = *static_cast<Start*>(argument);
  const Command& command = start.command;
  if (command.drops_privileges) {
    const gid_t group = getgid();
    const uid_t user = getuid();
    if (syscall(SYS_setresgid, group, group, group) != 0 ||
        syscall(SYS_setresuid, user, user, user) != 0) {
      start.problem = errno;
      return 1;
    }
  }
  // The program may have used up its descriptors, and the reporter must not inherit its files.
  close_range(3, ~0u, 0);
  SetSignalMask(kNoSignals, nullptr);
  syscall(SYS_execve, command.path, command.arguments, command.environment);
  start.problem = errno;
  return 1;
}

}  // namespace

int RunApart(int (*work)(void*), void* argument) {
  const int programs_errno = errno;
  alignas(16) char stack[kStackBytes];
  uint64_t before;
  // Signals of the process group must not run the program's handlers there.
  SetSignalMask(kAllSignals, &before);
  // CLONE_VFORK: we wait here until it ends, as it does not exec. No signal is named: it raises none.
  const int process = clone(work, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, argument);
  const int problem = process < 0 ? errno : 0;
  if (process > 0) syscall(SYS_wait4, process, nullptr, __WCLONE, nullptr);
  SetSignalMask(before, nullptr);
  errno = programs_errno;
  return problem;
}

void CloseDescriptors() { close_range(0, ~0u, 0); }

int RunCommand(const Command& command, int& status) {
  alignas(16) char stack[kCommandStackBytes];
  Start start{command, 0};
  const int process = clone(Exec, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  if (process < 0) return errno;
  // If SIGCHLD is ignored, this still waits, but the status is unknown.
  if (syscall(SYS_wait4, process, &status, 0, nullptr) < 0) status = -1;
  return start.problem;
}

}  // namespace taskrace
