// Running the executables of a benchmark program: for time, or for the report of the detector.
//
// Thread rule: any number of threads. Cost: the run.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "driver/bench_builds.h"
#include "driver/bench_process.h"
#include "report/result.h"

namespace taskrace::driver {

// What of the detector a run uses.
struct Detector {
  std::string engine = "auto";
  std::string history = "auto";
  int threads = 0;  // of parallel detection; 0: serial
};

// What a report is read for.
enum class Wanted {
  kLines,    // every pair of lines that races
  kBytes,    // every racy byte
  kCounters  // how much was done
};

struct DetectedRun {
  Finished finished;
  nlohmann::json report;  // null if there is none
};

class BenchRuns {
 public:
  // Reports are kept in a directory of their own below that of the builds, while this lives.
  static report::Result<BenchRuns> Open(const BenchBuilds& builds, double timeout_s);
  BenchRuns(BenchRuns&& other) noexcept;
  BenchRuns& operator=(BenchRuns&&) = delete;
  ~BenchRuns();

  // A run whose seconds count, ended after `timeout_s` if that is less than what all runs have.
  Finished Run(const BenchProgram& program, Config config, const std::string& size,
               const Detector& detector,
               double timeout_s = std::numeric_limits<double>::infinity()) const;
  // A run whose report counts. Addresses are the same in every run of an executable.
  DetectedRun RunForReport(const BenchProgram& program, Build build, const std::string& size,
                           const Detector& detector, Wanted wanted) const;

 private:
  BenchRuns(const BenchBuilds& builds, double timeout_s, std::string scratch)
      : builds_(builds), timeout_s_(timeout_s), scratch_(std::move(scratch)) {}

  const BenchBuilds& builds_;
  double timeout_s_;
  std::string scratch_;
};

// The seconds that a program spent in its kernel, as it says itself; else all of its time.
double KernelSeconds(const Finished& finished);

// What went wrong and what the program said, for a person.
std::string Complaint(const std::string& what, const Finished& finished);

}  // namespace taskrace::driver
