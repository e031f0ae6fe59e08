// What a run says, and how it ends: the log, messages, the report.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/log_format.h"
#include "runtime/counting_hooks.h"
#include "runtime/process_end.h"
#include "runtime/runtime.h"
#include "runtime/tracing.h"

namespace taskrace {

bool Runtime::OpenLog() {
  if (log_.is_open()) return true;
  const char* temporary = getenv("TMPDIR");
  if (temporary == nullptr || *temporary == '\0') temporary = "/tmp";
  if ((options_.hidden_log_dir[0] == '\0' || !log_.Open(options_.hidden_log_dir)) &&
      !log_.Open(temporary)) {
    static constinit bool said = false;
    if (!said) {
      FixedLine line;
      line << "taskrace: no log can be written in " << temporary
           << ": set TMPDIR to a writable directory";
      line.Print();
    }
    said = true;
    return false;
  }
  modules_.Forget();
  log_.BeginLine("start");
  log_.Field("version", kVersion);
  log_.Field("pid", static_cast<uint64_t>(getpid()));
  log_.Field("program", program_invocation_name);
  log_.Field("engine", checker_ == nullptr ? "none" : checker_->EngineName());
  if (choice_.why != nullptr) log_.Field("why", choice_.why);
  log_.Field("history", checker_ == nullptr ? "none" : checker_->HistoryName());
  log_.BeginObject("options");
#define TASKRACE_CHOICE(name, ...) log_.Field(#name, options_.name);
#define TASKRACE_NUMBER(name, ...) log_.Field(#name, static_cast<uint64_t>(options_.name));
#define TASKRACE_TEXT(name, ...) log_.Field(#name, options_.name);
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
  log_.EndObject();
  log_.Bool("forked", forked_);
  log_.EndLine();
  return true;
}

void Runtime::BeginLog() {
  const ReportingLock::Guard guard(reporting_);
  if (options_.hidden_summary == 0 || forked_ || ended_ || !OpenLog()) return;
  modules_.Introduce(log_);
}

void Runtime::WriteEngine(const char* engine, const char* why) {
  log_.BeginLine("engine");
  log_.Field("engine", engine);
  log_.Field("why", why);
  log_.EndLine();
}

void Runtime::OnRaceWritten() {
  log_tells_ = true;
  if (options_.halt_on_error == 0) return;
  if (options_.suppressions[0] != '\0' && !Render(/*verdict_only=*/true)) return;
  _exit(Finish(End::kExit, static_cast<int>(options_.exitcode)));
}

void Runtime::WriteMessage(const char* severity, const char* text, Place first, Place second) {
  const ReportingLock::Guard guard(reporting_);
  if (!OpenLog()) {
    FixedLine line;
    line << "taskrace: " << severity << ": " << text;
    line.Print();
    return;
  }
  log_tells_ = true;
  modules_.Introduce(log_);
  log_.BeginLine("message");
  log_.Field("severity", severity);
  log_.Field("text", text);
  log_.BeginArray("stacks");
  for (const Place& place : {first, second}) {
    if (place.where == kNowhere) continue;
    log_.BeginObject(nullptr);
    log_.Field("label", place.label);
    races_.WriteStack("stack", place.where);
    log_.EndObject();
  }
  log_.EndArray();
  log_.EndLine();
}

void Runtime::Fail(const char* text, Place first, Place second) {
  WriteMessage("error", text, first, second);
  Finish(End::kFailure, 2);
  _exit(2);
}

void Runtime::OnOutOfMemory(const char* text) {
  const ReportingLock::Guard guard(reporting_);
  if (!out_of_memory_.exchange(true)) Fail(text, {}, {});
}

void Runtime::Warn(const char* text, uintptr_t pc) {
  const Where where = IsWorker() && checker_ != nullptr && pc != 0 ? checker_->Here(pc) : kNowhere;
  WriteMessage("warning", text, {"here", where}, {});
}

void Runtime::WarnOfCall(const char* text) {
  const ReportingLock::Guard guard(reporting_);
  Warn(text, modules_.InstrumentedCaller());
}

void Runtime::FailAt(const char* text, uintptr_t pc) {
  Fail(text, {"here", checker_ != nullptr ? checker_->Here(pc) : kNowhere}, {});
}

void Runtime::LeaveClass(const Reason& reason, Place first, Place second) {
  FixedLine line;
  if (is_parallel_) {
    line << reason.what << ", which exec=parallel cannot follow: run again with --exec=serial";
  } else {
    line << reason.what << ", which engine " << checker_->EngineName()
         << " cannot follow: run again with --engine=" << reason.engines;
  }
  Fail(line.Text(), first, second);
}

void Runtime::Deadlock(const Fiber* first) {
  constexpr uint64_t kMostWaiting = 1000;
  uint64_t count = 0;
  for (const Fiber* fiber = first; fiber != nullptr; fiber = fiber->newer) ++count;
  if (!OpenLog()) {
    FixedLine line;
    line << "taskrace: deadlock: no task can run, " << count << " wait";
    line.Print();
  } else {
    modules_.Introduce(log_);
    log_.BeginLine("deadlock");
    log_.Field("count", count);
    log_.BeginArray("waiting");
    uint64_t written = 0;
    for (const Fiber* fiber = first; fiber != nullptr && written < kMostWaiting;
         fiber = fiber->newer, ++written) {
      const Waiting& waiting = fiber->waiting;
      log_.BeginObject(nullptr);
      log_.Field("task", uint64_t{Index(waiting.task)});
      log_.Field("for", waiting.what);
      races_.WriteStack("stack", waiting.waits_at);
      if (waiting.made_at != kNowhere) races_.WriteStack("made", waiting.made_at);
      races_.WriteCreators(waiting.task);
      log_.EndObject();
    }
    log_.EndArray();
    log_.EndLine();
  }
  Finish(End::kFailure, kDeadlock);
  _exit(kDeadlock);
}

void Runtime::WriteStats() {
  const Checker::Statistics statistics =
      checker_ == nullptr ? Checker::Statistics{} : checker_->GetStatistics();
  log_.BeginLine("stats");
  log_.Field("tasks", statistics.tasks);
  log_.Field("strands", executor_ == nullptr ? 0 : executor_->strands());
  log_.Field("occurrences", races_.occurrences());
  if (options_.stats != 0) {
    const AccessCounts& counts = Counts();
    log_.Field("reads", counts.reads);
    log_.Field("writes", counts.writes);
    log_.Field("ranges", counts.ranges);
    log_.Field("range_bytes", counts.range_bytes);
    log_.Field("atomics", counts.atomics);
  }
  if (checker_ != nullptr) {
    log_.Field("queries", statistics.queries);
    log_.Field("intervals", statistics.intervals);
    log_.Field("reader_entries", statistics.reader_entries);
    log_.Field("engine_bytes", statistics.engine_bytes);
    log_.Field("history_bytes", statistics.history_bytes);
    log_.Field("context_bytes", statistics.context_bytes);
    log_.Field("task_bytes", statistics.task_bytes);
    log_.Field("live_blocks", uint64_t{blocks_.Size()});
  }
  log_.EndLine();
}

void Runtime::WriteEnd(End how, int code) {
  modules_.Introduce(log_);
  races_.WriteCounts();
  WriteStats();
  if (checker_ != nullptr && checker_->Left() != nullptr) {
    WriteEngine(checker_->EngineName(), checker_->Left()->what);
  }
  log_.BeginLine("end");
  log_.Field("how", how == End::kSignal ? "signal" : "exit");
  log_.Field("code", static_cast<uint64_t>(code));
  log_.EndLine();
}

void Runtime::OnInterrupted() {
  // In a parallel run the checker knows by itself.
  if (is_parallel_ || !IsWorker()) return;
  const ReportingLock::Guard guard(reporting_);
  is_checking_ = modules_.IsRuntimeInterrupted();
}

void Runtime::TellNow() {
  if (!IsWorker() || reporting_.IsHeldHere() || !checker_->CanFlush()) return;
  checker_->Flush();
  own_thread_->has_told = true;
}

void Runtime::HearOthers() {
  constexpr int kMostTries = 20;
  constexpr timespec kBetween = {.tv_sec = 0, .tv_nsec = 5'000'000};
  for (int tries = 0; tries < kMostTries; ++tries) {
    bool all_have_told = true;
    for (WatchedThread* thread = threads_; thread != nullptr; thread = thread->next) {
      if (thread == own_thread_ || !thread->runs || thread->has_told) continue;
      all_have_told = false;
      syscall(SYS_tgkill, process_, thread->number, TellSignal());
    }
    if (all_have_told) return;
    nanosleep(&kBetween, nullptr);
  }
}

int Runtime::Finish(End how, int code) {
  if (ended_ || getpid() != process_) return code;
  // Who has run out of memory has done so while telling.
  if (!out_of_memory_) {
    if (IsWorker() && checker_ != nullptr && !is_checking_ && checker_->CanFlush()) {
      checker_->Flush();
    }
    if (is_parallel_) HearOthers();
  }
  const ReportingLock::Guard guard(reporting_);
  if (ended_) return code;
  if (how == End::kExit && !forked_amid_tasks_ && HasUnfinishedTasks()) {
    Warn("the program ended before all of its tasks did: what they had left to do is not checked",
         0);
  }
  ended_ = true;
  const bool has_more_to_say =
      !forked_ && !reported_ &&
      (options_.hidden_summary != 0 || options_.stats != 0 || options_.json[0] != '\0');
  if (log_.is_open() || (has_more_to_say && OpenLog())) {
    WriteEnd(how, code);
    reported_ |= Render(/*verdict_only=*/false);
  }
  const bool says_so = reported_ && how == End::kExit && options_.exitcode != 0;
  return says_so ? static_cast<int>(options_.exitcode) : code;
}

void Runtime::ForgetLog() {
  log_.Abandon();
  log_tells_ = false;
}

void Runtime::LeaveMark() {
  if (options_.hidden_log_dir[0] == '\0') return;
  char path[sizeof(options_.hidden_log_dir) + 32];
  snprintf(path, sizeof(path), "%s/%s.%d", options_.hidden_log_dir, kReportedBeforeExec, process_);
  close(open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
}

// If exec fails, the program goes on, with a new log for what is found from then on.
void Runtime::BeforeExec() {
  const ReportingLock::Guard guard(reporting_);
  if (ended_ || getpid() != process_ || !log_.is_open()) return;
  if (log_tells_) {
    WriteEnd(End::kExit, 0);
    reported_ |= Render(/*verdict_only=*/false);
    if (reported_ && !forked_) LeaveMark();
  } else {
    unlink(log_.path());
  }
  ForgetLog();
}

void Runtime::AfterForkInChild() {
  process_ = getpid();
  reporting_.Reset();
  forked_ = true;
  forked_amid_tasks_ = HasUnfinishedTasks();
  ForgetLog();
  races_.Forget();
  StopTracing();
}

bool Runtime::Render(bool verdict_only) {
  Dl_info self{};
  static constexpr char kReporter[] = "/../../bin/taskrace";
  char path[4096];
  if (dladdr(&kReporter, &self) == 0 || strlen(self.dli_fname) + sizeof(kReporter) > sizeof(path)) {
    return true;
  }
  strcpy(path, self.dli_fname);
  char* slash = strrchr(path, '/');
  strcpy(slash == nullptr ? path : slash, kReporter);

  char render[] = "render", verdict[] = "--verdict-only";
  char* arguments[] = {path, render, verdict_only ? verdict : const_cast<char*>(log_.path()),
                       verdict_only ? const_cast<char*>(log_.path()) : nullptr, nullptr};
  // A program that ignores SIGCHLD would never hear of the reporter's end.
  struct sigaction reaping{}, programs_own;
  reaping.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &reaping, &programs_own);
  pid_t reporter;
  int status = 0;
  if (posix_spawn(&reporter, path, nullptr, nullptr, arguments, environ) != 0) {
    FixedLine line;
    line << "taskrace: cannot run " << path << " to write the report; what was found is in "
         << log_.path();
    line.Print();
    return true;
  }
  while (waitpid(reporter, &status, 0) < 0 && errno == EINTR) continue;
  sigaction(SIGCHLD, &programs_own, nullptr);
  return WIFEXITED(status) && WEXITSTATUS(status) == kReported;
}

}  // namespace taskrace
