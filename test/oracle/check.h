// Runs an engine and a history on many programs, and says what went wrong in words: the smallest
// program that still shows it, and how to run it again.
//
// TASKRACE_LONG=1 runs fifty times as many random programs, and enumerates programs of one
// construct more; TASKRACE_SEED picks others.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "test/oracle/all_programs.h"
#include "test/oracle/random_program.h"
#include "test/oracle/subject.h"

namespace taskrace::oracle {

inline const Construct kRead = Access(AccessKind::kRead, 0);
inline const Construct kWrite = Access(AccessKind::kWrite, 0);
inline const Construct kAtomicRead = Access(AccessKind::kAtomicRead, 0);
inline const Construct kAtomicWrite = Access(AccessKind::kAtomicWrite, 0);

struct Outcome {
  std::string wrong;  // empty: right
  bool left_class = false;
  size_t strands = 0;
  std::set<unsigned> reported = {};  // bytes
};

// Where the buffer lies, relative to pages and cells, and how the strands are numbered.
struct Placement {
  uintptr_t base = uintptr_t{0x7000'0000'1000};
  Surroundings surroundings = Surroundings::kUntouched;
  uint32_t first_strand = 1;
  Switching switching = Switching::kToTheLastSuspended;
};

inline Placement RandomPlacement(std::mt19937_64& rng) {
  Placement placement;
  if (rng() % 2 == 0) placement.base += rng() % 8;
  if (rng() % 4 == 0) placement.base += 4096 - kBytes / 2;  // the buffer spans two pages
  placement.surroundings = static_cast<Surroundings>(rng() % 4);
  if (rng() % 4 == 0) placement.first_strand = 3'757'000'000;
  return placement;
}

// Runs a program with a history that may have seen others, at smaller strand numbers.
template <class Engine, class History>
Outcome RunProgram(const Body& program, const Placement& placement, History& history) {
  history.Clear(placement.base / 4096 * 4096, 2 * 4096);
  Subject<Engine, History> subject(history, placement.base, placement.surroundings);
  Execution execution(program, {&subject}, placement.first_strand, placement.switching);
  return {subject.Wrong(), subject.LeftClass(), execution.GetDag().Size(), subject.Reported()};
}

// Runs a program with a history of its own.
template <class Engine, class History>
Outcome RunProgram(const Body& program, const Placement& placement) {
  History history;
  return RunProgram<Engine>(program, placement, history);
}

inline bool IsLong() { return std::getenv("TASKRACE_LONG") != nullptr; }
inline size_t ProgramCount() { return IsLong() ? 100'000 : 2'000; }
inline uint64_t Seed() {
  const char* seed = std::getenv("TASKRACE_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1;
}

// Calls visit(program, placement) for the examples and for `count` random programs of the class,
// until it returns true; says whether it did.
template <class Visit>
bool AnyProgram(const ProgramClass& program_class, size_t count, Visit visit) {
  for (const Body& program : Examples(program_class)) {
    if (visit(program, Placement{.switching = program_class.switching})) return true;
  }
  for (size_t i = 0; i < count; ++i) {
    std::mt19937_64 rng(Seed() * 1'000'003 + i);
    const Body program = RandomProgram(rng, program_class);
    Placement placement = RandomPlacement(rng);
    placement.switching = program_class.switching;
    if (visit(program, placement)) return true;
  }
  return false;
}

// Fails the test if the engine and the history are ever wrong on programs of the class, until the
// engine says that it is not for them. Returns how many it left.
template <class Engine, class History>
size_t ExpectRightUntilLeft(const ProgramClass& program_class) {
  size_t left = 0;
  AnyProgram(program_class, ProgramCount(), [&](const Body& program, const Placement& placement) {
    const Outcome outcome = RunProgram<Engine, History>(program, placement);
    left += outcome.left_class;
    if (outcome.wrong.empty()) return false;
    const Body smallest = Shrink(program, [&](const Body& smaller) {
      return !RunProgram<Engine, History>(smaller, placement).wrong.empty();
    });
    ADD_FAILURE() << program_class.name << ", TASKRACE_SEED=" << Seed() << ": "
                  << RunProgram<Engine, History>(smallest, placement).wrong << " in "
                  << ToString(smallest) << "with base " << placement.base << ", surroundings "
                  << static_cast<int>(placement.surroundings);
    return true;
  });
  return left;
}

// The same where the engine must know the whole class.
template <class Engine, class History>
void ExpectRight(const ProgramClass& program_class) {
  const size_t left = ExpectRightUntilLeft<Engine, History>(program_class);
  EXPECT_EQ(left, 0u) << "left its class on " << program_class.name;
}

// The same where the class has programs that the engine is for, and others.
template <class Engine, class History>
void ExpectRightAndLeft(const ProgramClass& program_class) {
  const size_t left = ExpectRightUntilLeft<Engine, History>(program_class);
  EXPECT_GT(left, 0u) << "never left its class on " << program_class.name;
  EXPECT_LT(left, ProgramCount()) << "always left its class on " << program_class.name;
}

// Checks all programs of up to so many constructs, until the engine says that it is not for them.
// Returns how many it left.
template <class Engine, class History>
size_t ExpectAllRightUntilLeft(const Alphabet& alphabet, unsigned most_constructs) {
  if (IsLong()) ++most_constructs;
  History history;  // one for all: a new one each time would cost more than the programs
  Placement placement;
  size_t programs = 0;
  size_t left = 0;
  for (unsigned constructs = 0; constructs <= most_constructs; ++constructs) {
    programs += ForEachProgram(alphabet, constructs, [&](const Body& program) {
      const Outcome outcome = RunProgram<Engine>(program, placement, history);
      placement.first_strand += static_cast<uint32_t>(outcome.strands);
      left += outcome.left_class;
      ASSERT_EQ(outcome.wrong, "") << ToString(program);
    });
  }
  testing::Test::RecordProperty("programs", std::to_string(programs));
  testing::Test::RecordProperty("left_class", std::to_string(left));
  return left;
}

// The same where the engine must know them all.
template <class Engine, class History>
void ExpectAllRight(const Alphabet& alphabet, unsigned most_constructs) {
  EXPECT_EQ((ExpectAllRightUntilLeft<Engine, History>(alphabet, most_constructs)), 0u)
      << "left its class";
}

// Is the engine or the history, broken on purpose, caught on a program of the class?
template <class Engine, class History>
bool IsCaught(const ProgramClass& program_class) {
  return AnyProgram(program_class, 2'000, [&](const Body& program, const Placement& placement) {
    return !RunProgram<Engine, History>(program, placement).wrong.empty();
  });
}

}  // namespace taskrace::oracle
