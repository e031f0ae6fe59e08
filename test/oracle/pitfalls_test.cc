// What the papers as printed, or the programs behind them, get wrong: each as a small program with
// the verdict that was found by hand. Every engine that handles the program must give it.
#include "detect/history/shadow.h"
#include "detect/reach/donesets.h"
#include "detect/reach/lattice2d.h"
#include "detect/reach/multibags.h"
#include "detect/reach/multibags_plus.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

using Bytes = std::set<unsigned>;
const Bytes kNoRace{};
const Bytes kRace{0};

template <class Engine>
void ExpectVerdictOf(const Body& program, const Bytes& racy, Switching switching) {
  const Outcome outcome =
      RunProgram<Engine, ShadowHistory>(program, Placement{.switching = switching});
  EXPECT_EQ(outcome.wrong, "") << Engine::kName;
  EXPECT_FALSE(outcome.left_class) << Engine::kName;
  EXPECT_EQ(outcome.reported, racy) << Engine::kName;
}

template <class... Engines>
void ExpectVerdict(const Body& program, const Bytes& racy,
                   Switching switching = Switching::kToTheLastSuspended) {
  EXPECT_EQ(Execution(program, {}, 1, switching).GetOracle().EverRacy(), racy) << "the oracle";
  (ExpectVerdictOf<Engines>(program, racy, switching), ...);
}

void ExpectOfSeriesParallel(const Body& program, const Bytes& racy) {
  ExpectVerdict<SpBags, SpOrder, MultiBags, MultiBagsPlus, DoneSets, Promises>(program, racy);
}
void ExpectOfLattice(const Body& program, const Bytes& racy) {
  ExpectVerdict<Lattice2d, MultiBags, MultiBagsPlus, DoneSets, Promises>(program, racy);
}
void ExpectOfStructured(const Body& program, const Bytes& racy) {
  ExpectVerdict<MultiBags, MultiBagsPlus, DoneSets, Promises>(program, racy);
}
void ExpectOfGeneral(const Body& program, const Bytes& racy) {
  ExpectVerdict<MultiBagsPlus, DoneSets, Promises>(program, racy);
}
void ExpectOfPromises(const Body& program, const Bytes& racy) {
  ExpectVerdict<Promises>(program, racy);
  ExpectVerdict<Promises>(program, racy, Switching::kToTheCreator);
}

template <class Engine>
bool Leaves(const Body& program) {
  return RunProgram<Engine, ShadowHistory>(program, Placement{}).left_class;
}

Construct Write(unsigned byte) { return Access(AccessKind::kWrite, byte); }

// 1. lattice2d, Figure 6: On-Read tests R instead of W.
TEST(Lattice2dAsPrinted, AReadIsTestedAgainstTheWriter) {
  ExpectOfLattice({Fork({kWrite}), kRead, Join()}, kRace);
}
TEST(Lattice2dAsPrinted, AReadIsNotTestedAgainstAReader) {
  ExpectOfLattice({Fork({kRead}), kRead, Join()}, kNoRace);
}

// 2. spd3, Algorithm 2: a reader is lost while r2 is null.
TEST(Spd3AsPrinted, AReaderParallelToTheFirstIsNotLost) {
  ExpectOfSeriesParallel({Async({kRead}), Finish({Async({kRead})}), kWrite}, kRace);
  ExpectOfSeriesParallel({Finish({Async({kRead}), Async({kRead})}), kWrite}, kNoRace);
}

// 3. multibags, section 4.2: a write is not checked against the last writer.
TEST(MultiBagsAsPrinted, AWriteIsCheckedAgainstTheLastWriter) {
  ExpectOfStructured({Future("f", {kWrite}), kWrite}, kRace);
  ExpectOfStructured({Future("f", {kWrite}), Get("f"), kWrite}, kNoRace);
}

// 4. multibags, Figure 4: the sync, by which branches end attached. F is never got: what orders its
// strands is found in R, or not at all.
TEST(MultiBagsPlusSync, NeitherBranchAttached) {
  const Construct f = Future("F", {Scope({Spawn({Write(0)}), Write(1)}), Future("H", {})});
  ExpectOfGeneral({f, Get("H"), Write(0), Write(1)}, kNoRace);
  ExpectOfGeneral({f, Write(0), Write(1)}, {0, 1});
}
TEST(MultiBagsPlusSync, TheForkOfTwoAttachedBranchesPrecedesBoth) {
  const Construct f = Future(
      "F", {Write(0), Scope({Spawn({Future("G", {}), Write(1)}), Future("H", {}), Write(2)})});
  ExpectOfGeneral({f, Get("G"), Write(0)}, kNoRace);
  ExpectOfGeneral({f, Get("H"), Write(0)}, kNoRace);
  ExpectOfGeneral({f, Get("G"), Get("H"), Write(1), Write(2)}, {1, 2});
}
TEST(MultiBagsPlusSync, ALateArcReachesWhatItsTargetReaches) {
  // The arc to the child comes at the sync; G and K follow the child already.
  const Construct g = Future("G", {Future("K", {})});
  ExpectOfGeneral(
      {Future("F", {Write(0), Scope({Spawn({g}), Future("H", {})})}), Get("K"), Write(0)}, kNoRace);
}
TEST(MultiBagsPlusSync, BothAttachedBranchesPrecedeTheJoin) {
  const Construct f = Future(
      "F",
      {Scope({Spawn({Future("G", {}), Write(0)}), Future("H", {}), Write(1)}), Future("K", {})});
  ExpectOfGeneral({f, Get("K"), Write(0), Write(1)}, kNoRace);
}
TEST(MultiBagsPlusSync, TheForkJoinsTheOnlyAttachedBranch) {
  ExpectOfGeneral({Future("F", {Write(0), Scope({Spawn({Future("G", {})}), Write(1)})}), Get("G"),
                   Write(0), Write(1)},
                  {1});
  ExpectOfGeneral({Future("F", {Write(0), Scope({Spawn({Write(1)}), Future("G", {})})}), Get("G"),
                   Write(0), Write(1)},
                  {1});
}
TEST(MultiBagsPlusSync, TheOtherBranchPrecedesWhateverFollowsTheJoin) {
  ExpectOfGeneral({Future("F", {Scope({Spawn({Future("G", {})}), Write(0)}), Future("H", {})}),
                   Get("H"), Write(0)},
                  kNoRace);
  ExpectOfGeneral({Future("F", {Scope({Spawn({Write(0)}), Future("G", {})}), Future("H", {})}),
                   Get("H"), Write(0)},
                  kNoRace);
}
TEST(MultiBagsPlusSync, AForkThatIsOpenAtAJoinThatDoesNotNestBecomesAFuture) {
  const Construct scopes =
      Scope({Scope({Spawn({Write(0)}, 1), Spawn({Write(1)}, 0), Sync(1), Future("G", {})})});
  ExpectOfGeneral({Future("F", {scopes}), Get("G"), Write(0), Write(1)}, {1});
}
TEST(MultiBagsPlusSync, AnAsyncOfTheSameFinishIsJoinedAtItsCreatorsEnd) {
  ExpectOfGeneral({Future("F", {Finish({Async({Async({Write(0)}), Write(1)})}), Future("G", {})}),
                   Get("G"), Write(0), Write(1)},
                  kNoRace);
}

// 5. multibags, section 5: R takes a bit per pair of attached sets.
TEST(MultiBagsPlusMatrix, DoneSetsOfAPipelineStaySmall) {
  constexpr uint32_t kFutures = 20'000;
  DoneSets engine;
  uint32_t strand = 0;
  engine.OnStart(kRootTask, GroupId{1}, StrandId{++strand});
  for (uint32_t i = 1; i <= kFutures; ++i) {
    engine.OnCreate(kRootTask, TaskId{i}, How::kFuture, GroupId{1}, StrandId{++strand});
    if (i > 1) engine.OnGet(TaskId{i}, TaskId{i - 1}, How::kGet, StrandId{++strand});
    engine.OnEnd(TaskId{i});
    engine.OnProceed(kRootTask, StrandId{++strand});
  }
  EXPECT_FALSE(engine.Precedes(StrandId{2}));
  engine.OnGet(kRootTask, TaskId{kFutures}, How::kGet, StrandId{++strand});
  EXPECT_TRUE(engine.Precedes(StrandId{2}));
  constexpr size_t kMatrix = size_t{kFutures} * kFutures / 8;
  EXPECT_LT(engine.BytesUsed(), kMatrix / 4);
}

// 6. drdp, Figure 9: the tree says nothing of a step to the right; ACTIVE says nothing.
TEST(DrdpAsPrinted, AWaiterToTheLeftMayFollowWhatIsToItsRight) {
  ExpectOfPromises({Async({Get("p"), kWrite}), kRead, Set("p")}, kNoRace);
  ExpectOfPromises({Async({Get("p"), kWrite}), Scope({Spawn({kRead})}), Set("p"), kRead}, kRace);
}
TEST(DrdpAsPrinted, AStepToTheRightIsNotOrderedByTheTree) {
  ExpectOfPromises({Async({Get("p"), kWrite}), Finish({Async({Set("p"), kWrite})})}, kRace);
}
TEST(DrdpAsPrinted, AnActiveTaskMayBeParallel) {
  ExpectOfPromises({Async({Get("p"), Get("q")}), Async({kWrite, Set("p")}), kWrite, Set("q")},
                   kRace);
}
TEST(DrdpAsPrinted, AScopeWaitsForNeitherAsyncsNorFutures) {
  ExpectOfStructured({Finish({Scope({Spawn({Async({kWrite})})}), kWrite})}, kRace);
  ExpectOfStructured({Finish({Scope({Spawn({Finish({Async({kWrite})})})}), kWrite})}, kNoRace);
  ExpectOfGeneral({Finish({Scope({Spawn({Future("f", {kWrite})})}), kWrite})}, kRace);
  ExpectOfGeneral({Finish({Scope({Spawn({Future("f", {kWrite})})})}), kWrite}, kNoRace);
}

// 7. drdp: what a task gets after a set, or after it created somebody, orders nothing for them.
TEST(DrdpAsPrinted, AGetAfterASetOrdersNothingBeforeTheGettersOfTheSet) {
  ExpectOfPromises(
      {Async({Set("p"), Get("q")}), Async({kWrite, Set("q")}), Async({Get("p"), kWrite})}, kRace);
  ExpectOfPromises(
      {Async({Get("q"), Set("p")}), Async({kWrite, Set("q")}), Async({Get("p"), kWrite})}, kNoRace);
}
TEST(DrdpAsPrinted, AGetAfterACreationOrdersNothingBeforeTheChild) {
  ExpectOfPromises({Async({Get("t"), Async({Get("s"), kWrite}), Get("q")}), Set("t"),
                    Async({kWrite, Set("q")}), Set("s")},
                   kRace);
  ExpectOfPromises(
      {Async({Get("q"), Async({Get("s"), kWrite})}), Async({kWrite, Set("q")}), Set("s")}, kNoRace);
}

// 8. An async that outlives its scope, and scopes that do not nest, are not series-parallel.
TEST(JoinsThatDoNotNest, AnAsyncThatOutlivesItsScopeIsNotForSpBags) {
  const Body program{Finish({Scope({Spawn({kRead}), Spawn({Async({kRead})}), Sync(), kWrite})})};
  EXPECT_TRUE(Leaves<SpBags>(program));
  EXPECT_TRUE(Leaves<SpOrder>(program));
  ExpectOfStructured(program, kRace);
}
TEST(JoinsThatDoNotNest, AnOuterScopeSyncedFirstIsNotForSpBags) {
  const Body program{Scope({Scope({Spawn({kRead}, 1), Spawn({kRead}, 0), Sync(1), kWrite})})};
  EXPECT_TRUE(Leaves<SpBags>(program));
  EXPECT_TRUE(Leaves<SpOrder>(program));
  ExpectOfStructured(program, kRace);
}
TEST(JoinsThatDoNotNest, AnAsyncBeforeTheSpawnOrAfterTheSyncIsHarmless) {
  ExpectOfSeriesParallel(
      {Finish({Async({kRead}), Scope({Spawn({kRead}), Sync(), Async({})}), kRead})}, kNoRace);
}

// 9. The published programs: one reader, always overwritten; nothing below four bytes.
TEST(PublishedPrograms, AReaderThatPrecedesNobodyIsNotOverwritten) {
  ExpectOfSeriesParallel({Scope({Spawn({kRead}), kRead, kWrite})}, kRace);
}
TEST(PublishedPrograms, AccessesOfOneAndTwoBytesCount) {
  ExpectOfSeriesParallel(
      {Scope({Spawn({Access(AccessKind::kWrite, 2, 2)}), Access(AccessKind::kRead, 3)})}, {3});
}

}  // namespace
}  // namespace taskrace::oracle
