// The command line of `taskrace bench`.
//
// Thread rule: values. Cost: linear in the arguments.
#pragma once

#include <string>
#include <vector>

#include "driver/bench_config.h"
#include "report/result.h"

namespace taskrace::driver {

struct BenchRequest {
  std::vector<std::string> names;  // none: all programs
  std::string size = "small";
  std::vector<Config> configs;  // in the order of kConfigTable
  std::string engine = "auto";
  std::string history = "auto";
  std::string json;     // "-": standard output
  std::string plot;     // an SVG file
  std::string compare;  // with --count: a table to hold the counts against
  std::string work;     // where executables are kept
  int repeat = 5;
  bool repeat_is_exact = false;  // --repeat was given: long programs get no fewer rounds
  int timeout_s = 300;
  int jobs = 0;  // compilers at once; 0: one a core
  enum class Task { kMeasure, kList, kCount, kCheck, kHelp } task = Task::kMeasure;

  bool Runs(Config config) const;
};

report::Result<BenchRequest> ReadBenchRequest(const std::vector<std::string>& arguments);

// All options, for `taskrace help bench`.
std::string BenchOptionsHelp();

}  // namespace taskrace::driver
