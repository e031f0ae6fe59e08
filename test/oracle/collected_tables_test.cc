// Whole detectors against the oracle, while at every construct the tables of the engine, of tasks and of loops
// forget what nobody needs (detect/table_collection.h). What is forgotten reads as zero: an answer that depends
// on it is wrong.
#include "detect/history/intervals.h"
#include "detect/history/shadow.h"
#include "detect/reach/auto.h"
#include "detect/reach/donesets.h"
#include "detect/reach/dpst_engine.h"
#include "detect/reach/lattice2d.h"
#include "detect/reach/multibags.h"
#include "detect/reach/multibags_plus.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/whole_check.h"

__thread __taskrace_frame* __taskrace_top = nullptr;

namespace taskrace::oracle {
namespace {

template <class Engine, class History = ShadowHistory>
void ExpectExact(const ProgramClass& program_class, Moves moves = Moves::kNone) {
  ExpectExactIfFewAre<3, Engine, History>(program_class, 1000, moves, Tables::kCollectedAlways);
}

TEST(CollectedTables, AreExactInSpBags) {
  ExpectExact<SpBags>(kSp);
  ExpectExact<SpBags>(kFinish);
  ExpectExact<SpBags, IntervalHistory>(kClears);
}
TEST(CollectedTables, AreExactInSpOrder) {
  ExpectExact<SpOrder>(kSp);
  ExpectExact<SpOrder>(kFinish);
}
TEST(CollectedTables, AreExactInDpst) {
  ExpectExact<DpstEngine>(kSp);
  ExpectExact<DpstEngine>(kFinish);
}
TEST(CollectedTables, AreExactInMultiBags) {
  ExpectExact<MultiBags>(kEverything);
  ExpectExact<MultiBags>(kStructured);
}
TEST(CollectedTables, AreExactInMultiBagsPlus) { ExpectExact<MultiBagsPlus>(kGeneralEverything); }
TEST(CollectedTables, AreExactInDoneSets) { ExpectExact<DoneSets>(kGeneralEverything); }
TEST(CollectedTables, AreExactInAuto) {
  ExpectExact<Auto>(kEverything);
  ExpectExact<Auto>(kGeneralEverything);
}
TEST(CollectedTables, AreExactInPromises) {
  ExpectExact<Promises>(kSp);
  ExpectExact<Promises>(kFinish);
  ExpectExact<Promises>(kGeneralEverything);
  ExpectExact<Promises>(kPromises);
}
TEST(CollectedTables, AreExactInLattice2d) { ExpectExact<Lattice2d>(kLattice2d); }
TEST(CollectedTables, AreExactInLoops) {
  ExpectExact<SpBags>(WithLoops(kSp));
  ExpectExact<SpBags>(WithLoops(kSp), Moves::kSome);
  ExpectExact<Auto>(WithLoops(kGeneralEverything), Moves::kSome);
}

}  // namespace
}  // namespace taskrace::oracle
