// Every small program, in the series-parallel engines, against the oracle.
#include "detect/history/shadow.h"
#include "detect/reach/dpst_engine.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/check.h"
#include "test/oracle/dag_engine.h"

namespace taskrace::oracle {
namespace {

template <class Engine>
class AllPrograms : public testing::Test {};
using Engines = testing::Types<SpBags, SpOrder, DpstEngine>;
TYPED_TEST_SUITE(AllPrograms, Engines);

TYPED_TEST(AllPrograms, OfSpawnAndSyncAreRight) {
  ExpectAllRight<TypeParam, ShadowHistory>({.accesses = {kRead, kWrite}, .scopes = true}, 6);
}
TYPED_TEST(AllPrograms, OfFinishAndAsyncAreRight) {
  ExpectAllRight<TypeParam, ShadowHistory>({.accesses = {kRead, kWrite}, .finishes = true}, 5);
}
TYPED_TEST(AllPrograms, OfBothAreRightUntilTheyLeaveTheClass) {
  ExpectAllRightUntilLeft<TypeParam, ShadowHistory>(
      {.accesses = {kRead, kWrite}, .scopes = true, .finishes = true, .open_scopes = 2}, 4);
}
TYPED_TEST(AllPrograms, OfOverlappingAccessesAreRight) {
  ExpectAllRight<TypeParam, ShadowHistory>(
      {.accesses = {kRead, kWrite, Access(AccessKind::kRead, 0, 2),
                    Access(AccessKind::kWrite, 1, 4), Access(AccessKind::kWrite, 0, 8)},
       .scopes = true},
      5);
}
TYPED_TEST(AllPrograms, OfAtomicsAreRight) {
  ExpectAllRight<TypeParam, ShadowHistory>(
      {.accesses = {kRead, kWrite, kAtomicRead, kAtomicWrite}, .scopes = true}, 5);
}
TYPED_TEST(AllPrograms, OfLocksAreRight) {
  ExpectAllRight<TypeParam, ShadowHistory>(
      {.accesses = {kWrite, Access(AccessKind::kRead, 0, 1, 1), Access(AccessKind::kWrite, 0, 1, 1),
                    Access(AccessKind::kWrite, 0, 1, 2), Access(AccessKind::kWrite, 0, 1, 3)},
       .scopes = true},
      4);
}
TYPED_TEST(AllPrograms, OfReusedMemoryAreRight) {
  ExpectAllRight<TypeParam, ShadowHistory>(
      {.accesses = {kRead, Access(AccessKind::kWrite, 0, 2), Clear(0, 1), Retire(1, 1)},
       .scopes = true},
      5);
}

TEST(AllProgramsOfManyReaders, AreRightWithFutures) {
  ExpectAllRight<DagEngine, ShadowHistory>({.accesses = {kRead, kWrite}, .futures = true}, 6);
}
TEST(AllProgramsOfManyReaders, AreRightWithPromises) {
  ExpectAllRight<DagEngine, ShadowHistory>(
      {.accesses = {kRead, kWrite}, .finishes = true, .promises = 1}, 5);
}
TEST(AllProgramsOfManyReaders, AreRightWhereJoinsDoNotNest) {
  ExpectAllRight<DagEngine, ShadowHistory>(
      {.accesses = {kRead, kWrite}, .scopes = true, .finishes = true, .open_scopes = 2}, 4);
}

}  // namespace
}  // namespace taskrace::oracle
