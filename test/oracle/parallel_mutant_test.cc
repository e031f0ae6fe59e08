// Compiled once for each mutant of the parallel detector (parallel_mutants.cmake), with the broken
// header in front of the real one: it must be caught in some order. MUTANT_CLASS: where.
// MUTANT_HIDES: in depth-first order it must not be. MUTANT_MOVES: which accesses are moved out of loops.
#include "test/oracle/parallel_check.h"

namespace taskrace::oracle {
namespace {

bool IsCaughtInSomeOrder(bool depth_first) {
  ParallelSubject subject;
  size_t seed = 0;
  return AnyProgram(MUTANT_CLASS, 2'000, [&](const Body& body, const Placement& placement) {
    std::mt19937_64 rng(++seed);
    return !Wrong(subject, body, placement.base, rng, nullptr, depth_first, MUTANT_MOVES).empty();
  });
}

TEST(ParallelMutant, IsCaughtInSomeOrder) {
  EXPECT_TRUE(IsCaughtInSomeOrder(/*depth_first=*/false));
}
TEST(ParallelMutant, IsSeenInDepthFirstOrderUnlessThatHidesIt) {
  EXPECT_EQ(IsCaughtInSomeOrder(/*depth_first=*/true), !MUTANT_HIDES);
}

}  // namespace
}  // namespace taskrace::oracle
