// The two engines for general futures against the oracle: random programs, and all small ones.
#include "detect/history/shadow.h"
#include "detect/reach/donesets.h"
#include "detect/reach/multibags_plus.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

template <class Engine>
class GeneralFutures : public testing::Test {
 public:
  static void ExpectRight(const ProgramClass& program_class) {
    oracle::ExpectRight<Engine, ShadowHistory>(program_class);
  }
  static void ExpectAllRight(const Alphabet& alphabet, unsigned most_constructs) {
    oracle::ExpectAllRight<Engine, ShadowHistory>(alphabet, most_constructs);
  }
};
using Engines = testing::Types<MultiBagsPlus, DoneSets>;
TYPED_TEST_SUITE(GeneralFutures, Engines);

TYPED_TEST(GeneralFutures, AgreeWithTheDagOnSpawnAndSync) { this->ExpectRight(kSp); }
TYPED_TEST(GeneralFutures, AgreeWithTheDagOnFinishAndAsync) { this->ExpectRight(kFinish); }
TYPED_TEST(GeneralFutures, AgreeWithTheDagWhereJoinsDoNotNest) { this->ExpectRight(kMixed); }
TYPED_TEST(GeneralFutures, AgreeWithTheDagOnStructuredFutures) { this->ExpectRight(kStructured); }
TYPED_TEST(GeneralFutures, AgreeWithTheDagOnAnyFutures) { this->ExpectRight(kGeneral); }
TYPED_TEST(GeneralFutures, AgreeWithTheDagWhereManyFuturesReadTheSame) {
  this->ExpectRight(AtFewPlaces(kGeneral));
}
TYPED_TEST(GeneralFutures, AgreeWithTheDagOnLattices) { this->ExpectRight(kLattice2d); }
TYPED_TEST(GeneralFutures, AgreeWithTheDagOnForksThatAnyoneJoins) {
  this->ExpectRight(kNamedForks);
}
TYPED_TEST(GeneralFutures, AgreeWithTheDagWithAtomicsLocksAndReusedMemory) {
  this->ExpectRight(kGeneralEverything);
}
TYPED_TEST(GeneralFutures, AgreeWithTheDagUntilAPromiseIsUsed) {
  EXPECT_GT((ExpectRightUntilLeft<TypeParam, ShadowHistory>(kPromises)), 0u);
}

TYPED_TEST(GeneralFutures, AreRightOnAllSmallProgramsOfScopesAndFinishes) {
  this->ExpectAllRight({.scopes = true, .finishes = true, .open_scopes = 2}, 5);
}
TYPED_TEST(GeneralFutures, AreRightOnAllSmallProgramsOfFutures) {
  this->ExpectAllRight({.futures = true}, 7);
}
TYPED_TEST(GeneralFutures, AreRightOnAllSmallProgramsOfFuturesThatReadAndWrite) {
  this->ExpectAllRight({.accesses = {kRead, kWrite}, .futures = true}, 5);
}
TYPED_TEST(GeneralFutures, AreRightOnAllSmallProgramsOfFuturesAndFinishes) {
  this->ExpectAllRight({.finishes = true, .futures = true}, 5);
}
TYPED_TEST(GeneralFutures, AreRightOnAllSmallProgramsOfFuturesAndScopes) {
  this->ExpectAllRight({.scopes = true, .futures = true}, 5);
}
TYPED_TEST(GeneralFutures, AreRightOnAllSmallProgramsOfForksAndFutures) {
  this->ExpectAllRight({.futures = true, .forks = true}, 5);
}

}  // namespace
}  // namespace taskrace::oracle
