// Results for the tests of what is made of them.
#pragma once

#include "driver/bench_results.h"

namespace taskrace::driver {

// One paper with two programs; it has a number for the first only, and a mean.
inline Suite SampleSuite() {
  Suite suite;
  suite.groups = {{.name = "one",
                   .variant = "",
                   .title = "One <fork & join>",
                   .remark = "Figure 1",
                   .words = {{"full", "RD"}},
                   .geomean = 7.0}};
  for (const char* name : {"one/fft", "one/sort"}) {
    BenchProgram program;
    program.name = name;
    program.group = "one";
    suite.programs.push_back(program);
  }
  suite.programs[0].paper.full = 36.14;
  return suite;
}

// fft 4 times slower, sort 9 times; three times the memory.
inline std::vector<BenchResult> SampleResults(const Suite& suite) {
  std::vector<BenchResult> results(2);
  for (size_t i = 0; i < results.size(); ++i) {
    BenchResult& result = results[i];
    result.program = suite.programs[i];
    result.timings[Config::kPlain] = {.seconds = 0.5, .peak_kib = 1000, .runs = 5};
    result.timings[Config::kFull] = {
        .seconds = i == 0 ? 2.0 : 4.5, .peak_kib = 3000, .runs = i == 0 ? 5 : 2};
    result.counters["strands"] = 12345;
    result.seeded_found = i == 0;
    result.engine = "spbags";
    result.history = "shadow";
  }
  return results;
}

}  // namespace taskrace::driver
