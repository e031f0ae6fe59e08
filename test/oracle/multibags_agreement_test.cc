// MultiBags against the oracle: random programs, and all small ones.
#include "detect/history/shadow.h"
#include "detect/reach/multibags.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

void ExpectRight(const ProgramClass& program_class) {
  oracle::ExpectRight<MultiBags, ShadowHistory>(program_class);
}

TEST(MultiBags, AgreesWithTheDagOnSpawnAndSync) { ExpectRight(kSp); }
TEST(MultiBags, AgreesWithTheDagOnFinishAndAsync) { ExpectRight(kFinish); }
TEST(MultiBags, AgreesWithTheDagWhereJoinsDoNotNest) { ExpectRight(kMixed); }
TEST(MultiBags, AgreesWithTheDagWithAtomicsLocksAndReusedMemory) { ExpectRight(kEverything); }
TEST(MultiBags, AgreesWithTheDagOnStructuredFutures) { ExpectRight(kStructured); }
TEST(MultiBags, AgreesWithTheDagWhereStructuredFuturesReadTheSame) {
  ExpectRight(AtFewPlaces(kStructured));
}
TEST(MultiBags, AgreesWithTheDagOnLattices) { ExpectRight(kLattice2d); }
TEST(MultiBags, AgreesWithTheDagOnGeneralFuturesUntilTheyAreNotStructured) {
  ExpectRightAndLeft<MultiBags, ShadowHistory>(kGeneral);
}
TEST(MultiBags, AgreesWithTheDagOnForksUntilTheyAreNotStructured) {
  ExpectRightAndLeft<MultiBags, ShadowHistory>(kGeneralEverything);
}
TEST(MultiBags, AgreesWithTheDagUntilAPromiseIsUsed) {
  EXPECT_GT((ExpectRightUntilLeft<MultiBags, ShadowHistory>(kPromises)), 0u);
}

TEST(MultiBags, IsRightOnAllSmallProgramsOfScopesAndFinishes) {
  ExpectAllRight<MultiBags, ShadowHistory>({.scopes = true, .finishes = true, .open_scopes = 2}, 5);
}
TEST(MultiBags, IsRightOnAllSmallProgramsOfFuturesUntilTheyAreNotStructured) {
  const Alphabet alphabet{.accesses = {kRead, kWrite}, .futures = true};
  EXPECT_GT((ExpectAllRightUntilLeft<MultiBags, ShadowHistory>(alphabet, 6)), 0u);
}
TEST(MultiBags, IsRightOnAllSmallProgramsOfFuturesAndFinishesUntilTheyAreNotStructured) {
  const Alphabet alphabet{.finishes = true, .futures = true};
  EXPECT_GT((ExpectAllRightUntilLeft<MultiBags, ShadowHistory>(alphabet, 5)), 0u);
}
TEST(MultiBags, IsRightOnAllSmallLattices) {
  ExpectAllRight<MultiBags, ShadowHistory>({.accesses = {kRead, kWrite}, .forks = true}, 5);
}

}  // namespace
}  // namespace taskrace::oracle
