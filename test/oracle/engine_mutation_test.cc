// Breaking a rule of an engine for futures or promises must be noticed, as in mutation_test.cc. Most
// are rules that are easily left out, or that a paper leaves out.
#include "detect/history/shadow.h"
#include "detect/reach/multibags.h"
#include "mutants.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

template <class Engine>
bool EngineIsCaught(const ProgramClass& program_class) {
  return IsCaught<Engine, ShadowHistory>(program_class);
}

TEST(EngineMutants, NothingIsCaughtWhereNothingIsBroken) {
  EXPECT_FALSE(EngineIsCaught<MultiBags>(kStructured));
}

TEST(MultiBagsMutants, AWriteThatIsNotCheckedAgainstTheWriterIsCaught) {
  EXPECT_TRUE((IsCaught<MultiBags, ForgetsTheWriter>(kStructured)));
}
TEST(MultiBagsMutants, OneReaderIsCaught) {
  EXPECT_TRUE((IsCaught<MultiBags, KeepsOneReaderAlways>(kStructured)));
}
TEST(MultiBagsMutants, AGetterWhomTheCreatorDoesNotPrecedeIsCaught) {
  EXPECT_TRUE(EngineIsCaught<BagsForAnyGetter>(kGeneral));
}
TEST(MultiBagsMutants, ASecondGetIsCaught) {
  EXPECT_TRUE(EngineIsCaught<BagsForAnySecondGet>(kGeneral));
}
TEST(MultiBagsMutants, AFinishThatForgetsFuturesIsCaught) {
  EXPECT_TRUE(EngineIsCaught<BagsWhoseFinishForgetsFutures>(kStructured));
}
TEST(MultiBagsMutants, AnEndedFutureInAnSBagIsCaught) {
  EXPECT_TRUE(EngineIsCaught<BagsWhoseFutureStaysInS>(kStructured));
}

TEST(MultiBagsPlusMutants, ALateArcThatStopsAtItsTargetIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PlusWhoseArcsStop>(kGeneral));
}
TEST(MultiBagsPlusMutants, BothBranchesAttachedWithoutArcsFromTheForkAreCaught) {
  EXPECT_TRUE(EngineIsCaught<PlusWithoutLateArcs>(kGeneral));
}
TEST(MultiBagsPlusMutants, OneBranchAttachedAndTheForkLeftAsItIsIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PlusWhoseForkStays>(kGeneral));
}
TEST(MultiBagsPlusMutants, OneBranchAttachedWithoutSuccessorOfTheOtherIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PlusWithoutSuccessors>(kGeneral));
}
TEST(MultiBagsPlusMutants, ADetachedForkWithoutArcsIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PlusWhoseForksStayForks>(kGeneral));
}
TEST(MultiBagsPlusMutants, AFinishThatForgetsFuturesIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PlusWhoseFinishForgetsFutures>(kGeneral));
}

TEST(DoneSetsMutants, FoldingATaskWithAnotherWayOutIsCaught) {
  EXPECT_TRUE(EngineIsCaught<SetsThatAlwaysFold>(kGeneral));
}
TEST(DoneSetsMutants, FoldingATaskWhoseDescendantMadeAFutureIsCaught) {
  EXPECT_TRUE(EngineIsCaught<SetsThatFoldOverFutures>(kGeneral));
}
TEST(DoneSetsMutants, AnIntervalThatBeginsTooLateIsCaught) {
  EXPECT_TRUE(EngineIsCaught<SetsThatBeginTooLate>(kStructured));
}
TEST(DoneSetsMutants, AnIntervalThatBeginsTooEarlyIsCaught) {
  EXPECT_TRUE(EngineIsCaught<SetsThatBeginTooEarly>(kStructured));
}
TEST(DoneSetsMutants, AGetWithoutTheFutureItselfIsCaught) {
  EXPECT_TRUE(EngineIsCaught<SetsWithoutTheFutureItself>(kStructured));
}
TEST(DoneSetsMutants, AGetWithoutWhatPrecedesTheFutureIsCaught) {
  EXPECT_TRUE(EngineIsCaught<SetsOfGettersOnly>(kGeneral));
}

TEST(Lattice2dMutants, AJoinOfAnybodyIsCaught) {
  EXPECT_TRUE(EngineIsCaught<JoinsAnybody>({.name = "any joins", .forks = Forks::kNamed}));
}
TEST(Lattice2dMutants, AHaltedTaskThatStaysVisitedIsCaught) {
  EXPECT_TRUE(EngineIsCaught<HaltedStaysVisited>(kLattice2d));
}
TEST(Lattice2dMutants, AJoinWithoutUnionIsCaught) {
  EXPECT_TRUE(EngineIsCaught<JoinsNobody>(kLattice2d));
}

TEST(PromisesMutants, TheTreeWithoutRegardToLeftAndRightIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesOfTheTreeLeftOrRight>(kPromises));
}
TEST(PromisesMutants, JoinsReadAsTheyAreNowAreCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesWithJoinsAsTheyAreNow>(kPromises));
}
TEST(PromisesMutants, AScopeThatWaitsForAsyncsAndFuturesIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesWhoseScopesWaitForAll>(kMixed));
}
TEST(PromisesMutants, JoinsOfAChildThatAreForgottenAreCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesThatJoinOnlyInTheTree>(kPromises));
}
TEST(PromisesMutants, ASearchThatLooksAtOneJoinOfEachTaskIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesThatLookOnce>(kPromises));
}
TEST(PromisesMutants, ATaskThatIsTakenForPureThoughItsPromiseIsGotIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesThatNobodyGets>(kPromises));
}
TEST(PromisesMutants, APromiseThatIsTakenForOverWhenItIsGotIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesThatAreGotOnce>(kPromises));
}
TEST(PromisesMutants, AStrandAfterTheSetThatIsTakenForOneBeforeItIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesThatTakeInTheRest>(kPromises));
}
TEST(PromisesMutants, WhatATaskJoinsAfterItsSetThatIsTakenForDoneBeforeIsCaught) {
  EXPECT_TRUE(EngineIsCaught<PromisesThatTakeInLateChildren>(kPromises));
}

TEST(AutoMutants, ALogWithoutTheFuturesOfAFinishIsCaught) {
  EXPECT_TRUE(EngineIsCaught<AutoThatForgetsFutures>(kGeneral));
}

}  // namespace
}  // namespace taskrace::oracle
