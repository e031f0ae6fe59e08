// The output of a run and its end: the log, messages, the report, the exit code.

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "report/log_format.h"
#include "runtime/counting_hooks.h"
#include "runtime/process_end.h"
#include "runtime/reporter.h"
#include "runtime/runtime.h"
#include "runtime/tracing.h"

namespace taskrace {

bool Runtime::OpenLog() {
  if (log_.is_open()) return true;
  int problem = ENOENT;
  if (options_.hidden_log_dir[0] != '\0') problem = log_.Open(options_.hidden_log_dir);
  if (problem != 0) problem = log_.Open(temporary_directory_);
  if (problem != 0) {
    is_complete_ = false;
    static constinit bool said = false;
    if (!said) {
      FixedLine line;
      line << "taskrace: error: the log could not be written: " << strerrordesc_np(problem)
           << "; set TMPDIR to a directory with free space, it is " << temporary_directory_;
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
  NoticeFork();
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
  if (options_.suppressions[0] != '\0') Render(Rendering::kVerdictOnly);
  if (KnowsRace()) _exit(Finish(End::kExit, static_cast<int>(options_.exitcode)));
}

void Runtime::WriteMessage(const char* severity, const char* text, Place first, Place second) {
  NoticeFork();
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
  _exit(Finish(End::kFailure, kExitBad));
}

void Runtime::OnOutOfMemory(const char* text) {
  const ReportingLock::Guard guard(reporting_);
  if (!out_of_memory_.exchange(true)) Fail(text, {}, {});
  // Not even the report has the memory it needs.
  FixedLine line;
  line << "taskrace: " << text;
  line.Print();
  syscall(SYS_exit_group, CodeOf(End::kFailure, kExitBad));
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
  NoticeFork();
  const ReportingLock::Guard guard(reporting_);
  constexpr uint64_t kMostWaiting = 1000;
  uint64_t count = 0;
  for (const Fiber* fiber = first; fiber != nullptr; fiber = fiber->newer) ++count;
  if (!OpenLog()) {
    FixedLine line;
    line << "taskrace: deadlock: no task can run, " << count << " are waiting";
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
      races_.WriteCreators({waiting.task, kNowhere});
      log_.EndObject();
    }
    log_.EndArray();
    log_.EndLine();
  }
  _exit(Finish(End::kStopped, kDeadlock));
}

void Runtime::WriteStats() {
  const Checker::Statistics statistics =
      checker_ == nullptr ? Checker::Statistics{} : checker_->GetStatistics();
  log_.BeginLine("stats");
  log_.Field("tasks", statistics.tasks);
  log_.Field("loops", statistics.loops);
  log_.Field("iterations", statistics.iterations);
  log_.Field("iterations_as_tasks", statistics.iterations_as_tasks);
  log_.Field("whole_loop_rows", statistics.whole_loop_rows);
  log_.Field("strands", executor_ == nullptr ? 0 : executor_->strands());
  log_.Field("occurrences", races_.occurrences());
  if (teams_.regions > 0) {
    log_.Field("regions", teams_.regions);
    log_.Field("largest_team", teams_.largest);
    log_.Field("loops_by_units", teams_.loops_by_units);
    log_.Field("loops_by_threads", teams_.loops_by_threads);
  }
  if (simd_.loops() > 0) log_.Field("simd_loops", simd_.loops());
  if (threads_ever_ > 0) {
    log_.Field("threads", uint64_t{threads_ever_});
    log_.Field("switches", baton_.switches());
    log_.Field("synchronisations", synchronisations_);
    log_.Field("unfinished_threads", uint64_t{unfinished_threads_});
  }
  if (worker_numbers_.taken() > 0) log_.Field("worker_numbers", worker_numbers_.taken());
  if (options_.stats != 0) {
    const AccessCounts counts = Counts();
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
  log_.BeginLastLines();
  if (log_.problem() != 0) {
    FixedLine line;
    line << "the log could not be written: " << strerrordesc_np(log_.problem())
         << ": races found after that are missing here";
    WriteMessage("error", line.Text(), {}, {});
  }
  WriteStats();
  if (checker_ != nullptr && checker_->Left() != nullptr) {
    WriteEngine(checker_->EngineName(), checker_->Left()->what);
  }
  log_.BeginLine("end");
  log_.Field("how", how == End::kSignal ? "signal" : how == End::kStopped ? "stop" : "exit");
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
    syscall(SYS_nanosleep, &kBetween, nullptr);
  }
}

int Runtime::Finish(End how, int code) {
  NoticeFork();
  if (getpid() != process_) return code;
  // If memory ran out, it did so while accesses were checked: checking more of them would fail again.
  if (!ended_ && !out_of_memory_) {
    if (IsWorker() && checker_ != nullptr && !is_checking_ && checker_->CanFlush()) {
      checker_->Flush();
    }
    if (is_parallel_) HearOthers();
    // A signal has come while all threads wait: nobody uses the detector.
    if (watches_threads_ && !IsWorker() && !is_checking_ && baton_.LiesFree()) {
      thread_ = running_thread_;
      if (thread_ != nullptr) checker_->Flush();
      thread_ = nullptr;
    }
  }
  // Another thread may be at it: its report decides for both.
  const ReportingLock::Guard guard(reporting_);
  if (!ended_) Report(how, code);
  if (how == End::kStopped) stop_code_ = code;
  return CodeOf(how, code);
}

void Runtime::Report(End how, int code) {
  if (how == End::kExit && !forked_amid_tasks_ && HasUnfinishedTasks()) {
    Warn("the program ended before all of its tasks did: the rest of their work was not checked",
         0);
  }
  ended_ = true;
  const bool wants_file =
      options_.json[0] != '\0' || options_.html[0] != '\0' || options_.sarif[0] != '\0';
  const bool has_more_to_say =
      !forked_ && !reported_ && (options_.hidden_summary != 0 || options_.stats != 0 || wants_file);
  if (log_.is_open() || (has_more_to_say && OpenLog())) {
    WriteEnd(how, code);
    if (how == End::kSignal) StopWatchdog();
    Render(Rendering::kFull);
  }
}

int Runtime::CodeOf(End how, int code) const {
  if (how == End::kSignal) return code;
  if (stop_code_ != 0) return stop_code_;
  if (KnowsRace() && options_.exitcode != 0) return static_cast<int>(options_.exitcode);
  return is_complete_ ? code : kExitBad;
}

void Runtime::ForgetLog() {
  log_.Abandon();
  log_tells_ = false;
}

// If exec fails, the program continues with a new log for later races.
void Runtime::BeforeExec() {
  NoticeFork();
  const ReportingLock::Guard guard(reporting_);
  if (ended_ || getpid() != process_ || !log_.is_open()) return;
  if (log_tells_) {
    WriteEnd(End::kExit, 0);
    // `taskrace run` is to know, for the next program's exit code will not say.
    const bool is_kept = options_.hidden_log_dir[0] != '\0' && !forked_;
    Render(is_kept ? Rendering::kKeepLog : Rendering::kFull);
    reported_ |= KnowsRace();
  } else {
    unlink(log_.path());
  }
  ForgetLog();
}

void Runtime::Render(Rendering rendering) {
  // If that fails, the reporter cannot read the log, and says so.
  if (is_secure_) log_.HandOver();
  const ReporterEnd end = RunReporter(log_.path(), rendering, is_secure_);
  const Log::Verdict verdict = log_.ReadVerdict();
  if (rendering == Rendering::kVerdictOnly) log_.RemoveVerdict();
  const bool has_all = log_.problem() == 0 && races_.unwritten() == 0;
  if (verdict.is_there) {
    if (verdict.reports == 0 && has_all) acquitted_ = races_.occurrences();
    is_complete_ &= verdict.is_complete && log_.problem() == 0;
    return;
  }
  is_complete_ = false;
  FixedLine line;
  line << "taskrace: error: the report could not be written: ";
  Describe(end, line);
  if (options_.hidden_summary != 0) {
    line << "; taskrace run will write it";
  } else {
    line << "; the log is in " << log_.path();
  }
  line.Print();
}

}  // namespace taskrace
