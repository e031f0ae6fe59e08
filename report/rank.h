// The rank of a process among those that a parallel launcher has started.
//
// Thread rule: reads the environment.
#pragma once

#include <optional>

namespace taskrace::report {

// From the variables of Open MPI, MPICH and Slurm; none if no launcher has set one.
std::optional<int> RankOfProcess();

}  // namespace taskrace::report
