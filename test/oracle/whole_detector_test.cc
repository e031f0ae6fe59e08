// Whole detectors against the oracle: see whole_detector.h.
#include "detect/history/intervals.h"
#include "detect/history/shadow.h"
#include "detect/reach/auto.h"
#include "detect/reach/lattice2d.h"
#include "detect/reach/multibags.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "test/oracle/whole_check.h"

__thread __taskrace_frame* __taskrace_top = nullptr;

namespace taskrace::oracle {
namespace {

// Without the short way for strands with few accesses, with both ways in turns, and with hardly
// anything else.
template <class Engine, class History = ShadowHistory>
void ExpectExact(const ProgramClass& program_class, size_t codes = 1000) {
  ExpectExactIfFewAre<0, Engine, History>(program_class, codes);
  ExpectExactIfFewAre<3, Engine, History>(program_class, codes);
  ExpectExactIfFewAre<32, Engine, History>(program_class, codes);
}

TEST(WholeDetector, IsExactOnSpawnAndSync) { ExpectExact<SpBags>(kSp); }
TEST(WholeDetector, IsExactOnFinishAndAsync) { ExpectExact<SpBags>(kFinish); }
TEST(WholeDetector, IsExactWithAtomics) { ExpectExact<SpBags>(kAtomics); }
TEST(WholeDetector, IsExactWithLocks) { ExpectExact<SpBags>(kLocks); }
TEST(WholeDetector, IsExactWhereMemoryIsUsedAgain) { ExpectExact<SpBags>(kClears); }
TEST(WholeDetector, IsExactWhereJoinsDoNotNest) { ExpectExact<MultiBags>(kEverything); }
TEST(WholeDetector, IsExactOnStructuredFutures) { ExpectExact<MultiBags>(kStructured); }
TEST(WholeDetector, IsExactOnGeneralFutures) { ExpectExact<Auto>(kGeneralEverything); }
TEST(WholeDetector, IsExactOnLattices) { ExpectExact<Lattice2d>(kLattice2d); }
TEST(WholeDetector, IsExactWhereTasksWait) { ExpectExact<Promises>(kPromises); }

// Where code runs again, what it touched before may have become other memory.
TEST(WholeDetector, NamesTheRightPlaceWhereTheSameCodeTouchesMemoryThatIsUsedAgain) {
  for (const size_t codes : {1, 2, 3, 5}) {
    ExpectExact<SpBags>(kClears, codes);
    ExpectExact<MultiBags>(kEverything, codes);
  }
}
TEST(WholeDetector, IsExactWithIntervals) {
  ExpectExact<SpBags, IntervalHistory>(kClears);
  ExpectExact<MultiBags, IntervalHistory>(kEverything);
  ExpectExact<Promises, IntervalHistory>(kPromises);
}

}  // namespace
}  // namespace taskrace::oracle
