// Promises against the oracle: random programs, and all small ones.
#include "detect/history/shadow.h"
#include "detect/reach/promises.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

void ExpectRight(const ProgramClass& program_class) {
  oracle::ExpectRight<Promises, ShadowHistory>(program_class);
}
void ExpectAllRight(const Alphabet& alphabet, unsigned most_constructs) {
  oracle::ExpectAllRight<Promises, ShadowHistory>(alphabet, most_constructs);
}

TEST(Promises, AgreeWithTheDagOnSpawnAndSync) { ExpectRight(kSp); }
TEST(Promises, AgreeWithTheDagOnFinishAndAsync) { ExpectRight(kFinish); }
TEST(Promises, AgreeWithTheDagWhereJoinsDoNotNest) { ExpectRight(kMixed); }
TEST(Promises, AgreeWithTheDagOnStructuredFutures) { ExpectRight(kStructured); }
TEST(Promises, AgreeWithTheDagOnAnyFutures) { ExpectRight(kGeneral); }
TEST(Promises, AgreeWithTheDagOnLattices) { ExpectRight(kLattice2d); }
TEST(Promises, AgreeWithTheDagOnForksThatAnyoneJoins) { ExpectRight(kNamedForks); }
TEST(Promises, AgreeWithTheDagWhereTasksWait) { ExpectRight(kPromises); }
TEST(Promises, AgreeWithTheDagWhereManyTasksReadTheSame) { ExpectRight(AtFewPlaces(kPromises)); }
TEST(Promises, AgreeWithTheDagWhereABlockedTaskReturnsToItsCreator) {
  ExpectRight(kPromisesToCreator);
}
TEST(Promises, AgreeWithTheDagWithAtomicsLocksAndReusedMemory) { ExpectRight(kPromisesEverything); }

TEST(Promises, AreRightOnAllSmallProgramsOfScopesAndFinishes) {
  ExpectAllRight({.scopes = true, .finishes = true, .open_scopes = 2}, 5);
}
TEST(Promises, AreRightOnAllSmallProgramsOfOnePromiseThatReadAndWrite) {
  ExpectAllRight({.accesses = {kRead, kWrite}, .finishes = true, .promises = 1}, 4);
}
TEST(Promises, AreRightOnAllSmallProgramsOfTwoPromises) {
  ExpectAllRight({.finishes = true, .promises = 2}, 5);
}
TEST(Promises, AreRightOnAllSmallProgramsOfPromisesAndScopes) {
  ExpectAllRight({.scopes = true, .promises = 1}, 6);
}
TEST(Promises, AreRightOnAllSmallProgramsOfPromisesAndFutures) {
  ExpectAllRight({.futures = true, .promises = 1}, 6);
}
TEST(Promises, AreRightOnAllSmallProgramsOfForksAndFutures) {
  ExpectAllRight({.futures = true, .forks = true}, 5);
}

}  // namespace
}  // namespace taskrace::oracle
