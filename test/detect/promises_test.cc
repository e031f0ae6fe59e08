// DRDP: the graph state that its paper prints, the pitfalls of reading it, which joins are kept,
// and what it costs. Answers are compared with the dag in test/oracle.
#include "detect/reach/promises.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "test/detect/promises_events.h"

namespace taskrace {
namespace {

// ---- the paper's examples

TEST(Promises, TheGetOfFigure1OrdersTheSecondLoadAndNotTheFirst) {
  Events events;
  const TaskId t1 = events.Create(kRootTask);
  const StrandId store = events.Now();
  events.SetAndProceed(t1, 1);
  events.EndAndProceed(t1, kRootTask);
  EXPECT_FALSE(events.Precedes(store));  // a <- load x
  events.Get(kRootTask, 1);
  EXPECT_TRUE(events.Precedes(store));  // b <- load x
  EXPECT_EQ(events.Before(), "1 2 4");
  EXPECT_EQ(events.Joins(kRootTask), "[2]");
  EXPECT_EQ(events.Joins(t1), "[]");
}

// Strands are numbered as the steps of the figure. Promise a is set by s2, promise b by s6.
TEST(Promises, KeepsTheJoinsThatThePaperPrintsForFigure6) {
  constexpr uint32_t kA = 1;
  constexpr uint32_t kB = 2;
  Events events;
  const TaskId f = events.Create(kRootTask);
  EXPECT_EQ(events.Before(), "1");
  events.SetAndProceed(f, kA);
  EXPECT_EQ(events.Before(), "1 2");
  events.Block(f);
  events.Proceed(kRootTask);
  EXPECT_EQ(events.Before(), "1");
  events.Get(kRootTask, kA);
  EXPECT_EQ(events.Before(), "1 2 4");
  const TaskId g = events.Create(kRootTask);
  EXPECT_EQ(events.Before(), "1 2 4 5");  // s2 precedes s6: by lsa
  events.Set(g, kB);
  events.Get(f, kB);
  EXPECT_EQ(events.Before(), "1 2 3 4 5 6");
  events.End(f);
  events.Proceed(g);
  EXPECT_EQ(events.Before(), "1 2 4 5 6");
  events.EndAndProceed(g, kRootTask);
  EXPECT_EQ(events.Before(), "1 2 4 5");
  EXPECT_EQ(events.Now(), StrandId{9});

  // Figure 7, the table of sets; an empty task is the strand that set it.
  EXPECT_EQ(events.Joins(kRootTask), "[2]");  // main: nt [a]
  EXPECT_EQ(events.Joins(f), "[6]");          // f: nt [b]
  EXPECT_EQ(events.Joins(g), "[] (2)");       // g, and b with it: lsa (main, [a])
}

// ---- pitfalls

// async X{ async T{ get p; now } u }  set p
TEST(Promises, TheTreeSaysNothingOfAnEarlierStepToTheRight) {
  Events events;
  const TaskId x = events.Create(kRootTask);
  const TaskId t = events.Create(x);
  events.Block(t);
  events.Proceed(x);
  const StrandId u = events.Now();
  events.EndAndProceed(x, kRootTask);
  events.Set(kRootTask, 1);
  events.Get(t, 1);
  EXPECT_FALSE(events.Precedes(u));
  EXPECT_EQ(events.Before(), "1 2 3 5");
}

// async{ get p; get q }  async{ u; set p }  now  set q: the first task blocks twice and returns to
// its creator, while the second is suspended in its set.
TEST(Promises, AnActiveTaskNeedNotPrecede) {
  Events events;
  const TaskId first = events.Create(kRootTask);
  events.Block(first);
  events.Proceed(kRootTask);
  const TaskId second = events.Create(kRootTask);
  const StrandId u = events.Now();
  events.Set(second, 1);
  events.Get(first, 1);
  EXPECT_TRUE(events.Precedes(u));
  events.Block(first);
  events.Proceed(kRootTask);
  EXPECT_FALSE(events.Precedes(u));
}

// finish{ scope{ spawn{ async{ u } } } now }
TEST(Promises, AnAsyncThatOutlivesItsScopeIsOrderedByTheFinishOnly) {
  Events events;
  const GroupId finish = events.Open(kRootTask);
  const GroupId scope = events.NewGroup();
  const TaskId spawned = events.Create(kRootTask, How::kSpawn, scope);
  const StrandId in_scope = events.Now();
  const TaskId async = events.Create(spawned, How::kAsync, finish);
  const StrandId u = events.Now();
  events.EndAndProceed(async, spawned);
  events.EndAndProceed(spawned, kRootTask);
  events.Join(kRootTask, scope, How::kSync);
  EXPECT_TRUE(events.Precedes(in_scope));
  EXPECT_FALSE(events.Precedes(u));
  events.Join(kRootTask, finish, How::kFinish);
  EXPECT_TRUE(events.Precedes(u));
}

TEST(Promises, AFutureThatOutlivesItsScopeIsOrderedByItsGet) {
  Events events;
  const GroupId scope = events.NewGroup();
  const TaskId spawned = events.Create(kRootTask, How::kSpawn, scope);
  const TaskId future = events.Create(spawned, How::kFuture);
  const StrandId u = events.Now();
  events.EndAndProceed(future, spawned);
  events.EndAndProceed(spawned, kRootTask);
  events.Join(kRootTask, scope, How::kSync);
  EXPECT_FALSE(events.Precedes(u));
  events.GetFuture(kRootTask, future);
  EXPECT_TRUE(events.Precedes(u));
}

// The async's own scope lies inside the finish that waits for the async: what it spawns stays.
TEST(Promises, WhatATaskJoinsItselfLeavesWithTheTask) {
  Events events;
  const GroupId finish = events.Open(kRootTask);
  const GroupId outer = events.NewGroup();
  const GroupId inner = events.NewGroup();
  const TaskId spawned = events.Create(kRootTask, How::kSpawn, outer);
  const TaskId async = events.Create(spawned, How::kAsync, finish);
  const TaskId leaf = events.Create(async, How::kSpawn, inner);
  const StrandId u = events.Now();
  events.EndAndProceed(leaf, async);
  events.Join(async, inner, How::kSync);
  EXPECT_TRUE(events.Precedes(u));
  events.EndAndProceed(async, spawned);
  events.EndAndProceed(spawned, kRootTask);
  events.Join(kRootTask, outer, How::kSync);
  EXPECT_FALSE(events.Precedes(u));
  events.Join(kRootTask, finish, How::kFinish);
  EXPECT_TRUE(events.Precedes(u));
}

// scope a; scope b; a.spawn{}; b.spawn{ u }; a.sync(); now; b.sync()
TEST(Promises, AScopeThatIsSyncedFirstDoesNotWaitForOneInsideIt) {
  Events events;
  events.EndAndProceed(events.Create(kRootTask), kRootTask);
  const GroupId a = events.NewGroup();
  const GroupId b = events.NewGroup();
  const TaskId of_a = events.Create(kRootTask, How::kSpawn, a);
  const StrandId in_a = events.Now();
  events.EndAndProceed(of_a, kRootTask);
  const TaskId of_b = events.Create(kRootTask, How::kSpawn, b);
  const StrandId u = events.Now();
  events.EndAndProceed(of_b, kRootTask);
  events.Join(kRootTask, a, How::kSync);
  EXPECT_TRUE(events.Precedes(in_a));
  EXPECT_FALSE(events.Precedes(u));
  const TaskId more = events.Create(kRootTask, How::kSpawn, b);
  const StrandId later = events.Now();
  events.EndAndProceed(more, kRootTask);
  events.Join(kRootTask, b, How::kSync);
  EXPECT_TRUE(events.Precedes(u));
  EXPECT_TRUE(events.Precedes(later));
  EXPECT_EQ(events.Joins(kRootTask), "[6]") << "the tree shows one of the two joins";
}

// async{ set z }  async{ u; set q }  async{ get z; set p; get q; set r }  async{ get p; now }
// The first task and its getters only keep the cuts of the search from hiding a wrong answer.
TEST(Promises, AGetAfterTheSetOrdersNothingBeforeTheGettersOfTheSet) {
  constexpr uint32_t kP = 1, kQ = 2, kR = 3, kZ = 4;
  Events events;
  const TaskId oldest = events.Create(kRootTask);
  events.SetAndProceed(oldest, kZ);
  events.EndAndProceed(oldest, kRootTask);
  const TaskId second = events.Create(kRootTask);
  const StrandId u = events.Now();
  events.SetAndProceed(second, kQ);
  events.EndAndProceed(second, kRootTask);
  const TaskId third = events.Create(kRootTask);
  events.Get(third, kZ);
  events.SetAndProceed(third, kP);
  events.Get(third, kQ);
  events.SetAndProceed(third, kR);
  events.EndAndProceed(third, kRootTask);
  const TaskId getter = events.Create(kRootTask);
  events.Get(getter, kP);
  EXPECT_FALSE(events.Precedes(u));
  events.Get(getter, kR);
  EXPECT_TRUE(events.Precedes(u));
}

// async{ set z }  async{ async{ get p; now } async{ u; set q } get q }  get z; set p
TEST(Promises, AGetAfterTheCreationOrdersNothingBeforeTheChild) {
  constexpr uint32_t kP = 1, kQ = 2, kZ = 3;
  Events events;
  const TaskId oldest = events.Create(kRootTask);
  events.SetAndProceed(oldest, kZ);
  events.EndAndProceed(oldest, kRootTask);
  const TaskId creator = events.Create(kRootTask);
  const TaskId child = events.Create(creator);
  events.Block(child);
  events.Proceed(creator);
  const TaskId setter = events.Create(creator);
  const StrandId u = events.Now();
  events.SetAndProceed(setter, kQ);
  events.EndAndProceed(setter, creator);
  events.Get(creator, kQ);
  EXPECT_TRUE(events.Precedes(u));
  events.EndAndProceed(creator, kRootTask);
  events.Get(kRootTask, kZ);
  events.Set(kRootTask, kP);
  events.Get(child, kP);
  EXPECT_FALSE(events.Precedes(u));
}

// ---- which joins are kept

TEST(Promises, AFinishTakesOverNothingThatItShows) {
  Events events;
  const GroupId finish = events.Open(kRootTask);
  const TaskId setter = events.Create(kRootTask, How::kAsync, finish);
  const StrandId u = events.Now();
  events.SetAndProceed(setter, 1);
  events.EndAndProceed(setter, kRootTask);
  const TaskId getter = events.Create(kRootTask, How::kAsync, finish);
  events.Get(getter, 1);
  events.EndAndProceed(getter, kRootTask);
  events.Join(kRootTask, finish, How::kFinish);
  EXPECT_EQ(events.Joins(kRootTask), "[]");
  EXPECT_TRUE(events.Precedes(u));
}

// async{ u; set p }  finish{ finish{ async{ get p } } } now: what the inner finish takes over from
// its child, the outer one shows, but not what it stands for.
TEST(Promises, AFinishTakesOverWhatItsTasksGotFromOutside) {
  Events events;
  const TaskId setter = events.Create(kRootTask);
  const StrandId u = events.Now();
  events.SetAndProceed(setter, 1);
  events.EndAndProceed(setter, kRootTask);
  const GroupId outer = events.Open(kRootTask);
  const TaskId middle = events.Create(kRootTask, How::kAsync, outer);
  const GroupId inner = events.Open(middle);
  const TaskId getter = events.Create(middle, How::kAsync, inner);
  events.Get(getter, 1);
  events.EndAndProceed(getter, middle);
  events.Join(middle, inner, How::kFinish);
  EXPECT_EQ(events.engine.OwnJoins(middle), 1u);
  events.EndAndProceed(middle, kRootTask);
  EXPECT_FALSE(events.Precedes(u));
  events.Join(kRootTask, outer, How::kFinish);
  EXPECT_EQ(events.engine.OwnJoins(kRootTask), 1u);
  EXPECT_TRUE(events.Precedes(u));
}

TEST(Promises, AGetOfWhatPrecedesAlreadyIsNoJoin) {
  Events events;
  const TaskId future = events.Create(kRootTask, How::kFuture);
  events.SetAndProceed(future, 1);
  events.EndAndProceed(future, kRootTask);
  events.SetAndProceed(kRootTask, 2);
  events.Get(kRootTask, 2);  // its own
  EXPECT_EQ(events.engine.OwnJoins(kRootTask), 0u);
  events.GetFuture(kRootTask, future);
  EXPECT_EQ(events.engine.OwnJoins(kRootTask), 1u);
  for (int i = 0; i < 3; ++i) events.GetFuture(kRootTask, future);
  events.Get(kRootTask, 1);
  EXPECT_EQ(events.engine.OwnJoins(kRootTask), 1u);
  const TaskId child = events.Create(kRootTask);
  events.GetFuture(child, future);
  EXPECT_EQ(events.engine.OwnJoins(child), 0u);
}

// async{ u; set p }  async{ get p; set q }  async{ get p }  then many of async{ get q; now }: the
// last who got p precedes none of those, so that each has to search for u.
TEST(Promises, SearchesAreRightWhenTheirNumbersAreUsedAgain) {
  constexpr uint32_t kP = 1, kQ = 2;
  Events events(/*most_searches=*/1);
  const TaskId setter = events.Create(kRootTask);
  const StrandId u = events.Now();
  events.SetAndProceed(setter, kP);
  events.EndAndProceed(setter, kRootTask);
  const TaskId between = events.Create(kRootTask);
  events.Get(between, kP);
  events.SetAndProceed(between, kQ);
  events.EndAndProceed(between, kRootTask);
  const TaskId other = events.Create(kRootTask);
  events.Get(other, kP);
  events.EndAndProceed(other, kRootTask);
  for (uint64_t searches = 1; searches <= 5; ++searches) {
    const TaskId getter = events.Create(kRootTask);
    events.Get(getter, kQ);
    EXPECT_TRUE(events.Precedes(u));
    EXPECT_GE(events.engine.Visits(), 2 * searches);
    events.EndAndProceed(getter, kRootTask);
  }
}

// ---- what is not kept

// finish{ async F{ async{ u; set p; rest }  get p; over p; now }  outside }
TEST(Promises, WhatAChildDidAfterItsSetIsTheFinishsToJoin) {
  Events events;
  const GroupId finish = events.Open(kRootTask);
  const TaskId f = events.Create(kRootTask, How::kAsync, finish);
  const TaskId child = events.Create(f, How::kAsync, finish);
  const StrandId u = events.Now();
  events.SetAndProceed(child, 1);
  const StrandId rest = events.Now();
  events.EndAndProceed(child, f);
  events.Get(f, 1);
  const size_t before = events.engine.BytesUsed();
  events.Over(1);
  EXPECT_LT(events.engine.BytesUsed(), before - 100) << "nothing was dropped";
  EXPECT_TRUE(events.Precedes(u));
  EXPECT_FALSE(events.Precedes(rest));
  EXPECT_EQ(events.engine.TaskOf(u), child);
  EXPECT_EQ(events.engine.TaskOf(rest), child);
  events.EndAndProceed(f, kRootTask);
  EXPECT_FALSE(events.Precedes(u));
  events.Join(kRootTask, finish, How::kFinish);
  EXPECT_TRUE(events.Precedes(u));
  EXPECT_TRUE(events.Precedes(rest));
}

// A promise of the root's that was got inside must be known to precede after the beginning is back.
TEST(Promises, ATaskInWhichSomethingFromOutsideWasGotKeepsItsChildren) {
  Events events;
  const TaskId setter = events.Create(kRootTask);
  const StrandId u = events.Now();
  events.SetAndProceed(setter, 1);
  events.EndAndProceed(setter, kRootTask);
  const TaskId f = events.Create(kRootTask);
  const TaskId child = events.Create(f);
  events.Get(child, 1);
  events.SetAndProceed(child, 2);
  events.EndAndProceed(child, f);
  events.Get(f, 2);
  events.Over(2);
  EXPECT_TRUE(events.Precedes(u));
}

// What a task of so many levels below does: two children, whose promises it gets and lets go.
void Recurse(Events& events, TaskId task, uint32_t levels, uint32_t& promises) {
  if (levels == 0) return;
  uint32_t got[2];
  for (uint32_t& promise : got) {
    const TaskId child = events.Create(task);
    Recurse(events, child, levels - 1, promises);
    events.SetAndProceed(child, promise = ++promises);
    events.EndAndProceed(child, task);
  }
  for (const uint32_t promise : got) events.Get(task, promise);
  for (const uint32_t promise : got) events.Over(promise);
}
TEST(Promises, ARecursionThatWaitsForPromisesTakesElevenBytesAStrand) {
  Events events;
  uint32_t promises = 0;
  Recurse(events, events.Create(kRootTask), 15, promises);
  const size_t strands = Index(events.Now());
  EXPECT_GT(strands, 4u << 15);
  EXPECT_LT(events.engine.BytesUsed(), 11 * strands);
}

TEST(Promises, NothingIsKeptWhenTheRootHasJoinedAll) {
  Events events;
  const auto day = [&] {
    const GroupId finish = events.Open(kRootTask);
    for (int i = 0; i < 100; ++i) {
      events.EndAndProceed(events.Create(kRootTask, How::kAsync, finish), kRootTask);
    }
    events.Join(kRootTask, finish, How::kFinish);
    return events.engine.BytesUsed();
  };
  const size_t once = day();
  for (int i = 0; i < 10; ++i) day();
  EXPECT_LT(day(), once + 1000) << "a group takes 48 bytes for good";
  EXPECT_TRUE(events.Precedes(StrandId{3}));
}

// ---- what it costs

// Each task gets the promise of the one before, and sets its own.
TEST(Promises, AMillionTasksWithAGetAndASetEachTakeLessThan240Megabytes) {
  constexpr uint32_t kTasks = 1'000'000;
  Events events;
  for (uint32_t i = 1; i <= kTasks; ++i) {
    const TaskId task = events.Create(kRootTask);
    if (i > 1) events.Get(task, i - 1);
    events.SetAndProceed(task, i);
    events.EndAndProceed(task, kRootTask);
  }
  EXPECT_LT(events.engine.BytesUsed(), size_t{240} * kTasks);
}

TEST(Promises, AMillionChildrenWithoutJoinsCostTheirFinishNone) {
  constexpr uint32_t kTasks = 1'000'000;
  Events events;
  const GroupId finish = events.Open(kRootTask);
  for (uint32_t i = 0; i < kTasks; ++i) {
    events.EndAndProceed(events.Create(kRootTask, How::kAsync, finish), kRootTask);
  }
  const size_t before = events.engine.BytesUsed();
  events.Join(kRootTask, finish, How::kFinish);
  EXPECT_LT(events.engine.BytesUsed(), before + 100);
  EXPECT_EQ(events.Joins(kRootTask), "[]");
  EXPECT_TRUE(events.Precedes(StrandId{3}));
  EXPECT_LT(before, size_t{160} * kTasks);
}

// spawn{ spawn{ spawn{ ... } sync } sync }, and promises, so that the deepest is searched for.
TEST(Promises, AHundredThousandNestedSpawnsAreOrdered) {
  constexpr uint32_t kDepth = 100'000;
  Events events;
  events.EndAndProceed(events.Create(kRootTask), kRootTask);
  const TaskId setter = events.Create(kRootTask);
  events.SetAndProceed(setter, 1);
  events.EndAndProceed(setter, kRootTask);
  std::vector<std::pair<TaskId, GroupId>> nest = {{kRootTask, kRootFinish}};
  for (uint32_t i = 0; i < kDepth; ++i) {
    const GroupId scope = events.NewGroup();
    nest.push_back({events.Create(nest.back().first, How::kSpawn, scope), scope});
    ASSERT_TRUE(events.Precedes(StrandId{1}));
  }
  const StrandId deepest = events.Now();
  events.Get(nest.back().first, 1);
  for (; nest.size() > 1; nest.pop_back()) {
    const auto [task, scope] = nest.back();
    const TaskId creator = nest[nest.size() - 2].first;
    events.EndAndProceed(task, creator);
    ASSERT_FALSE(events.Precedes(deepest));
    events.Join(creator, scope, How::kSync);
    ASSERT_TRUE(events.Precedes(deepest));
    ASSERT_FALSE(events.Precedes(StrandId{2}));
  }
  EXPECT_LT(events.engine.Visits(), 4 * events.queries);
}

}  // namespace
}  // namespace taskrace
