// The series-parallel engines and the history against the oracle, on random programs of every class.
#include "detect/history/shadow.h"
#include "detect/reach/dpst_engine.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/check.h"
#include "test/oracle/dag_engine.h"

namespace taskrace::oracle {
namespace {

template <class Engine>
class SeriesParallelEngine : public testing::Test {};
using Engines = testing::Types<SpBags, SpOrder, DpstEngine>;
TYPED_TEST_SUITE(SeriesParallelEngine, Engines);

TYPED_TEST(SeriesParallelEngine, AgreesWithTheDagOnSpawnAndSync) {
  ExpectRight<TypeParam, ShadowHistory>(kSp);
}
TYPED_TEST(SeriesParallelEngine, AgreesWithTheDagOnFinishAndAsync) {
  ExpectRight<TypeParam, ShadowHistory>(kFinish);
}
TYPED_TEST(SeriesParallelEngine, AgreesWithTheDagUntilItLeavesItsClass) {
  ExpectRightAndLeft<TypeParam, ShadowHistory>(kMixed);
}
TYPED_TEST(SeriesParallelEngine, AgreesWithTheDagWithAtomics) {
  ExpectRight<TypeParam, ShadowHistory>(kAtomics);
}
TYPED_TEST(SeriesParallelEngine, AgreesWithTheDagWithLocks) {
  ExpectRight<TypeParam, ShadowHistory>(kLocks);
}
TYPED_TEST(SeriesParallelEngine, AgreesWithTheDagWithLocksUnderFinish) {
  ExpectRight<TypeParam, ShadowHistory>(kFinishLocks);
}
TYPED_TEST(SeriesParallelEngine, AgreesWithTheDagWhereMemoryIsUsedAgain) {
  ExpectRight<TypeParam, ShadowHistory>(kClears);
}
TYPED_TEST(SeriesParallelEngine, AgreesWithTheDagOnEverythingUntilItLeavesItsClass) {
  ExpectRightAndLeft<TypeParam, ShadowHistory>(kEverything);
}

TEST(ManyReaders, AreExactWhereJoinsDoNotNest) { ExpectRight<DagEngine, ShadowHistory>(kMixed); }
TEST(ManyReaders, AreExactWithFutures) { ExpectRight<DagEngine, ShadowHistory>(kGeneral); }
TEST(ManyReaders, AreExactWithPromises) { ExpectRight<DagEngine, ShadowHistory>(kPromises); }
TEST(ManyReaders, AreExactWithForks) { ExpectRight<DagEngine, ShadowHistory>(kLattice2d); }
TEST(ManyReaders, AreExactWithAtomicsLocksAndReusedMemory) {
  ExpectRight<DagEngine, ShadowHistory>(kEverything);
}

}  // namespace
}  // namespace taskrace::oracle
