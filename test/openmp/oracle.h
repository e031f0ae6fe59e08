// The OpenMP oracle: the dag of a program by the rules of docs/openmp.md, as plainly as they can be written down, and
// all racy bytes by comparing all pairs of accesses.
//
// Thread by thread, a region is unrolled into strands. A barrier is a node that all threads of the team lead to, and
// that the next strand of each comes after. What may be run by any thread (an iteration, a chunk, a section, a single block) is a
// strand of its own, a unit: after what its thread did before, parallel to what it does until the next barrier.
#pragma once

#include <set>

#include "test/openmp/program.h"

namespace taskrace::openmp_oracle {

struct RacyBytes {
  std::set<int> shared;  // bytes of the buffer
  std::set<int> own;     // bytes of blocks of threads, those of all threads together
  bool operator==(const RacyBytes&) const = default;
};

RacyBytes FindRacyBytes(const Body& program);

}  // namespace taskrace::openmp_oracle
