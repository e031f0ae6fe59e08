// Times of one program. A round runs each config once, in turn, so that a disturbance of the machine hits
// all configs and not one of them; the result is the shortest run of each.
#include "driver/bench_measure.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/bench_seeded.h"

namespace taskrace::driver {
namespace {

// Unless the user says how often, a config is not run again once its runs have taken this long:
// the whole suite at size small is to end within 20 minutes. What only stands beside the overheads
// gets less.
bool IsOverhead(Config config) { return config == Config::kPlain || !RowOf(config).mode.empty(); }
double EnoughSeconds(Config config) { return IsOverhead(config) ? 1.6 : 0.6; }

// How long the others may take where the plain program has taken `plain_s`: a peer that has lost its
// way, or a parallel build that suspends a task at every step, must not hold up everything.
double Patience(double plain_s) { return 10 + 50 * plain_s; }

}  // namespace

void BenchMeasurement::Prepare(BenchResult& result, const SeededMarks& marks,
                               const std::string& suite) const {
  const BenchProgram& program = result.program;
  const Detector detector{.engine = request_.engine, .history = request_.history};
  const DetectedRun seeded =
      runs_.RunForReport(program, Build::kSeeded, "test", detector, Wanted::kLines);
  if (Interrupted()) return;
  if (seeded.report.is_null()) {
    result.failure = Complaint("the seeded sibling", seeded.finished);
    return;
  }
  result.seeded_found = SeededComplaints(ReportedLines(seeded.report, suite), marks).empty();

  const DetectedRun counted =
      runs_.RunForReport(program, Build::kDetected, request_.size, detector, Wanted::kCounters);
  if (counted.finished.how == Finished::How::kTimeout || Interrupted()) return;
  if (!counted.finished.Succeeded() || counted.report.is_null()) {
    result.failure = Complaint("under detection", counted.finished);
    return;
  }
  for (const auto& [name, value] : counted.report.at("stats").items()) {
    if (value.is_number()) result.counters[name] = value;
  }
  result.engine = counted.report.at("stats").at("engine");
  result.history = counted.report.at("stats").at("history");
}

bool BenchMeasurement::IsWorthAnotherRun(const Timing& timing, Config config,
                                         double spent_s) const {
  if (timing.runs == 0) return true;
  return !timing.timed_out && !timing.died &&
         (request_.repeat_is_exact || spent_s < EnoughSeconds(config));
}

bool BenchMeasurement::RunOnce(BenchResult& result, Config config, Spent& spent_s) const {
  Timing& timing = result.timings[config];
  const Detector detector{.engine = request_.engine, .history = request_.history};
  const Finished finished = IsOverhead(config)
                                ? runs_.Run(result.program, config, request_.size, detector)
                                : runs_.Run(result.program, config, request_.size, detector,
                                            Patience(spent_s[Config::kPlain]));
  if (finished.how == Finished::How::kInterrupted) return false;
  spent_s[config] += finished.wall_s;
  timing.peak_kib = std::max(timing.peak_kib, finished.peak_kib);
  ++timing.runs;
  if (!finished.Succeeded() && RowOf(config).IsPeer()) {
    timing.died = true;
    return true;
  }
  if (finished.how == Finished::How::kTimeout) {
    timing.timed_out = true;
    timing.seconds = finished.wall_s;
    return true;
  }
  if (!finished.Succeeded()) {
    result.failure = Complaint(std::string(RowOf(config).name), finished);
    return false;
  }
  const double seconds = KernelSeconds(finished);
  timing.seconds = timing.runs == 1 ? seconds : std::min(timing.seconds, seconds);
  return true;
}

void BenchMeasurement::Measure(BenchResult& result, const std::string& label) const {
  Spent spent_s;
  for (int round = 1; round <= request_.repeat; ++round) {
    for (Config config : request_.configs) {
      if (ThreadsOf(config) > UsableCpus()) continue;
      if (RowOf(config).DetectsInParallel() && !result.program.IsHandledBy("dpst")) continue;
      if (!IsWorthAnotherRun(result.timings[config], config, spent_s[config])) continue;
      progress_.Show(label, fmt::format("round {}, {}", round, RowOf(config).name));
      if (!RunOnce(result, config, spent_s)) return;
    }
  }
}

}  // namespace taskrace::driver
