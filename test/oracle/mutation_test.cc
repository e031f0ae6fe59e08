// Breaking a rule of an algorithm must be noticed. Each mutant is the real header with one line
// changed (mutants.cmake), and each must be caught by the comparison that the real one passes.
#include "detect/history/shadow.h"
#include "detect/reach/dpst_engine.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "mutants.h"
#include "test/oracle/check.h"
#include "test/oracle/dag_engine.h"

namespace taskrace::oracle {
namespace {

template <class History>
bool HistoryIsCaught(const ProgramClass& program_class) {
  return IsCaught<SpBags, History>(program_class);
}
template <class Engine>
bool EngineIsCaught(const ProgramClass& program_class) {
  return IsCaught<Engine, ShadowHistory>(program_class);
}

TEST(Mutants, NothingIsCaughtWhereNothingIsBroken) {
  EXPECT_FALSE(HistoryIsCaught<ShadowHistory>(kSp));
  EXPECT_FALSE(EngineIsCaught<SpOrder>(kFinish));
}

TEST(Mutants, AHistoryThatOverwritesTheReaderIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<OverwritesTheReader>(kSp));
}
TEST(Mutants, AnAccessThatIsNotCheckedAgainstTheWriterIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<ForgetsTheWriter>(kSp));
}
TEST(Mutants, ARangeThatTakesDifferentCellsForEqualIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<FillsAcrossADifference>(kSp));
}
TEST(Mutants, AWriteThatIsNotCheckedAgainstTheReaderIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<ForgetsTheReaderOnWrite>(kSp));
}
TEST(Mutants, KeepingTheLastAtomicWriteIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<KeepsTheLastAtomicWrite>(kAtomics));
}
TEST(Mutants, ALockedWriteThatForgetsTheOthersIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<ResetsUnderLocks>(kLocks));
}
TEST(Mutants, DroppingAnAccessThatConflictsWithMoreIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<DropsWhateverPrecedes>(kAtomics));
}
TEST(Mutants, SkippingAnAccessThatConflictsWithMoreIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<SkipsWhateverIsKept>(kAtomics));
}
TEST(Mutants, DroppingWithoutRegardToLocksIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<DropsWithoutRegardToLocks>(kLocks));
}
TEST(Mutants, SkippingWithoutRegardToLocksIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<SkipsWithoutRegardToLocks>(kLocks));
}
TEST(Mutants, OneReaderWhereJoinsDoNotNestIsCaught) {
  EXPECT_TRUE((IsCaught<DagEngine, KeepsOneReaderAlways>(kMixed)));
}
TEST(Mutants, AFastPathThatForgetsTheEndOfTheCellIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<ForgetsTheEndOfACell>(kSp));
}
TEST(Mutants, TakingAPartOfACellForAllOfItIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<TakesAPartForTheWhole>(kSp));
}
TEST(Mutants, ALastWriteThatIsNotCheckedIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<RetiresUnchecked>(kClears));
}
TEST(Mutants, ALastWriteThatTakesDifferentCellsForEqualIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<RetiresAllLikeTheFirst>(kClears));
}
TEST(Mutants, ALastWriteThatIsNotCheckedInASparsePageIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<RetiresStepsUnchecked>(kClears));
}
TEST(Mutants, AnAccessThatTakesAStepForAllItTouchesIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<TakesAStepForTheRange>(kSp));
}
TEST(Mutants, AnAccessThatChangesMoreOfAStepThanItTouchesIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<ChangesTheWholeStep>(kSp));
}
TEST(Mutants, AskingOneReaderWhereAllCountIsCaught) {
  EXPECT_TRUE((IsCaught<DagEngine, AsksOneReaderOfMany>(kMixed)));
}
TEST(Mutants, AClearThatLeavesPartsOfCellsIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<DoesNotClearParts>(kClears));
}
TEST(Mutants, MakingAPageUniformTooEarlyIsCaught) {
  EXPECT_TRUE(HistoryIsCaught<WritesWholePagesUnchecked>(kSp));
}

TEST(Mutants, BagsThatLoseThePBagAreCaught) { EXPECT_TRUE(EngineIsCaught<DropsThePBag>(kSp)); }
TEST(Mutants, BagsThatLoseTheAsyncsOfAnEndedTaskAreCaught) {
  EXPECT_TRUE(EngineIsCaught<DropsTheAsyncs>(kFinish));
}
TEST(Mutants, BagsThatJoinNothingAreCaught) { EXPECT_TRUE(EngineIsCaught<JoinsNothing>(kSp)); }
TEST(Mutants, BagsThatLeaveAnEndedChildInTheSBagAreCaught) {
  EXPECT_TRUE(EngineIsCaught<ChildStaysInS>(kSp));
}
TEST(Mutants, BagsThatStaySettledAfterTheTaskAreCaught) {
  EXPECT_TRUE(EngineIsCaught<EndsWithWhatItKnew>(kSp));
}
TEST(Mutants, BagsThatSettleWithAPBagLeftAreCaught) {
  EXPECT_TRUE(EngineIsCaught<SettlesTooSoon>(kSp));
}
TEST(Mutants, BagsWithoutTheClassCheckAreCaught) {
  EXPECT_TRUE(EngineIsCaught<BagsWithoutClassCheck>(kMixed));
}
TEST(Mutants, OrdersWithoutTheClassCheckAreCaught) {
  EXPECT_TRUE(EngineIsCaught<OrderWithoutClassCheck>(kMixed));
}
TEST(Mutants, JoiningBehindTheLastChildInsteadOfTheFirstIsCaught) {
  EXPECT_TRUE(EngineIsCaught<JoinsBehindTheLastChild>(kSp));
}
TEST(Mutants, JoiningBeforeTheAsyncsOfAnEndedTaskIsCaught) {
  EXPECT_TRUE(EngineIsCaught<JoinsBeforeTheAsyncs>(kFinish));
}
TEST(Mutants, TheEnglishOrderInPlaceOfTheHebrewIsCaught) {
  EXPECT_TRUE(EngineIsCaught<EnglishTwice>(kSp));
}
TEST(Mutants, ATreeWhoseFinishesStayOpenIsCaught) {
  EXPECT_TRUE(EngineIsCaught<TreeWhoseFinishStaysOpen>(kFinish));
}
TEST(Mutants, ATreeInWhichAnAsyncOrdersIsCaught) {
  EXPECT_TRUE(EngineIsCaught<TreeWithoutAsyncs>(kSp));
}
TEST(Mutants, ATreeWithoutTheClassCheckIsCaught) {
  EXPECT_TRUE(EngineIsCaught<TreeWithoutClassCheck>(kMixed));
}

}  // namespace
}  // namespace taskrace::oracle
