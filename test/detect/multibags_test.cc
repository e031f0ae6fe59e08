// The bags of MultiBags step by step, its class check, and what it costs. Answers are compared with
// the dag in test/oracle.
#include "detect/reach/multibags.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "test/detect/depth_first.h"

namespace taskrace {
namespace {

// Every bag with its strands, in the order of their first ones: `S{1 3} P{2}`.
std::string Bags(MultiBags& engine, StrandId now) {
  std::vector<std::string> bags;
  std::map<uint64_t, size_t> index_of;
  for (uint32_t u = 1; u <= Index(now); ++u) {
    const auto [bag, is_new] = index_of.try_emplace(engine.ReaderClass(StrandId{u}), bags.size());
    if (is_new) bags.push_back(engine.Precedes(StrandId{u}) ? "S{" : "P{");
    std::string& text = bags[bag->second];
    if (text.back() != '{') text += ' ';
    text += std::to_string(u);
  }
  std::string all;
  for (const std::string& bag : bags) all += (all.empty() ? "" : " ") + bag + "}";
  return all;
}

struct Example {
  std::vector<std::string> table;  // before each strand, as in the paper's Figure 2
  DepthFirst<MultiBags> run{[this] { table.push_back(Bags(run.engine, run.Strand())); }};
};

// The drawing and the table of Figure 2 are not in our copy of the paper. This program has all that
// its caption and text say: B is created by strand 1 and got by strand 16, which follows 15; F
// begins with strand 12, where all strands but 4 are in S-bags; joins do not nest.
TEST(MultiBags, BagsAreThoseOfFigure1OnAProgramLikeFigure2) {
  Example example;
  DepthFirst<MultiBags>& run = example.run;
  TaskId c, d, f;
  run.Start();
  const TaskId b = run.Future([&] {
    c = run.Future([&] {
      d = run.Future();
      TaskId g;
      const TaskId e = run.Future([&] { g = run.Future(); });
      run.Get(e);
      run.Get(g);
      f = run.Future();
    });
  });
  run.Get(b);
  run.Get(c);
  run.Get(d);
  run.Get(f);
  const std::vector<std::string> expected = {
      "S{1}",
      "S{1} S{2}",
      "S{1} S{2} S{3}",
      "S{1} S{2} S{3} S{4}",
      "S{1} S{2} S{3 5} P{4}",
      "S{1} S{2} S{3 5} P{4} S{6}",
      "S{1} S{2} S{3 5} P{4} S{6} S{7}",
      "S{1} S{2} S{3 5} P{4} S{6 8} P{7}",
      "S{1} S{2} S{3 5 9} P{4} P{6 8} P{7}",
      "S{1} S{2} S{3 5 6 8 9 10} P{4} P{7}",
      "S{1} S{2} S{3 5 6 7 8 9 10 11} P{4}",
      "S{1} S{2} S{3 5 6 7 8 9 10 11} P{4} S{12}",
      "S{1} S{2} S{3 5 6 7 8 9 10 11 13} P{4} P{12}",
      "S{1} S{2 14} P{3 5 6 7 8 9 10 11 13} P{4} P{12}",
      "S{1 15} P{2 14} P{3 5 6 7 8 9 10 11 13} P{4} P{12}",
      "S{1 2 14 15 16} P{3 5 6 7 8 9 10 11 13} P{4} P{12}",
      "S{1 2 3 5 6 7 8 9 10 11 13 14 15 16 17} P{4} P{12}",
      "S{1 2 3 4 5 6 7 8 9 10 11 13 14 15 16 17 18} P{12}",
      "S{1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19}",
  };
  EXPECT_EQ(example.table, expected);
  EXPECT_EQ(run.Outside(), nullptr);
}

TEST(MultiBags, TheEndedChildrenOfAGroupShareABagUntilTheirJoin) {
  Example example;
  DepthFirst<MultiBags>& run = example.run;
  run.Start();
  const GroupId finish = run.Open();
  const GroupId scope = run.NewGroup();
  run.Create(How::kAsync, finish);      // 3, then 4
  run.Create(How::kSpawn, scope, [&] {  // 5
    run.Create(How::kAsync, finish);    // 6, then 7
  });                                   // 8
  EXPECT_EQ(example.table.back(), "S{1 2 4 8} P{3 6} P{5 7}");
  run.JoinGroup(scope, How::kSync);
  EXPECT_EQ(example.table.back(), "S{1 2 4 5 7 8 9} P{3 6}");
  run.JoinGroup(finish, How::kFinish);
  EXPECT_EQ(example.table.back(), "S{1 2 3 4 5 6 7 8 9 10}");
  EXPECT_EQ(run.Outside(), nullptr);
}

TEST(MultiBags, AScopeCanBeUsedAgainAfterItsSync) {
  Example example;
  DepthFirst<MultiBags>& run = example.run;
  run.Start();
  const GroupId scope = run.NewGroup();
  run.Create(How::kSpawn, scope);
  run.JoinGroup(scope, How::kSync);
  run.Create(How::kSpawn, scope);
  EXPECT_EQ(example.table.back(), "S{1 2 3 4 6} P{5}");
  run.JoinGroup(scope, How::kSync);
  EXPECT_EQ(example.table.back(), "S{1 2 3 4 5 6 7}");
}

TEST(MultiBags, ASyncLeavesFuturesInTheirBags) {
  Example example;
  DepthFirst<MultiBags>& run = example.run;
  run.Start();
  const GroupId scope = run.NewGroup();
  TaskId future;
  run.Create(How::kSpawn, scope, [&] { future = run.Future(); });
  run.JoinGroup(scope, How::kSync);
  EXPECT_EQ(example.table.back(), "S{1 2 4 5 6} P{3}");
  EXPECT_EQ(run.Get(future), nullptr);
  EXPECT_EQ(example.table.back(), "S{1 2 3 4 5 6 7}");
}

TEST(MultiBags, AFinishGetsTheFuturesAndForksMadeInside) {
  Example example;
  DepthFirst<MultiBags>& run = example.run;
  run.Start();
  const GroupId finish = run.Open();
  const TaskId future = run.Create(How::kFuture, finish);
  const TaskId fork = run.Create(How::kFork, finish);
  const TaskId got = run.Create(How::kFuture, finish);
  run.Get(got);
  const TaskId singles[] = {future, fork, got};
  EXPECT_EQ(run.JoinGroup(finish, How::kFinish, singles), nullptr);
  EXPECT_EQ(example.table.back(), "S{1 2 3 4 5 6 7 8 9 10}");
}

// The second future is created by the first, and the first by an async: only all unions together
// make the creators precede.
TEST(MultiBags, TheTasksOfAFinishMayHaveCreatedEachOther) {
  DepthFirst<MultiBags> run;
  run.Start();
  const GroupId finish = run.Open();
  TaskId outer, inner;
  run.Create(How::kAsync, finish, [&] {
    outer = run.Create(How::kFuture, finish, [&] { inner = run.Create(How::kFuture, finish); });
  });
  const TaskId inner_first[] = {inner, outer};
  EXPECT_EQ(run.JoinGroup(finish, How::kFinish, inner_first), nullptr);
}

TEST(MultiBags, AGetWhoseCreatorIsParallelLeavesTheClass) {
  DepthFirst<MultiBags> run;
  run.Start();
  const GroupId scope = run.NewGroup();
  TaskId future;
  run.Create(How::kSpawn, scope, [&] { future = run.Future(); });
  EXPECT_EQ(run.Get(future), &reasons::kCreatorIsParallel);
}

TEST(MultiBags, AFinishWhoseFutureHasAParallelCreatorLeavesTheClass) {
  DepthFirst<MultiBags> run;
  run.Start();
  const GroupId scope = run.NewGroup();
  const GroupId finish = run.Open();
  TaskId future;
  run.Create(How::kSpawn, scope, [&] { future = run.Create(How::kFuture, finish); });
  EXPECT_EQ(run.JoinGroup(finish, How::kFinish, {&future, 1}), &reasons::kCreatorIsParallel);
}

TEST(MultiBags, ASecondGetByAParallelTaskLeavesTheClass) {
  DepthFirst<MultiBags> run;
  run.Start();
  const GroupId scope = run.NewGroup();
  const TaskId future = run.Future();
  run.Create(How::kSpawn, scope, [&] { EXPECT_EQ(run.Get(future), nullptr); });
  EXPECT_EQ(run.Get(future), &reasons::kSecondGet);
}

TEST(MultiBags, ASecondGetThatAddsNoEdgeStaysInTheClass) {
  DepthFirst<MultiBags> run;
  run.Start();
  const GroupId scope = run.NewGroup();
  const TaskId future = run.Future();
  run.Create(How::kSpawn, scope, [&] {
    EXPECT_EQ(run.Get(future), nullptr);
    EXPECT_EQ(run.Get(future), nullptr);
  });
  run.JoinGroup(scope, How::kSync);
  EXPECT_EQ(run.Get(future), nullptr);
}

TEST(MultiBags, PromisesLeaveTheClass) {
  DepthFirst<MultiBags> run;
  run.Start();
  EXPECT_EQ(run.engine.OnBlock(kRootTask), &reasons::kBlocks);
  EXPECT_EQ(run.engine.OnSet(kRootTask, PromiseId{1}), &reasons::kPromise);
  EXPECT_EQ(run.engine.OnGetPromise(kRootTask, PromiseId{1}, StrandId{2}), &reasons::kPromise);
}

TEST(MultiBags, EventsAfterLeavingTheClassAreHarmless) {
  DepthFirst<MultiBags> run;
  run.Start();
  const GroupId scope = run.NewGroup();
  std::vector<TaskId> futures;
  run.Create(How::kSpawn, scope, [&] {
    futures.push_back(run.Future());
    run.Create(How::kFork, GroupId{1}, [&] {
      futures.push_back(run.Task());  // got while it runs, as a switched task could be
      run.Get(run.Task());
    });
  });
  for (int again = 0; again < 2; ++again) {
    for (TaskId future : futures) run.Get(future);
  }
  EXPECT_NE(run.Outside(), nullptr);
  run.JoinGroup(scope, How::kSync);
  run.JoinGroup(GroupId{1}, How::kFinish, futures);
  run.Create(How::kAsync, GroupId{1000});
  EXPECT_EQ(run.engine.TaskOf(run.Strand()), kRootTask);
}

// Futures among spawns, around the borders of the words of the table of creators.
TEST(MultiBags, EveryFutureRemembersItsOwnCreator) {
  DepthFirst<MultiBags> run;
  run.Start();
  const GroupId scope = run.NewGroup();
  std::vector<TaskId> structured, parallel;
  for (uint32_t i = 0; i < 1'000; ++i) {
    if (i % 3 != 0) structured.push_back(run.Future());
    run.Create(How::kSpawn, scope, [&] {
      if (i % 7 == 0) parallel.push_back(run.Future());
    });
  }
  for (TaskId future : structured) ASSERT_EQ(run.Get(future), nullptr);
  for (TaskId future : parallel) ASSERT_EQ(run.Get(future), &reasons::kCreatorIsParallel);
}

TEST(MultiBags, AMillionSpawnsTakeEightBytesATaskAndFourAStrand) {
  constexpr uint32_t kSpawns = 1'000'000;
  DepthFirst<MultiBags> run;
  run.Start();
  const GroupId scope = run.NewGroup();
  for (uint32_t i = 0; i < kSpawns; ++i) run.Create(How::kSpawn, scope);
  EXPECT_FALSE(run.engine.Precedes(StrandId{2}));
  run.JoinGroup(scope, How::kSync);
  EXPECT_TRUE(run.engine.Precedes(StrandId{2}));
  EXPECT_LE(run.engine.BytesUsed(), 8u * kSpawns + 4u * 2 * kSpawns + 100);
}

TEST(MultiBags, AMillionFuturesTakeThirteenBytesATaskAndFourAStrand) {
  constexpr uint32_t kFutures = 1'000'000;
  DepthFirst<MultiBags> run;
  run.Start();
  for (uint32_t i = 0; i < kFutures; ++i) ASSERT_EQ(run.Get(run.Future()), nullptr);
  EXPECT_TRUE(run.engine.Precedes(StrandId{2}));
  EXPECT_LE(run.engine.BytesUsed(), 13u * kFutures + 4u * 3 * kFutures + 100);
}

TEST(MultiBags, AMillionScopesOfOneTaskTakeFourBytesMoreEach) {
  constexpr uint32_t kScopes = 1'000'000;
  DepthFirst<MultiBags> run;
  run.Start();
  for (uint32_t i = 0; i < kScopes; ++i) {
    const GroupId scope = run.NewGroup();
    run.Create(How::kSpawn, scope);
    run.JoinGroup(scope, How::kSync);
  }
  EXPECT_LE(run.engine.BytesUsed(), (8u + 4 + 4 * 3) * kScopes + 100);
}

}  // namespace
}  // namespace taskrace
