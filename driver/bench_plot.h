// The overheads as a picture: grouped bars on a logarithmic scale, a panel a paper, in SVG.
//
// Thread rule: a pure function. Cost: none.
#pragma once

#include <string>
#include <vector>

#include "driver/bench_machine.h"
#include "driver/bench_options.h"
#include "driver/bench_results.h"

namespace taskrace::driver {

std::string BenchPlot(const Suite& suite, const std::vector<BenchResult>& results,
                      const BenchRequest& request, const Machine& machine);

}  // namespace taskrace::driver
