// The papers' tables, with our figures beside theirs, for a terminal of 120 columns.
//
// Thread rule: a pure function. Cost: none.
#pragma once

#include <string>
#include <vector>

#include "driver/bench_options.h"
#include "driver/bench_results.h"

namespace taskrace::driver {

std::string RenderTables(const Suite& suite, const std::vector<BenchResult>& results,
                         const BenchRequest& request);

// A ratio for a person: 1.04, 12.3, 118.
std::string RatioText(std::optional<double> ratio);

// Columns that are as wide as their cells, the first to the left, the others to the right.
std::string AlignColumns(const std::vector<std::vector<std::string>>& rows);

}  // namespace taskrace::driver
