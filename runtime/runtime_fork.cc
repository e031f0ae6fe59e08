// What happens to the runtime around fork, which copies its memory but only the calling thread.
//
// Another thread may be in the middle of something at that moment, and in the child it stays there. Two
// locks can be taken by threads that run no tasks: that of reporting and that of the states of futures.
// The thread that forks holds both meanwhile, so that the child finds them free and what they guard in
// order. All others, and all structures without a lock, belong to threads that run tasks: if none runs
// beside the one that forks, they are at rest, and the child is checked as its parent is. Else the child
// leaves them alone: it is not checked, and the parent's report says so.
//
// A child of the system call itself runs no handler. It shares the pages of the log with its parent, and
// must not write there: before anything is written, a page that the kernel clears in every child says whether
// this is one. A child of vfork has its parent's memory, that page included, and writes nothing of its own.
//
// Tested by: test/runtime/parallel_test.py, test/runtime/ends_test.py, test/runtime/verdict_test.py

#include <unistd.h>

#include "detect/ds/mapping.h"
#include "detect/ds/spin_lock.h"
#include "runtime/runtime.h"
#include "runtime/states.h"
#include "runtime/tracing.h"

namespace taskrace {

void Runtime::MarkProcess() {
  process_ = getpid();
  if (is_own_process_ == nullptr) {
    is_own_process_ = static_cast<bool*>(Map(kMappingUnit, "the mark of the process"));
    syscall(SYS_madvise, is_own_process_, kMappingUnit, MADV_WIPEONFORK);
  }
  *is_own_process_ = true;
}

void Runtime::NoticeFork() {
  if (*is_own_process_) return;
  const ReportingLock::Guard guard(reporting_);
  BecomeChild();
}

void Runtime::BeforeFork() {
  reporting_.Lock();
  static constinit bool said = false;
  if (!said && IsWorker() && executor_ != nullptr && executor_->OthersRun() &&
      checker_->CanFlush()) {
    said = true;
    WarnOfCall(
        "a process is forked while tasks run in parallel: the child is not checked. Fork "
        "where no task runs, or run with --exec=serial");
  }
  // A signal handler that forks may have come in the middle of such a function.
  holds_states_ = !SpinLock::IsHeldHere();
  if (holds_states_) HoldStates();
}

void Runtime::EndHolding() {
  if (holds_states_) ReleaseStates();
  reporting_.Unlock();
}

void Runtime::AfterForkInParent() { EndHolding(); }

void Runtime::AfterForkInChild() {
  BecomeChild();
  EndHolding();
}

void Runtime::BecomeChild() {
  MarkProcess();
  forked_ = true;
  if (executor_ != nullptr && executor_->OthersRun()) StopWatching();
  forked_amid_tasks_ = HasUnfinishedTasks();
  if (watches_threads_ && own_thread_ != nullptr) {
    baton_.Start(own_thread_->turn);
    unfinished_threads_ = 0;
  }
  ForgetLog();
  races_.Forget();
  acquitted_ = 0;
  is_complete_ = true;
  StopTracing();
}

}  // namespace taskrace
