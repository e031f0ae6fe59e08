// The interval history against the oracle, with every engine on the programs of its class.
#include "detect/history/intervals.h"
#include "detect/reach/auto.h"
#include "detect/reach/donesets.h"
#include "detect/reach/dpst_engine.h"
#include "detect/reach/lattice2d.h"
#include "detect/reach/multibags.h"
#include "detect/reach/multibags_plus.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

template <class Engine>
void ExpectRight(const ProgramClass& program_class) {
  oracle::ExpectRight<Engine, IntervalHistory>(program_class);
}

TEST(Intervals, AgreeWithTheDagOnSpawnAndSync) { ExpectRight<SpBags>(kSp); }
TEST(Intervals, AgreeWithTheDagOnFinishAndAsync) { ExpectRight<SpOrder>(kFinish); }
TEST(Intervals, AgreeWithTheDagWithATree) { ExpectRight<DpstEngine>(kFinish); }
TEST(Intervals, AgreeWithTheDagWithAtomics) { ExpectRight<SpBags>(kAtomics); }
TEST(Intervals, AgreeWithTheDagWithLocks) { ExpectRight<SpBags>(kLocks); }
TEST(Intervals, AgreeWithTheDagWhereMemoryIsUsedAgain) { ExpectRight<SpOrder>(kClears); }
TEST(Intervals, AgreeWithTheDagWhereJoinsDoNotNest) { ExpectRight<MultiBags>(kMixed); }
TEST(Intervals, AgreeWithTheDagWithAtomicsLocksAndReusedMemory) {
  ExpectRight<MultiBags>(kEverything);
}
TEST(Intervals, AgreeWithTheDagOnStructuredFutures) { ExpectRight<MultiBags>(kStructured); }
TEST(Intervals, AgreeWithTheDagOnGeneralFutures) {
  ExpectRight<MultiBagsPlus>(kGeneral);
  ExpectRight<DoneSets>(AtFewPlaces(kGeneral));
}
TEST(Intervals, AgreeWithTheDagWhereAutoLeavesStructuredFutures) {
  ExpectRight<Auto>(kGeneralEverything);
}
TEST(Intervals, AgreeWithTheDagOnLattices) { ExpectRight<Lattice2d>(kLattice2d); }
TEST(Intervals, AgreeWithTheDagWhereTasksWait) { ExpectRight<Promises>(kPromises); }
TEST(Intervals, AreRightOnAllSmallProgramsOfScopesAndFinishes) {
  ExpectAllRight<MultiBags, IntervalHistory>({.scopes = true, .finishes = true, .open_scopes = 2},
                                             4);
}
TEST(Intervals, AreRightOnAllSmallProgramsOfScopes) {
  const Alphabet scopes = {.accesses = {kRead, kWrite}, .scopes = true};
  ExpectAllRight<SpBags, IntervalHistory>(scopes, 5);
  ExpectAllRight<SpOrder, IntervalHistory>(scopes, 4);
  ExpectAllRight<DpstEngine, IntervalHistory>(scopes, 4);
}
TEST(Intervals, AreRightOnAllSmallProgramsOfFutures) {
  const Alphabet futures = {.accesses = {kRead, kWrite}, .futures = true};
  ExpectAllRight<DoneSets, IntervalHistory>(futures, 4);
  ExpectAllRight<MultiBagsPlus, IntervalHistory>(futures, 4);
  ExpectAllRight<Auto, IntervalHistory>(futures, 4);
}

}  // namespace
}  // namespace taskrace::oracle
