// Whether the benchmark programs are what they say: right in every build, without a race under
// every engine and history, and with exactly the seeded races in their siblings.
//
// Thread rule: any thread, for different programs. Cost: some dozen runs.
#pragma once

#include <string>
#include <vector>

#include "driver/bench_options.h"
#include "driver/bench_runs.h"

namespace taskrace::driver {

// Which executables CheckProgram runs.
std::vector<Build> BuildsToCheck(const BenchRequest& request);

// What is not as it should be. Engines must agree with each other on the racy bytes of the sibling.
std::vector<std::string> CheckBenchProgram(const BenchRequest& request, const BenchRuns& runs,
                                           const BenchProgram& program, const SeededMarks& marks,
                                           const std::string& suite);

}  // namespace taskrace::driver
