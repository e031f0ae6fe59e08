#include "driver/bench_runs.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "report/bytes.h"
#include "report/options.h"

namespace taskrace::driver {
namespace {

using report::Error;
using report::Printable;
using report::Result;

report::Options OptionsOf(const Detector& detector, std::string_view mode) {
  report::Options options;
  options.engine = detector.engine;
  options.history = detector.history;
  options.mode = mode;
  if (detector.threads != 0) options.exec = "parallel";
  options.threads = detector.threads;
  return options;
}

// The variable that hands them to the runtime.
std::pair<std::string, std::string> Variable(const report::Options& options) {
  const auto text = options.Text();
  return {"TASKRACE_OPTIONS", text ? *text : text.error()};
}

}  // namespace

Result<BenchRuns> BenchRuns::Open(const BenchBuilds& builds, double timeout_s) {
  std::string scratch = builds.work() + "/reports.XXXXXX";
  if (mkdtemp(scratch.data()) == nullptr) {
    return Error{fmt::format("cannot make a directory in {}: {}", Printable(builds.work()),
                             std::strerror(errno))};
  }
  return BenchRuns(builds, timeout_s, scratch);
}

BenchRuns::BenchRuns(BenchRuns&& other) noexcept
    : builds_(other.builds_),
      timeout_s_(other.timeout_s_),
      scratch_(std::exchange(other.scratch_, "")) {}

BenchRuns::~BenchRuns() {
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

Finished BenchRuns::Run(const BenchProgram& program, Config config, const std::string& size,
                        const Detector& detector, double timeout_s) const {
  const ConfigRow& row = RowOf(config);
  ProcessRequest request{.command = {builds_.Executable(program, row.build), "--time", size},
                         .timeout_s = std::min(timeout_s_, timeout_s),
                         .cpus = row.threads < 0 ? UsableCpus() : row.threads};
  if (!row.mode.empty()) {
    const Detector parallel{.threads = row.threads};
    request.environment = {
        Variable(OptionsOf(row.DetectsInParallel() ? parallel : detector, row.mode))};
  }
  // oneTBB is not instrumented; what ThreadSanitizer would report about it is not what is measured.
  // It cannot follow tasks that switch stacks, and hangs in its own handler when it has crashed.
  if (row.IsPeer()) {
    request.environment = {{"TSAN_OPTIONS", "report_bugs=0:handle_segv=0:handle_abort=0"}};
  }
  return RunProcess(request);
}

DetectedRun BenchRuns::RunForReport(const BenchProgram& program, Build build,
                                    const std::string& size, const Detector& detector,
                                    Wanted wanted) const {
  const std::string executable = builds_.Executable(program, build);
  const std::string json =
      fmt::format("{}/{}.json", scratch_, std::filesystem::path(executable).filename().string());
  report::Options options = OptionsOf(detector, "full");
  options.json = json;
  options.max_races = 0;
  options.dedup = wanted == Wanted::kBytes ? "address" : "site";
  options.stats = wanted == Wanted::kCounters ? 1 : 0;
  DetectedRun run;
  run.finished = RunProcess({.command = {executable, size},
                             .environment = {Variable(options)},
                             .timeout_s = timeout_s_,
                             .fixed_addresses = true});
  std::ifstream file(json);
  run.report = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (run.report.is_discarded()) run.report = nullptr;
  std::error_code ignored;
  std::filesystem::remove(json, ignored);
  return run;
}

double KernelSeconds(const Finished& finished) {
  static constexpr std::string_view kBefore = ": kernel ";
  const size_t at = finished.errors.rfind(kBefore);
  if (at == std::string::npos) return finished.wall_s;
  return std::strtod(finished.errors.c_str() + at + kBefore.size(), nullptr);
}

std::string Complaint(const std::string& what, const Finished& finished) {
  static constexpr size_t kMostLines = 40;
  std::string text = fmt::format("{}: {}", what, finished.Ending());
  const std::string said = finished.out + finished.errors;
  size_t begin = 0;
  for (size_t line = 0; begin < said.size() && line < kMostLines; ++line) {
    const size_t end = std::min(said.find('\n', begin), said.size());
    text += "\n    " + Printable(std::string_view(said).substr(begin, end - begin));
    begin = end + 1;
  }
  if (begin < said.size()) text += "\n    ...";
  return text;
}

}  // namespace taskrace::driver
