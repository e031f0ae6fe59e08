// Whole detectors on programs with parallel loops, against the oracle: see whole_detector.h.
#include "detect/history/intervals.h"
#include "detect/history/shadow.h"
#include "detect/reach/auto.h"
#include "detect/reach/donesets.h"
#include "detect/reach/dpst_engine.h"
#include "detect/reach/multibags.h"
#include "detect/reach/multibags_plus.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/staying_examples.h"
#include "test/oracle/whole_check.h"

__thread __taskrace_frame* __taskrace_top = nullptr;

namespace taskrace::oracle {
namespace {

constexpr Moves kMoves[] = {Moves::kNone, Moves::kSome, Moves::kZoned, Moves::kAll};

template <class Engine, class History = ShadowHistory, size_t kMostFew = 16>
void ExpectExactWithLoops(const ProgramClass& program_class) {
  for (const Moves moves : kMoves) {
    ExpectExactIfFewAre<kMostFew, Engine, History>(WithLoops(program_class), 1000, moves);
  }
}

template <class Engine>
class Loops : public testing::Test {};
using Engines =
    testing::Types<SpBags, SpOrder, DpstEngine, MultiBags, MultiBagsPlus, DoneSets, Promises, Auto>;
TYPED_TEST_SUITE(Loops, Engines);

TYPED_TEST(Loops, AreExactWithSpawnAndSync) { ExpectExactWithLoops<TypeParam>(kSp); }
TYPED_TEST(Loops, AreExactWithFinishAndAsync) { ExpectExactWithLoops<TypeParam>(kFinish); }
TYPED_TEST(Loops, AreExactWithLocksAndAtomics) { ExpectExactWithLoops<TypeParam>(kLocks); }
TYPED_TEST(Loops, AreExactWhereMemoryIsUsedAgain) { ExpectExactWithLoops<TypeParam>(kClears); }
TYPED_TEST(Loops, AreExactInAllSmallPrograms) {
  const Alphabet alphabet{
      .accesses = {kRead, kWrite, Access(AccessKind::kWrite, 0, 2)}, .scopes = true, .loops = true};
  const unsigned most = IsLong() ? 5 : 4;
  for (unsigned constructs = 0; constructs <= most; ++constructs) {
    ForEachProgram(alphabet, constructs, [&](const Body& program) {
      for (const Moves moves : kMoves) {
        ASSERT_EQ((WrongInWhole<TypeParam, ShadowHistory, 16>(program, {}, 1000, moves)), "")
            << ToString(program) << "moves: " << static_cast<int>(moves);
      }
    });
  }
}

TYPED_TEST(Loops, AreExactWhereAccessesStayBesideMovedOnes) {
  for (const Body& program : StayingExamples()) {
    for (const Moves moves : kMoves) {
      EXPECT_EQ((WrongInWhole<TypeParam, ShadowHistory, 16>(program, {}, 1000, moves)), "")
          << ToString(program) << "moves: " << static_cast<int>(moves);
    }
  }
}

TEST(LoopsWithoutTheShortWay, AreExact) {
  ExpectExactWithLoops<SpBags, ShadowHistory, 0>(kClears);
  ExpectExactWithLoops<SpBags, ShadowHistory, 0>(kLocks);
}
TEST(LoopsWithIntervals, AreExact) {
  ExpectExactWithLoops<SpBags, IntervalHistory>(kClears);
  ExpectExactWithLoops<SpBags, IntervalHistory>(kLocks);
  ExpectExactWithLoops<Promises, IntervalHistory>(kPromisesEverything);
}
TEST(LoopsAndFutures, AreExactWhereFuturesAreStructured) {
  ExpectExactWithLoops<MultiBags>(kStructured);
  ExpectExactWithLoops<MultiBagsPlus>(kStructured);
}
TEST(LoopsAndFutures, AreExactWhereAnyoneGets) {
  ExpectExactWithLoops<MultiBagsPlus>(kGeneral);
  ExpectExactWithLoops<DoneSets>(kGeneralEverything);
  ExpectExactWithLoops<Auto>(AtFewPlaces(kGeneral));
}
TEST(LoopsAndPromises, AreExact) {
  ExpectExactWithLoops<Promises>(kPromises);
  ExpectExactWithLoops<Promises>(kPromisesEverything);
  ExpectExactWithLoops<Promises>(AtFewPlaces(kPromises));
}

}  // namespace
}  // namespace taskrace::oracle
