// The results of `taskrace bench` for other programs.
//
// Thread rule: a pure function. Cost: none.
#pragma once

#include <string>
#include <vector>

#include "driver/bench_machine.h"
#include "driver/bench_options.h"
#include "driver/bench_results.h"

namespace taskrace::driver {

std::string BenchJson(const Machine& machine, const BenchRequest& request,
                      const std::vector<BenchResult>& results);

}  // namespace taskrace::driver
