// Lattice2d against the oracle: random programs, and all small ones.
#include "detect/history/shadow.h"
#include "detect/reach/lattice2d.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

TEST(Lattice2d, AgreesWithTheDagOnForksAndJoinsOfTheLeftNeighbour) {
  ExpectRight<Lattice2d, ShadowHistory>(kLattice2d);
}
TEST(Lattice2d, AgreesWithTheDagWithAtomicsLocksAndReusedMemory) {
  ExpectRight<Lattice2d, ShadowHistory>(kLattice2dEverything);
}
TEST(Lattice2d, AgreesWithTheDagWhereManyReadTheSame) {
  ExpectRight<Lattice2d, ShadowHistory>(AtFewPlaces(kLattice2d));
}
TEST(Lattice2d, AgreesWithTheDagUntilSomebodyElseIsJoined) {
  constexpr ProgramClass kAnyJoins{.name = "any joins", .forks = Forks::kNamed};
  ExpectRightAndLeft<Lattice2d, ShadowHistory>(kAnyJoins);
}
TEST(Lattice2d, AgreesWithTheDagUntilThereIsAnotherConstruct) {
  ExpectRightAndLeft<Lattice2d, ShadowHistory>(kNamedForks);
}
TEST(Lattice2d, IsRightOnAllSmallLattices) {
  ExpectAllRight<Lattice2d, ShadowHistory>({.accesses = {kRead, kWrite}, .forks = true}, 6);
}
TEST(Lattice2d, IsRightOnAllSmallLatticesWithAtomics) {
  ExpectAllRight<Lattice2d, ShadowHistory>(
      {.accesses = {kRead, kWrite, kAtomicRead, kAtomicWrite}, .forks = true}, 5);
}

}  // namespace
}  // namespace taskrace::oracle
