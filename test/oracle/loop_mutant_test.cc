// Compiled once for each mutant of what the detector does for loops (loop_mutants.cmake), with the broken
// header in front of the real one: it must be caught.
#include "detect/history/shadow.h"
#include "detect/reach/sp_bags.h"
#include "test/oracle/staying_examples.h"
#include "test/oracle/whole_check.h"

__thread __taskrace_frame* __taskrace_top = nullptr;

namespace taskrace::oracle {
namespace {

TEST(LoopMutant, IsCaught) {
  const auto is_wrong = [](const Body& program, const Placement& placement) {
    return !WrongInWhole<MUTANT_ENGINE, ShadowHistory, 16>(program, placement, 1000, MUTANT_MOVES)
                .empty();
  };
  const std::vector<Body> examples = StayingExamples();
  EXPECT_TRUE(
      std::ranges::any_of(examples, [&](const Body& program) { return is_wrong(program, {}); }) ||
      AnyProgram(WithLoops(MUTANT_CLASS), 2'000, is_wrong));
}

}  // namespace
}  // namespace taskrace::oracle
