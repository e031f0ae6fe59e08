// The sets, the attached predecessors and successors and R that the paper describes; what the
// restored sync of Figure 4 does in each of its cases; and the limit of R. Whether the answers are
// right is for the oracle to say.
#include "detect/reach/multibags_plus.h"

#include <gtest/gtest.h>

#include "test/detect/general_futures_events.h"

namespace taskrace {
namespace {

class MultiBagsPlusState : public testing::Test {
 protected:
  using Node = MultiBagsPlus::Node;
  static constexpr Node kNoNode = MultiBagsPlus::kNoNode;

  bool IsAttached(StrandId u) { return events.engine.SetOf(u).attached; }
  Node AttPred(StrandId u) { return events.engine.SetOf(u).att_pred; }
  Node AttSucc(StrandId u) { return events.engine.SetOf(u).att_succ; }
  // Requires: u is attached.
  Node NodeOf(StrandId u) {
    EXPECT_TRUE(IsAttached(u));
    return AttPred(u);
  }
  bool InOneSet(StrandId u, StrandId v) {
    return events.engine.ReaderClass(u) == events.engine.ReaderClass(v);
  }
  bool Reaches(StrandId u, StrandId v) { return events.engine.R().Reaches(NodeOf(u), NodeOf(v)); }
  size_t Nodes() const { return events.engine.R().Size(); }
  StrandId Now() const { return events.Now(); }
  bool Precedes(StrandId u) { return events.engine.Precedes(u); }

  Events<MultiBagsPlus> events;
};

TEST_F(MultiBagsPlusState, TheFirstStrandIsAttachedWithNoPredecessor) {
  EXPECT_EQ(NodeOf(Now()), 0u);
  EXPECT_EQ(Nodes(), 1u);
}

TEST_F(MultiBagsPlusState, ASpawnMakesTwoUnattachedSetsBehindTheAttachedPredecessor) {
  const StrandId u = Now();
  events.Spawn(events.NewGroup());
  const StrandId w = Now();
  events.End();
  const StrandId v = Now();
  EXPECT_FALSE(IsAttached(w));
  EXPECT_FALSE(IsAttached(v));
  EXPECT_FALSE(InOneSet(v, w));
  EXPECT_EQ(AttPred(v), NodeOf(u));
  EXPECT_EQ(AttPred(w), NodeOf(u));
  EXPECT_EQ(AttSucc(w), kNoNode);
  EXPECT_EQ(Nodes(), 1u);
}

TEST_F(MultiBagsPlusState, AFutureAttachesTheSetsOfItsCreatorItsFirstStrandAndTheContinuation) {
  const GroupId scope = events.NewGroup();
  const StrandId root = Now();
  events.Spawn(scope);
  const StrandId u = Now();
  events.Future();
  const StrandId w = Now();
  events.End();
  const StrandId v = Now();
  EXPECT_TRUE(Reaches(root, u));
  EXPECT_TRUE(Reaches(u, w));
  EXPECT_TRUE(Reaches(u, v));
  EXPECT_FALSE(Reaches(w, v));
  EXPECT_FALSE(Reaches(v, w));
  EXPECT_EQ(Nodes(), 4u);
}

TEST_F(MultiBagsPlusState, AGetMakesAnAttachedSetBehindTheGetterAndTheFuture) {
  const TaskId future = events.Future();
  const StrandId w = Now();
  events.End();
  const StrandId u = Now();
  events.Get(future);
  const StrandId v = Now();
  EXPECT_TRUE(Reaches(u, v));
  EXPECT_TRUE(Reaches(w, v));
  EXPECT_FALSE(InOneSet(u, v));
}

TEST_F(MultiBagsPlusState, AGetOfWhatPrecedesAlreadyAddsNothingToR) {
  const TaskId future = events.Future();
  events.End();
  events.Get(future);
  const size_t nodes = Nodes();
  const StrandId first = Now();
  events.Get(future);
  EXPECT_TRUE(InOneSet(first, Now()));
  events.Finish();
  EXPECT_EQ(Nodes(), nodes);
}

// 4.2.4, neither t attached: f, t1, t2 and j are one set.
TEST_F(MultiBagsPlusState, ASyncWithoutFuturesUnitesTheForkBothBranchesAndTheJoin) {
  const GroupId outer = events.NewGroup();
  events.Spawn(outer);
  const StrandId f = Now();
  const GroupId scope = events.NewGroup();
  events.Spawn(scope);
  const StrandId t1 = Now();
  events.End();
  const StrandId t2 = Now();
  events.Sync(scope);
  EXPECT_FALSE(IsAttached(f));
  EXPECT_TRUE(InOneSet(f, t1));
  EXPECT_TRUE(InOneSet(f, t2));
  EXPECT_TRUE(InOneSet(f, Now()));
  EXPECT_EQ(Nodes(), 1u);
}

TEST_F(MultiBagsPlusState, ASyncWithoutFuturesIsAttachedIfTheForkIs) {
  const StrandId f = Now();
  const GroupId scope = events.NewGroup();
  events.Spawn(scope);
  events.End();
  events.Sync(scope);
  EXPECT_TRUE(InOneSet(f, Now()));
  EXPECT_TRUE(IsAttached(Now()));
}

// 4.2.4, both attached: f becomes attached, with arcs to s1 and s2; from t1 and t2 arcs lead to j.
TEST_F(MultiBagsPlusState, ASyncOfTwoAttachedBranchesAttachesTheForkAndTheJoin) {
  const GroupId outer = events.NewGroup();
  events.Spawn(outer);
  const StrandId f = Now();
  const GroupId scope = events.NewGroup();
  events.Spawn(scope);
  const StrandId s1 = Now();
  events.Future();
  events.End();
  const StrandId t1 = Now();
  events.End();
  const StrandId s2 = Now();
  events.Future();
  events.End();
  const StrandId t2 = Now();
  EXPECT_FALSE(IsAttached(f));
  events.Sync(scope);
  const StrandId j = Now();
  EXPECT_TRUE(Reaches(f, s1));
  EXPECT_TRUE(Reaches(f, s2));
  EXPECT_TRUE(Reaches(t1, j));
  EXPECT_TRUE(Reaches(t2, j));
  EXPECT_FALSE(Reaches(t1, t2));
  EXPECT_TRUE(Reaches(f, t1)) << "the arc to s1 is late: t1 was there before it";
}

// 4.2.4, one attached: f joins the set of that branch's s, j that of its t, and the other branch
// has j's set as its attached successor.
TEST_F(MultiBagsPlusState, ASyncOfOneAttachedBranchPutsForkAndJoinIntoItsSets) {
  for (const bool child_is_attached : {true, false}) {
    const GroupId outer = events.NewGroup();
    events.Spawn(outer);
    const StrandId f = Now();
    const GroupId scope = events.NewGroup();
    events.Spawn(scope);
    const StrandId s1 = Now();
    if (child_is_attached) {
      events.Future();
      events.End();
    }
    const StrandId t1 = Now();
    events.End();
    const StrandId s2 = Now();
    if (!child_is_attached) {
      events.Future();
      events.End();
    }
    const StrandId t2 = Now();
    events.Sync(scope);
    const StrandId j = Now();
    EXPECT_TRUE(InOneSet(f, child_is_attached ? s1 : s2));
    EXPECT_TRUE(InOneSet(j, child_is_attached ? t1 : t2));
    const StrandId other = child_is_attached ? t2 : t1;
    EXPECT_FALSE(IsAttached(other));
    EXPECT_EQ(AttSucc(other), NodeOf(j));
    events.End();
    events.Sync(outer);
  }
}

// fut{ spawn{ u; spawn{ G = fut{} }; L = fut{ get G }; sync } }; get L
TEST_F(MultiBagsPlusState, ALateArcReachesAGetterThatIsOlderThanTheArc) {
  events.Future();
  const GroupId outer = events.NewGroup();
  events.Spawn(outer);
  const StrandId u = Now();
  const GroupId inner = events.NewGroup();
  events.Spawn(inner);
  const TaskId g = events.Future();
  events.End();
  events.End();
  const TaskId l = events.Future();
  events.Get(g);
  events.End();
  events.Sync(inner);
  events.End();
  events.Sync(outer);
  events.End();
  EXPECT_FALSE(Precedes(u));
  events.Get(l);
  EXPECT_TRUE(Precedes(u));
}

TEST_F(MultiBagsPlusState, AnAsyncOfTheSameFinishIsJoinedAtTheEndOfItsCreator) {
  events.Open();
  events.Async();
  const StrandId creator = Now();
  events.Async();
  const StrandId inner = Now();
  events.End();
  events.End();
  EXPECT_FALSE(Precedes(inner));
  EXPECT_TRUE(InOneSet(creator, inner));
  events.Finish();
  EXPECT_TRUE(Precedes(inner));
  EXPECT_EQ(Nodes(), 1u) << "nothing was detached";
}

TEST_F(MultiBagsPlusState, AForkLeftOpenByAJoinThatDoesNotNestBecomesAFuture) {
  const GroupId a = events.NewGroup();
  const GroupId b = events.NewGroup();
  events.Spawn(a);
  const StrandId in_a = Now();
  events.End();
  events.Spawn(b);
  const StrandId in_b = Now();
  events.End();
  events.Sync(a);
  EXPECT_TRUE(Precedes(in_a));
  EXPECT_FALSE(Precedes(in_b));
  EXPECT_TRUE(IsAttached(in_b));
  events.Sync(b);
  EXPECT_TRUE(Precedes(in_b));
  EXPECT_TRUE(Precedes(in_a));
}

TEST_F(MultiBagsPlusState, AnAsyncThatOutlivesAScopeBecomesAFuture) {
  events.Open();
  const GroupId scope = events.NewGroup();
  events.Spawn(scope);
  const StrandId spawned = Now();
  events.Async();
  const StrandId async = Now();
  events.End();
  events.End();
  events.Sync(scope);
  EXPECT_TRUE(Precedes(spawned));
  EXPECT_FALSE(Precedes(async));
  events.Finish();
  EXPECT_TRUE(Precedes(async));
}

// The kinds of unattached sets that the paper's section 5 describes with Figure 5 (our copy of the
// paper has the caption but not the picture): X is joined with a branch that has futures, Y is not
// joined yet, Z has a whole fork and join inside.
TEST_F(MultiBagsPlusState, UnattachedSetsAreSubdagsWithoutFuturesAsInFigure5) {
  const StrandId n1 = Now();
  const GroupId first = events.NewGroup();
  events.Spawn(first);
  const StrandId x = Now();
  events.End();
  const StrandId n3 = Now();
  const TaskId b = events.Future();
  const StrandId n4 = Now();
  events.End();
  const StrandId n5 = Now();
  events.Sync(first);
  const StrandId n6 = Now();
  const GroupId second = events.NewGroup();
  events.Spawn(second);
  const StrandId y = Now();
  events.End();
  const GroupId third = events.NewGroup();
  const StrandId z1 = Now();
  events.Spawn(third);
  const StrandId z2 = Now();
  events.End();
  events.Sync(third);
  const StrandId z3 = Now();

  EXPECT_FALSE(IsAttached(x));
  EXPECT_EQ(AttPred(x), NodeOf(n1));
  EXPECT_EQ(AttSucc(x), NodeOf(n5));
  EXPECT_TRUE(InOneSet(n6, n5));
  EXPECT_FALSE(IsAttached(y));
  EXPECT_EQ(AttPred(y), NodeOf(n6));
  EXPECT_EQ(AttSucc(y), kNoNode);
  EXPECT_TRUE(InOneSet(z1, z2));
  EXPECT_TRUE(InOneSet(z1, z3));
  EXPECT_FALSE(IsAttached(z1));
  EXPECT_EQ(AttPred(z1), NodeOf(n6));
  EXPECT_EQ(AttSucc(z1), kNoNode);

  events.Get(b);
  const StrandId getter = Now();
  EXPECT_TRUE(InOneSet(z1, z3));
  EXPECT_TRUE(IsAttached(z1)) << "a get attaches the set before it";
  EXPECT_FALSE(IsAttached(y));

  // The arcs of R: 1->3, 3->4, 3->5, 5->Z, Z->getter, 4->getter, and what follows from them.
  const StrandId nodes[] = {n1, n3, n4, n5, z1, getter};
  const bool reaches[6][6] = {
      {true, true, true, true, true, true},     {false, true, true, true, true, true},
      {false, false, true, false, false, true}, {false, false, false, true, true, true},
      {false, false, false, false, true, true}, {false, false, false, false, false, true}};
  EXPECT_EQ(Nodes(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    for (size_t j = 0; j < 6; ++j) {
      EXPECT_EQ(Reaches(nodes[i], nodes[j]), reaches[i][j]) << i << " " << j;
    }
  }
}

// F = fut{ spawn{ read x; G = fut{} }; read x; sync }; read x; get G; write x
TEST_F(MultiBagsPlusState, ReadersOfOneTaskAreNotOneClassIfOnlyOneOfThemLeadsToAFuture) {
  events.Future();
  const GroupId scope = events.NewGroup();
  events.Spawn(scope);
  const StrandId in_child = Now();
  const TaskId g = events.Future();
  events.End();
  events.End();
  const StrandId in_f = Now();
  events.Sync(scope);
  events.End();
  EXPECT_FALSE(InOneSet(in_child, in_f));
  events.Get(g);
  EXPECT_TRUE(Precedes(in_child));
  EXPECT_FALSE(Precedes(in_f));
}

TEST(MultiBagsPlus, SaysWhenTheMatrixDoesNotFitAndGoesOnWithoutHarm) {
  constexpr size_t kLimit = 1 << 20;
  Events<MultiBagsPlus> events(kLimit);
  TaskId last = kRootTask;
  size_t futures = 0;
  for (; events.Outside() == nullptr; ++futures) {
    last = events.Future();
    events.End();
    events.Get(last);
  }
  EXPECT_EQ(events.Outside(), &reasons::kMatrixTooLarge);
  EXPECT_GT(futures, 1000u);
  EXPECT_LE(events.engine.R().BytesUsed(), kLimit + 16 * events.engine.R().Size());
  for (int i = 0; i < 1000; ++i) {
    const GroupId scope = events.NewGroup();
    events.Spawn(scope);
    events.Future();
    events.End();
    events.Async();
    events.End();
    events.End();
    events.Future();
    events.End();
    events.Sync(scope);
    events.Get(last);
    events.engine.Precedes(events.Now());
  }
  events.Finish();
  EXPECT_LE(events.engine.R().BytesUsed(), kLimit + 16 * events.engine.R().Size());
}

// The strand after the future is the continuation: its node must not come too late to be missed.
TEST(MultiBagsPlus, IsRightUpToTheEventThatSaysThatTheMatrixIsFull) {
  for (size_t limit = 400; limit < 1200; limit += 8) {
    Events<MultiBagsPlus> events(limit);
    const GroupId scope = events.NewGroup();
    while (true) {
      const StrandId before = events.Now();
      const TaskId future = events.Future();
      if (events.Outside() != nullptr) break;
      const StrandId inside = events.Now();
      ASSERT_TRUE(events.engine.Precedes(before));
      events.End();
      if (events.Outside() != nullptr) break;
      ASSERT_FALSE(events.engine.Precedes(inside));
      events.Spawn(scope);
      events.Get(future);
      if (events.Outside() != nullptr) break;
      ASSERT_TRUE(events.engine.Precedes(inside));
      events.End();
      if (events.Outside() != nullptr) break;
      ASSERT_FALSE(events.engine.Precedes(inside));
    }
  }
}

TEST(MultiBagsPlus, AMillionSpawnsWithoutFuturesNeedNoMatrix) {
  constexpr uint32_t kSpawns = 1'000'000;
  Events<MultiBagsPlus> events;
  const GroupId scope = events.NewGroup();
  for (uint32_t i = 0; i < kSpawns; ++i) {
    events.Spawn(scope);
    events.End();
    if (i % 100 == 99) events.Sync(scope);
  }
  EXPECT_EQ(events.engine.R().Size(), 1u);
  EXPECT_LE(events.engine.BytesUsed(), 20u * 2 * kSpawns);
}

TEST(MultiBagsPlus, ScopesOfOneTaskThatAreSyncedInReverseDetachNothing) {
  Events<MultiBagsPlus> events;
  std::vector<GroupId> scopes;
  for (int i = 0; i < 100'000; ++i) {
    scopes.push_back(events.NewGroup());
    events.Spawn(scopes.back());
    events.End();
  }
  for (; !scopes.empty(); scopes.pop_back()) events.Sync(scopes.back());
  EXPECT_EQ(events.engine.R().Size(), 1u);
  EXPECT_TRUE(events.engine.Precedes(StrandId{2}));
}

}  // namespace
}  // namespace taskrace
