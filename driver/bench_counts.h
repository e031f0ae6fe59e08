// Counts that are the same on every machine: what the pass emits, and what a run does. They show a
// regression where times cannot.
//
// Thread rule: CollectCounts from any thread; the rest are pure functions. Cost: a run a program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "driver/bench_runs.h"
#include "report/result.h"

namespace taskrace::driver {

// By name, «emitted.reads» or «queries».
using Counts = std::map<std::string, int64_t>;
// By program.
using CountTable = std::map<std::string, Counts>;

report::Result<Counts> CollectCounts(const BenchBuilds& builds, const BenchRuns& runs,
                                     const BenchProgram& program, const std::string& size,
                                     const Detector& detector);

// For a person; for a file.
std::string CountsText(const CountTable& table);
std::string CountsJson(const CountTable& table, const std::string& size, const Detector& detector);
// What CountsJson has written. The error names the file.
report::Result<CountTable> ReadCounts(const std::string& path);

struct CountComparison {
  std::vector<std::string> worse;   // a line each
  std::vector<std::string> better;  // likewise
};
// Only the programs of `now` are compared. What the pass emits, tasks and strands are exact; what
// depends on where memory lies may grow by kCountTolerance.
inline constexpr double kCountTolerance = 0.02;
CountComparison CompareCounts(const CountTable& now, const CountTable& accepted);

}  // namespace taskrace::driver
