// Ways in which a process ends: exit handlers, signals, the time limit. All lead to Runtime::Finish.
//
// A fatal signal is reported from its handler, though not everything that is called there is safe in a
// handler: a crash without its report would be worse. A watchdog ends the program if that hangs
// (docs/decisions/015-verdict-and-log.md).
#include "runtime/process_end.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "detect/ds/mapping.h"
#include "runtime/runtime.h"

namespace taskrace {
namespace {

constexpr int kTimeoutCode = 124;  // as timeout(1)

// Runs after the last destructor and before libc flushes its files. If the exit code changes, _exit skips that
// flush, so it is done here.
void AtExit(int status, void*) {
  const int code = Runtime::Get()->Finish(Runtime::End::kExit, status);
  if (code == status) return;
  fflush(nullptr);
  _exit(code);
}

// True if the fault is near the stack pointer: a new frame did not fit into the stack.
bool IsStackOverflow(int number, const siginfo_t& info, const ucontext_t& context) {
  constexpr uintptr_t kLargestFrame = uintptr_t{16} << 20;
  constexpr uintptr_t kRedZone = 256;
  const auto stack_pointer = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
  const auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  return number == SIGSEGV && address - (stack_pointer - kRedZone) < kLargestFrame;
}

void Unblock(int number) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

// Ends the process by the signal, as without us, so that the parent sees the same status and core dump.
void EndBy(int number) {
  signal(number, SIG_DFL);
  raise(number);
  Unblock(number);
}

constinit volatile sig_atomic_t ending_signal = 0;

// Called by the watchdog: the handler of a fatal signal waits for a lock of the loader or of the unwinder,
// which the interrupted code or another thread holds.
void OnHang(int) {
  FixedLine line;
  line << "taskrace: error: the report could not be written: signal "
       << static_cast<uint64_t>(ending_signal)
       << " arrived while the program was in the dynamic loader";
  if (Runtime::Get()->options().hidden_summary == 0) {
    line << "; the log is in " << Runtime::Get()->log_path();
  }
  line.Print();
  EndBy(ending_signal);
}

// Uses alarm: the program ends, so it needs its own alarm no more.
void StartWatchdog(int number) {
  ending_signal = number;
  signal(SIGALRM, OnHang);
  Unblock(SIGALRM);
  alarm(static_cast<unsigned>(Runtime::Get()->options().hidden_watchdog));
}

void OnFatalSignal(int number, siginfo_t* info, void* context) {
  StartWatchdog(number);
  Runtime::Get()->OnInterrupted();
  if (IsStackOverflow(number, *info, *static_cast<ucontext_t*>(context))) {
    Runtime::Get()->Warn(
        "stack overflow: unbounded recursion, or the stack is too small (raise it with "
        "ulimit -s)",
        0);
  }
  Runtime::Get()->Finish(Runtime::End::kSignal, number);
  StopWatchdog();
  EndBy(number);
}

void OnTimeout(int, siginfo_t*, void*) {
  Runtime* runtime = Runtime::Get();
  if (runtime->has_ended()) return;  // only the report is left
  runtime->OnInterrupted();
  FixedLine line;
  line << "the run was stopped after " << static_cast<uint64_t>(runtime->options().timeout)
       << " s (option timeout)";
  if (!runtime->is_parallel()) {
    line << ". Tasks run one after another here: a task that spins until another task does "
            "something never ends";
  }
  runtime->Warn(line.Text(), 0);
  _exit(runtime->Finish(Runtime::End::kStopped, kTimeoutCode));
}

void Handle(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction current;
  // A signal that was ignored at the start stays ignored: nohup relies on it.
  if (sigaction(number, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) return;
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  sigaction(number, &action, nullptr);
}

}  // namespace

void StopWatchdog() { alarm(0); }

int TellSignal() { return SIGRTMAX - 3; }

bool ProgramHandlesSignals() {
  for (int number = 1; number < SIGRTMIN; ++number) {
    struct sigaction current;
    if (sigaction(number, nullptr, &current) == 0 && current.sa_handler != SIG_DFL &&
        current.sa_handler != SIG_IGN && current.sa_sigaction != OnFatalSignal) {
      return true;
    }
  }
  return false;
}

void WatchProcessEnd(int64_t timeout, bool runs_in_parallel) {
  on_exit(AtExit, nullptr);
  at_quick_exit([] {
    if (const int code = Runtime::Get()->Finish(Runtime::End::kExit, 0); code != 0) _exit(code);
  });
  pthread_atfork([] { Runtime::Get()->BeforeFork(); }, [] { Runtime::Get()->AfterForkInParent(); },
                 [] { Runtime::Get()->AfterForkInChild(); });

  // A program that has run over its stack still gets its report.
  constexpr size_t kSignalStackBytes = size_t{256} << 10;
  stack_t stack{};
  stack.ss_sp = Map(kSignalStackBytes, "the signal stack");
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
  for (int number :
       {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGTRAP, SIGSYS,    SIGINT,  SIGTERM, SIGHUP,
        SIGQUIT, SIGXCPU, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXFSZ, SIGIO}) {
    Handle(number, OnFatalSignal);
  }

  struct sigaction telling{};
  telling.sa_handler = [](int) { Runtime::Get()->TellNow(); };
  telling.sa_flags = SA_ONSTACK | SA_RESTART;
  if (runs_in_parallel) sigaction(TellSignal(), &telling, nullptr);

  if (timeout > 0) {
    const int number = SIGRTMAX - 2;
    Handle(number, OnTimeout);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = number;
    timer_t timer;
    const itimerspec after{.it_interval = {}, .it_value = {.tv_sec = timeout, .tv_nsec = 0}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
      timer_settime(timer, 0, &after, nullptr);
  }
}

}  // namespace taskrace
