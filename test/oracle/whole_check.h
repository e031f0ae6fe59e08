// Whole detectors on programs: what is wrong on one.
#pragma once

#include <memory>
#include <string>

#include "test/oracle/check.h"
#include "test/oracle/whole_detector.h"

namespace taskrace::oracle {

// How often the tables of tasks and strands are collected: these programs are too small for it to be due.
enum class Tables { kWhole, kCollectedAlways };

// Empty: nothing. left: is told whether the engine left its class.
template <class Engine, class History, size_t kMostFew>
std::string WrongInWhole(const Body& program, const Placement& placement, size_t codes, Moves moves,
                         Tables tables = Tables::kWhole, bool* left = nullptr) {
  const auto detector =
      std::make_unique<WholeDetector<Engine, History, kMostFew>>(placement.base, codes, moves);
  if (tables == Tables::kCollectedAlways) detector->CollectAlways();
  Execution execution(program, {detector.get()}, placement.first_strand, placement.switching);
  detector->Finish();
  if (left != nullptr) *left = detector->LeftClass();
  return detector->Wrong();
}

// Fails the test if the detector is ever wrong on programs of the class, or its engine leaves one.
template <size_t kMostFew, class Engine, class History>
void ExpectExactIfFewAre(const ProgramClass& program_class, size_t codes,
                         Moves moves = Moves::kNone, Tables tables = Tables::kWhole) {
  AnyProgram(
      program_class, ProgramCount() / 4, [&](const Body& program, const Placement& placement) {
        bool left = false;
        if (WrongInWhole<Engine, History, kMostFew>(program, placement, codes, moves, tables, &left)
                .empty()) {
          // An async may outlive the loop that it was made in, which needs many readers.
          const bool may_leave =
              Engine::kOneReader && program_class.finishes && program_class.loops;
          EXPECT_TRUE(!left || may_leave) << "left its class on " << program_class.name;
          return left && !may_leave;
        }
        const Body smallest = Shrink(program, [&](const Body& smaller) {
          return !WrongInWhole<Engine, History, kMostFew>(smaller, placement, codes, moves, tables)
                      .empty();
        });
        ADD_FAILURE() << program_class.name << ", TASKRACE_SEED=" << Seed() << ": "
                      << WrongInWhole<Engine, History, kMostFew>(smallest, placement, codes, moves,
                                                                 tables)
                      << " in " << ToString(smallest) << "with base " << placement.base
                      << ", few: " << kMostFew << ", moves: " << static_cast<int>(moves);
        return true;
      });
}

}  // namespace taskrace::oracle
