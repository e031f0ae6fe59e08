// Whole detectors on programs: what is wrong on one.
#pragma once

#include <memory>
#include <string>

#include "test/oracle/check.h"
#include "test/oracle/whole_detector.h"

namespace taskrace::oracle {

// Empty: nothing. left: is told whether the engine left its class.
template <class Engine, class History, size_t kMostFew>
std::string WrongInWhole(const Body& program, const Placement& placement, size_t codes, Moves moves,
                         bool* left = nullptr) {
  const auto detector =
      std::make_unique<WholeDetector<Engine, History, kMostFew>>(placement.base, codes, moves);
  Execution execution(program, {detector.get()}, placement.first_strand, placement.switching);
  detector->Finish();
  if (left != nullptr) *left = detector->LeftClass();
  return detector->Wrong();
}

// Fails the test if the detector is ever wrong on programs of the class, or its engine leaves one.
template <size_t kMostFew, class Engine, class History>
void ExpectExactIfFewAre(const ProgramClass& program_class, size_t codes,
                         Moves moves = Moves::kNone) {
  AnyProgram(
      program_class, ProgramCount() / 4, [&](const Body& program, const Placement& placement) {
        bool left = false;
        if (WrongInWhole<Engine, History, kMostFew>(program, placement, codes, moves, &left)
                .empty()) {
          // An async may outlive the loop that it was made in, which needs many readers.
          const bool may_leave =
              Engine::kOneReader && program_class.finishes && program_class.loops;
          EXPECT_TRUE(!left || may_leave) << "left its class on " << program_class.name;
          return left && !may_leave;
        }
        const Body smallest = Shrink(program, [&](const Body& smaller) {
          return !WrongInWhole<Engine, History, kMostFew>(smaller, placement, codes, moves).empty();
        });
        ADD_FAILURE() << program_class.name << ", TASKRACE_SEED=" << Seed() << ": "
                      << WrongInWhole<Engine, History, kMostFew>(smallest, placement, codes, moves)
                      << " in " << ToString(smallest) << "with base " << placement.base
                      << ", few: " << kMostFew << ", moves: " << static_cast<int>(moves);
        return true;
      });
}

}  // namespace taskrace::oracle
