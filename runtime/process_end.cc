#include "runtime/process_end.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "detect/ds/mapping.h"
#include "runtime/runtime.h"

namespace taskrace {
namespace {

constexpr int kTimeoutCode = 124;  // as timeout(1)

// Runs after the last destructor and before libc flushes its files: so flush them here.
void AtExit(int status, void*) {
  const int code = Runtime::Get()->Finish(Runtime::End::kExit, status);
  if (code == status) return;
  fflush(nullptr);
  _exit(code);
}

// The signal then does what it would have done without us.
void OnFatalSignal(int number) {
  signal(number, SIG_DFL);
  Runtime::Get()->OnInterrupted();
  Runtime::Get()->Finish(Runtime::End::kSignal, number);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

void OnTimeout(int) {
  Runtime* runtime = Runtime::Get();
  runtime->OnInterrupted();
  FixedLine line;
  line << "the run was ended after " << static_cast<uint64_t>(runtime->options().timeout)
       << " s (option timeout)";
  if (!runtime->is_parallel()) {
    line << ". Tasks run one after the other here: a task that waits in a loop for another one "
            "waits "
            "for ever";
  }
  runtime->Warn(line.Text(), 0);
  runtime->Finish(Runtime::End::kExit, kTimeoutCode);
  _exit(kTimeoutCode);
}

void Handle(int number, void (*handler)(int)) {
  struct sigaction current;
  // Who starts a program with a signal ignored wants it ignored.
  if (sigaction(number, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) return;
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(number, &action, nullptr);
}

}  // namespace

int TellSignal() { return SIGRTMAX - 3; }

void WatchProcessEnd(int64_t timeout, bool runs_in_parallel) {
  on_exit(AtExit, nullptr);
  at_quick_exit([] {
    if (const int code = Runtime::Get()->Finish(Runtime::End::kExit, 0); code != 0) _exit(code);
  });
  pthread_atfork(nullptr, nullptr, [] { Runtime::Get()->AfterForkInChild(); });

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
