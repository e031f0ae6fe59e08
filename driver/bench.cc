// `taskrace bench`: reads the suite, selects programs, and measures, counts or checks them.
//
// Building uses all processors, measuring runs one program at a time: times are worth nothing otherwise.
// Counting and checking do not measure time, and run several programs at once.
#include "driver/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>

#include "driver/bench_builds.h"
#include "driver/bench_check.h"
#include "driver/bench_counts.h"
#include "driver/bench_json.h"
#include "driver/bench_machine.h"
#include "driver/bench_measure.h"
#include "driver/bench_options.h"
#include "driver/bench_plot.h"
#include "driver/bench_progress.h"
#include "driver/bench_suite.h"
#include "driver/bench_table.h"
#include "driver/bench_workers.h"
#include "driver/help.h"
#include "driver/parts.h"
#include "driver/say.h"
#include "report/bytes.h"
#include "report/counted.h"
#include "report/output_file.h"

namespace taskrace::driver {
namespace {

using report::Error;
using report::Result;

constexpr int kExitFailed = 1;
constexpr int kExitInterrupted = 130;
constexpr char kStandardOutput[] = "-";

int List(const std::vector<BenchProgram>& programs) {
  fmt::print("{:<29} {:>8}  {}\n", "program", "in paper", "constructs");
  for (const BenchProgram& program : programs) {
    fmt::print("{:<29} {:>8}  {}\n", program.name, RatioText(program.paper.full),
               fmt::join(program.constructs, ", "));
  }
  return 0;
}

// Hours of measuring must not end with a file that cannot be written.
Result<bool> CheckFiles(const BenchRequest& request) {
  for (const auto& [option, path] : {std::pair("json", request.json), {"plot", request.plot}}) {
    if (path.empty() || path == kStandardOutput) continue;
    if (auto probed = report::ProbeOutputFile(path); !probed) {
      return Error{fmt::format("option {}: {}", option, probed.error())};
    }
  }
  return true;
}

// One call of the command, once everything that it names is there.
class Session {
 public:
  Session(const BenchRequest& request, const Suite& suite, std::vector<BenchProgram> programs,
          const BenchBuilds& builds, const BenchRuns& runs)
      : request_(request),
        suite_(suite),
        programs_(std::move(programs)),
        builds_(builds),
        runs_(runs),
        workers_(request.jobs > 0 ? request.jobs : UsableCpus()) {}

  int Measure(const std::map<std::string, SeededMarks>& marks);
  int Count(const std::optional<CountTable>& accepted);
  int Check(const std::map<std::string, SeededMarks>& marks);

 private:
  // Makes these executables of all programs; what went wrong, by program.
  std::map<std::string, std::string> MakeAll(const std::vector<Build>& builds);
  void PrepareAll(std::vector<BenchResult>& results,
                  const std::map<std::string, SeededMarks>& marks);
  void ReportFailure(const std::string& program, const std::string& failure) {
    progress_.Say(fmt::format("taskrace: {} failed: {}", program, failure));
  }
  // To standard output, unless that is where the JSON goes.
  void Print(const std::string& text) const {
    fmt::print(request_.json == kStandardOutput ? stderr : stdout, "{}", text);
  }
  // Empty names are fine. False if it could not be written; then a message was printed.
  static bool Write(const std::string& path, const std::string& contents);

  const BenchRequest& request_;
  const Suite& suite_;
  const std::vector<BenchProgram> programs_;
  const BenchBuilds& builds_;
  const BenchRuns& runs_;
  const int workers_;
  Progress progress_;
};

bool Session::Write(const std::string& path, const std::string& contents) {
  if (path.empty()) return true;
  if (path == kStandardOutput) {
    fmt::print("{}", contents);
    return true;
  }
  const auto written = report::WriteOutputFile(path, contents);
  if (!written) Fail(written.error());
  return static_cast<bool>(written);
}

std::map<std::string, std::string> Session::MakeAll(const std::vector<Build>& builds) {
  std::vector<std::pair<const BenchProgram*, Build>> missing;
  for (const BenchProgram& program : programs_) {
    for (Build build : builds) {
      if (!builds_.IsUpToDate(program, build)) missing.emplace_back(&program, build);
    }
  }
  std::map<std::string, std::string> failures;
  std::mutex mutex;
  std::atomic<size_t> begun = 0;
  OnWorkers(workers_, missing.size(), [&](size_t i) {
    const auto& [program, build] = missing[i];
    if (Interrupted()) return;
    progress_.Show("building " + report::Counted(missing.size(), "executable"),
                   fmt::format("{}, {} ({})", ++begun, program->name, NameOf(build)));
    const auto made = builds_.Make(*program, build);
    if (made || Interrupted()) return;
    const std::lock_guard lock(mutex);
    failures.try_emplace(program->name, made.error());
  });
  if (!Interrupted()) {
    for (const auto& [program, failure] : failures) ReportFailure(program, failure);
  }
  return failures;
}

void Session::PrepareAll(std::vector<BenchResult>& results,
                         const std::map<std::string, SeededMarks>& marks) {
  const BenchMeasurement measurement(request_, runs_, progress_);
  OnWorkers(workers_, results.size(), [&](size_t i) {
    BenchResult& result = results[i];
    if (Interrupted() || !result.failure.empty()) return;
    progress_.Show("counting, and looking for the seeded races", result.program.name);
    const auto found = marks.find(result.program.name);
    measurement.Prepare(result, found == marks.end() ? SeededMarks() : found->second,
                        suite_.directory);
    if (!result.failure.empty()) ReportFailure(result.program.name, result.failure);
  });
}

int Session::Measure(const std::map<std::string, SeededMarks>& marks) {
  const Machine machine = DescribeMachine(builds_.clang());
  if (machine.IsBusy()) {
    progress_.Say(fmt::format(
        "taskrace: warning: the machine is busy (load {:.1f}); times will be unreliable",
        machine.load));
  }
  std::vector<Build> builds = {Build::kDetected, Build::kSeeded};
  for (Config config : request_.configs) builds.push_back(RowOf(config).build);
  std::ranges::sort(builds);
  builds.erase(std::ranges::unique(builds).begin(), builds.end());

  const auto failures = MakeAll(builds);
  std::vector<BenchResult> results;
  for (const BenchProgram& program : programs_) {
    BenchResult& result = results.emplace_back();
    result.program = program;
    if (const auto found = failures.find(program.name); found != failures.end()) {
      result.failure = found->second;
    }
  }
  PrepareAll(results, marks);
  const BenchMeasurement measurement(request_, runs_, progress_);
  size_t done = 0;
  for (; done < results.size() && !Interrupted(); ++done) {
    BenchResult& result = results[done];
    if (!result.failure.empty()) continue;
    measurement.Measure(result,
                        fmt::format("{} of {}, {}", done + 1, results.size(), result.program.name));
    if (!result.failure.empty()) ReportFailure(result.program.name, result.failure);
    if (Interrupted()) break;
  }
  progress_.Clear();
  if (Interrupted()) {
    const size_t all = results.size();
    results.resize(done);
    if (done > 0) Print(RenderTables(suite_, results, request_));
    fmt::print(stderr, "taskrace: interrupted: {} of {} programs were measured\n", done, all);
    return kExitInterrupted;
  }
  Print(machine.Text() + "\n\n" + RenderTables(suite_, results, request_));
  if (!Write(request_.json, BenchJson(machine, request_, results)) ||
      !Write(request_.plot, BenchPlot(suite_, results, request_, machine))) {
    return kExitBad;
  }
  const bool all_well = std::ranges::all_of(results, [](const BenchResult& result) {
    return result.failure.empty() && result.seeded_found.value_or(true);
  });
  return all_well ? 0 : kExitFailed;
}

int Session::Count(const std::optional<CountTable>& accepted) {
  const auto failures = MakeAll({Build::kDetected});
  const Detector detector{request_.engine, request_.history};
  CountTable table;
  std::mutex mutex;
  std::atomic<bool> all_well = failures.empty();
  OnWorkers(workers_, programs_.size(), [&](size_t i) {
    const BenchProgram& program = programs_[i];
    if (Interrupted() || failures.contains(program.name)) return;
    progress_.Show("counting", program.name);
    const auto counts = CollectCounts(builds_, runs_, program, request_.size, detector);
    if (Interrupted()) return;
    if (!counts) {
      ReportFailure(program.name, counts.error());
      all_well = false;
      return;
    }
    const std::lock_guard lock(mutex);
    table[program.name] = *counts;
  });
  progress_.Clear();
  if (Interrupted()) return kExitInterrupted;
  Print(CountsText(table));
  if (!Write(request_.json, CountsJson(table, request_.size, detector))) return kExitBad;
  if (!accepted) return all_well ? 0 : kExitFailed;
  const CountComparison comparison = CompareCounts(table, *accepted);
  for (const std::string& line : comparison.better) Print("better: " + line + "\n");
  for (const std::string& line : comparison.worse) Print("worse: " + line + "\n");
  if (!comparison.better.empty() || !comparison.worse.empty()) {
    Print(fmt::format("To accept these counts: taskrace bench --count --json={}\n",
                      report::Printable(request_.compare)));
  }
  return all_well && comparison.worse.empty() ? 0 : kExitFailed;
}

int Session::Check(const std::map<std::string, SeededMarks>& marks) {
  const auto failures = MakeAll(BuildsToCheck(request_));
  std::mutex mutex;
  bool all_well = failures.empty();
  OnWorkers(workers_, programs_.size(), [&](size_t i) {
    const BenchProgram& program = programs_[i];
    if (Interrupted() || failures.contains(program.name)) return;
    progress_.Show("checking", program.name);
    const auto found = marks.find(program.name);
    const auto complaints =
        CheckBenchProgram(request_, runs_, program,
                          found == marks.end() ? SeededMarks() : found->second, suite_.directory);
    if (Interrupted()) return;
    const std::lock_guard lock(mutex);
    all_well &= complaints.empty();
    progress_.Clear();
    fmt::print("{}: {}\n", program.name, complaints.empty() ? "ok" : "bad");
    for (const std::string& complaint : complaints) fmt::print("  {}\n", complaint);
    std::fflush(stdout);
  });
  progress_.Clear();
  if (Interrupted()) return kExitInterrupted;
  return all_well ? 0 : kExitFailed;
}

// The programs that the engine handles; the others are named.
std::vector<BenchProgram> Handled(std::vector<BenchProgram> programs, const std::string& engine) {
  std::vector<std::string> left_out;
  std::erase_if(programs, [&](const BenchProgram& program) {
    if (program.IsHandledBy(engine)) return false;
    left_out.push_back(program.name);
    return true;
  });
  if (!left_out.empty()) {
    fmt::print(stderr, "taskrace: skipped, because engine {} does not handle them: {}\n", engine,
               fmt::join(left_out, ", "));
  }
  return programs;
}

}  // namespace

int Bench(const std::vector<std::string>& arguments) {
  using Task = BenchRequest::Task;
  const auto request = ReadBenchRequest(arguments);
  if (!request) return Fail(request.error());
  if (request->task == Task::kHelp) return Help("bench");
  const auto suite = ReadSuite(FindParts().BenchDirectory());
  if (!suite) return Fail(suite.error());
  const auto selected = suite->Select(request->names);
  if (!selected) return Fail(selected.error());
  if (request->task == Task::kList) return List(*selected);
  const auto programs = Handled(*selected, request->engine);
  if (programs.empty()) return Fail("no program is left; choose another engine");
  if (auto checked = CheckFiles(*request); !checked) return Fail(checked.error());
  std::optional<CountTable> accepted;
  if (!request->compare.empty()) {
    auto read = ReadCounts(request->compare);
    if (!read) return Fail(read.error());
    accepted = std::move(*read);
  }
  const auto marks = ReadSeededMarks(suite->directory);
  if (!marks) return Fail(marks.error());
  const auto builds = BenchBuilds::Open(suite->directory, request->work);
  if (!builds) return Fail(builds.error());
  const auto runs = BenchRuns::Open(*builds, request->timeout_s);
  if (!runs) return Fail(runs.error());
  WatchInterrupts();
  Session session(*request, *suite, programs, *builds, *runs);
  switch (request->task) {
    case Task::kCount:
      return session.Count(accepted);
    case Task::kCheck:
      return session.Check(*marks);
    default:
      return session.Measure(*marks);
  }
}

}  // namespace taskrace::driver
