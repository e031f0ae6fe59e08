// Parallel detection on random linear extensions of the dag, without threads, against the oracle.
// Serial order alone hides errors in what is kept of the readers.
#include "test/oracle/parallel_check.h"

namespace taskrace::oracle {
namespace {

constexpr size_t kOrders = 4;
constexpr Moves kMoves[] = {Moves::kNone, Moves::kSome, Moves::kAll};

void ExpectRightInAllOrders(const ProgramClass& program_class, bool leaves = false,
                            Moves moves = Moves::kNone) {
  ParallelSubject subject;
  size_t left_class = 0;
  size_t seed = Seed() * 7919;
  // With loops there are three ways to run a program, and lists of every byte are slow.
  const size_t less = !program_class.loops ? 1 : program_class.locks ? 100 : 5;
  const size_t programs = ProgramCount() / less;
  AnyProgram(program_class, programs, [&](const Body& body, const Placement& placement) {
    for (size_t order = 0; order < kOrders; ++order) {
      std::mt19937_64 rng(++seed);
      bool left = false;
      const auto wrong_in = [&](const Body& program, std::mt19937_64& rng) {
        return Wrong(subject, program, placement.base, rng, leaves ? &left : nullptr, false, moves);
      };
      const std::string wrong = wrong_in(body, rng);
      left_class += left;
      if (wrong.empty()) continue;
      const Body smallest = Shrink(body, [&](const Body& smaller) {
        for (size_t i = 0; i < 200; ++i) {
          std::mt19937_64 other(i);
          if (!wrong_in(smaller, other).empty()) return true;
        }
        return false;
      });
      ADD_FAILURE() << program_class.name << ", TASKRACE_SEED=" << Seed() << ": " << wrong
                    << " in some order of " << ToString(smallest)
                    << "moves: " << static_cast<int>(moves);
      return true;
    }
    return false;
  });
  EXPECT_EQ(left_class > 0, leaves);
}

void ExpectAllRightInAllOrders(const Alphabet& alphabet, unsigned most_constructs) {
  ParallelSubject subject;
  std::mt19937_64 rng(Seed());
  if (IsLong()) ++most_constructs;
  size_t programs = 0;
  for (unsigned constructs = 0; constructs <= most_constructs; ++constructs) {
    programs += ForEachProgram(alphabet, constructs, [&](const Body& body) {
      for (const Moves moves : std::span(kMoves, alphabet.loops ? std::size(kMoves) : 1)) {
        for (size_t order = 0; order < 2; ++order) {
          ASSERT_EQ(Wrong(subject, body, Placement{}.base, rng, nullptr, false, moves), "")
              << ToString(body) << "moves: " << static_cast<int>(moves);
        }
      }
    });
  }
  testing::Test::RecordProperty("programs", std::to_string(programs));
}

TEST(ParallelOrders, OfSpawnAndSyncAreRight) { ExpectRightInAllOrders(kSp); }
TEST(ParallelOrders, OfFinishAndAsyncAreRight) { ExpectRightInAllOrders(kFinish); }
TEST(ParallelOrders, OfBothAreRightUntilTheyLeaveTheClass) {
  ExpectRightInAllOrders(kMixed, /*leaves=*/true);
}
TEST(ParallelOrders, WithManyReadersOfFewPlacesAreRight) {
  ExpectRightInAllOrders(AtFewPlaces(kSp));
  ExpectRightInAllOrders(AtFewPlaces(kFinish));
}
TEST(ParallelOrders, WithAtomicsAreRight) { ExpectRightInAllOrders(kAtomics); }
TEST(ParallelOrders, WithAtomicsAndLocksAreRight) { ExpectRightInAllOrders(kLocks); }
void ExpectRightWithLoops(const ProgramClass& program_class, bool leaves = false) {
  for (const Moves moves : kMoves) ExpectRightInAllOrders(WithLoops(program_class), leaves, moves);
}
TEST(ParallelOrders, OfLoopsAreRight) { ExpectRightWithLoops(kSp); }
TEST(ParallelOrders, OfLoopsWithFinishAndAsyncAreRightUntilTheyLeaveTheClass) {
  ExpectRightWithLoops(kFinish, /*leaves=*/true);
}
TEST(ParallelOrders, OfLoopsWithManyReadersOfFewPlacesAreRight) {
  ExpectRightWithLoops(AtFewPlaces(kSp));
}
TEST(ParallelOrders, OfLoopsWithAtomicsAndLocksAreRight) { ExpectRightWithLoops(kLocks); }

TEST(ParallelOrders, OfAllSmallProgramsWithLoopsAreRight) {
  ExpectAllRightInAllOrders({.accesses = {kRead, kWrite, Access(AccessKind::kWrite, 0, 2)},
                             .scopes = true,
                             .loops = true},
                            4);
}
TEST(ParallelOrders, OfAllSmallProgramsOfSpawnAndSyncAreRight) {
  ExpectAllRightInAllOrders({.accesses = {kRead, kWrite}, .scopes = true}, 6);
}
TEST(ParallelOrders, OfAllSmallProgramsOfFinishAndAsyncAreRight) {
  ExpectAllRightInAllOrders({.accesses = {kRead, kWrite}, .finishes = true}, 5);
}
TEST(ParallelOrders, OfAllSmallProgramsWithOverlappingAccessesAreRight) {
  ExpectAllRightInAllOrders(
      {.accesses = {kRead, kWrite, Access(AccessKind::kRead, 0, 2),
                    Access(AccessKind::kWrite, 1, 4), Access(AccessKind::kWrite, 0, 8)},
       .scopes = true},
      4);
}
TEST(ParallelOrders, OfAllSmallProgramsWithAtomicsAreRight) {
  ExpectAllRightInAllOrders(
      {.accesses = {kRead, kWrite, kAtomicRead, kAtomicWrite}, .scopes = true}, 5);
}

}  // namespace
}  // namespace taskrace::oracle
