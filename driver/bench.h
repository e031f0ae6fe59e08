// `taskrace bench`: builds, runs, measures, counts and checks the benchmark programs.
#pragma once

#include <string>
#include <vector>

namespace taskrace::driver {

// 0; 1 if a program failed or a count has grown; 2 with nothing done; 130 if interrupted.
int Bench(const std::vector<std::string>& arguments);

}  // namespace taskrace::driver
