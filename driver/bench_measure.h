// Measuring benchmark programs: rounds in which every config runs once, so that whatever slows the
// machine down slows all of them; the least time of the rounds counts.
//
// Thread rule: Prepare from any thread, for different programs; Measure from one, with nothing else
// going on. Cost: the runs.
#pragma once

#include <map>
#include <string>

#include "driver/bench_options.h"
#include "driver/bench_progress.h"
#include "driver/bench_results.h"
#include "driver/bench_runs.h"

namespace taskrace::driver {

class BenchMeasurement {
 public:
  BenchMeasurement(const BenchRequest& request, const BenchRuns& runs, Progress& progress)
      : request_(request), runs_(runs), progress_(progress) {}

  // What needs no clock: the counters, and whether the seeded sibling is caught (at size test).
  void Prepare(BenchResult& result, const SeededMarks& marks, const std::string& suite) const;
  // The times. `label` goes into the progress line.
  void Measure(BenchResult& result, const std::string& label) const;

 private:
  using Spent = std::map<Config, double>;  // seconds, of all runs so far

  bool IsWorthAnotherRun(const Timing& timing, Config config, double spent_s) const;
  // False if the program failed.
  bool RunOnce(BenchResult& result, Config config, Spent& spent_s) const;

  const BenchRequest& request_;
  const BenchRuns& runs_;
  Progress& progress_;
};

}  // namespace taskrace::driver
