// What was measured of a benchmark program, and the figures made of it.
//
// Thread rule: values. Cost: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/bench_config.h"
#include "driver/bench_suite.h"

namespace taskrace::driver {

struct Timing {
  double seconds = 0;  // the least of all runs; if one was ended, how long that took
  long peak_kib = 0;   // the most
  int runs = 0;
  bool timed_out = false;
  bool died = false;  // a peer that cannot run the program: no failure of ours
};

struct BenchResult {
  BenchProgram program;
  std::map<Config, Timing> timings;
  std::map<std::string, int64_t> counters;  // tasks, strands, reads, ...
  std::string engine;                       // that ran
  std::string history;
  std::optional<bool> seeded_found;
  std::string failure;  // for a person; empty: all went well

  std::optional<double> Seconds(Config config) const;
  // A multiple of the plain program; of a peer and of parallel detection: of the oneTBB build on as many
  // threads.
  std::optional<double> Overhead(Config config) const;
  // Peak memory under detection, as a multiple of the plain program's.
  std::optional<double> Memory(Config config = Config::kFull) const;
  // Why there are no seconds: «>300s», «died», or «-» for a config that was not run.
  std::string WhyNot(Config config) const;
};

// Of those there are; nothing if there is none.
std::optional<double> GeometricMean(const std::vector<std::optional<double>>& values);

// The rows of one table: a paper's programs among the results.
struct BenchBlock {
  const BenchGroup* group;
  std::vector<const BenchResult*> rows;
  bool is_whole = false;  // no program of the group is missing

  // The paper's mean over these programs; where it gives no number for each of them, the mean that
  // it prints, if all its programs are here.
  std::optional<double> PublishedMean() const;
};
// In the order of the suite; only those with rows.
std::vector<BenchBlock> BlocksOf(const Suite& suite, const std::vector<BenchResult>& results);

// How many threads a config of the table runs on this machine.
int ThreadsOf(Config config);

}  // namespace taskrace::driver
