// What the oracle's small programs cannot show: long rows and deep nests of
// tasks, and what they cost.
#include "detect/reach/reachability.h"

#include <gtest/gtest.h>

#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"

namespace taskrace {
namespace {

// Numbers strands and tasks as the executor does, and passes the events on.
template <class Engine>
class Events {
 public:
  explicit Events(uint32_t first_strand = 1) : strand_(first_strand) {
    engine.OnStart(kRootTask, GroupId{1}, StrandId{strand_});
  }
  StrandId Strand() const { return StrandId{strand_}; }

  OutsideClass Create(TaskId task, GroupId group) {
    return engine.OnCreate(task, TaskId{++tasks_}, How::kSpawn, group, StrandId{++strand_});
  }
  OutsideClass End(TaskId task, TaskId creator) {
    OutsideClass outside = engine.OnEnd(task);
    engine.OnProceed(creator, StrandId{++strand_});
    return outside;
  }
  OutsideClass Join(TaskId task, GroupId group) {
    return engine.OnJoin(task, group, How::kSync, {}, StrandId{++strand_});
  }
  TaskId NewestTask() const { return TaskId{tasks_}; }

  Engine engine;

 private:
  uint32_t strand_;
  uint32_t tasks_ = 0;
};

template <class Engine>
class Reach : public testing::Test {};
using Engines = testing::Types<SpBags, SpOrder>;
TYPED_TEST_SUITE(Reach, Engines);

TYPED_TEST(Reach, AChildIsParallelWithItsParentUntilSync) {
  Events<TypeParam> events;
  const StrandId before = events.Strand();
  events.Create(kRootTask, GroupId{2});
  const StrandId child = events.Strand();
  EXPECT_TRUE(events.engine.Precedes(before));
  events.End(TaskId{1}, kRootTask);
  EXPECT_TRUE(events.engine.Precedes(before));
  EXPECT_FALSE(events.engine.Precedes(child));
  events.Join(kRootTask, GroupId{2});
  EXPECT_TRUE(events.engine.Precedes(child));
}

TYPED_TEST(Reach, AStrandIsOrderedWithItself) {
  Events<TypeParam> events;
  EXPECT_TRUE(events.engine.Precedes(events.Strand()));
}

TYPED_TEST(Reach, StrandsMayBeginAnywhere) {
  Events<TypeParam> events(4'294'967'000);
  events.Create(kRootTask, GroupId{2});
  const StrandId child = events.Strand();
  events.End(TaskId{1}, kRootTask);
  EXPECT_FALSE(events.engine.Precedes(child));
  EXPECT_EQ(events.engine.TaskOf(child), TaskId{1});
  EXPECT_EQ(events.engine.TaskOf(events.Strand()), kRootTask);
}

TYPED_TEST(Reach, AMillionSpawnsInARowTakeSixteenBytesAStrand) {
  constexpr uint32_t kSpawns = 1'000'000;
  Events<TypeParam> events;
  for (uint32_t i = 1; i <= kSpawns; ++i) {
    ASSERT_EQ(events.Create(kRootTask, GroupId{2}), nullptr);
    ASSERT_EQ(events.End(TaskId{i}, kRootTask), nullptr);
  }
  EXPECT_FALSE(events.engine.Precedes(StrandId{2}));
  events.Join(kRootTask, GroupId{2});
  EXPECT_TRUE(events.engine.Precedes(StrandId{2}));
  EXPECT_LE(events.engine.BytesUsed(), 16u * (2 * kSpawns + 100));
}

TYPED_TEST(Reach, AMillionSpawnsEachWithItsSyncAreOrdered) {
  constexpr uint32_t kSpawns = 1'000'000;
  Events<TypeParam> events;
  for (uint32_t i = 1; i <= kSpawns; ++i) {
    events.Create(kRootTask, GroupId{i + 1});
    EXPECT_TRUE(events.engine.Precedes(StrandId{2}) || i == 1);
    events.End(TaskId{i}, kRootTask);
    EXPECT_FALSE(events.engine.Precedes(StrandId{Index(events.Strand()) - 1}));
    ASSERT_EQ(events.Join(kRootTask, GroupId{i + 1}), nullptr);
  }
  EXPECT_LE(events.engine.BytesUsed(), 16u * (3 * kSpawns + 100));
}

// spawn{ spawn{ spawn{ ... } sync } sync }, and every level spawns once more before its sync.
TYPED_TEST(Reach, AHundredThousandNestedSpawnsAreOrdered) {
  constexpr uint32_t kDepth = 100'000;
  Events<TypeParam> events;
  for (uint32_t i = 0; i < kDepth; ++i) {
    ASSERT_EQ(events.Create(TaskId{i}, GroupId{i + 2}), nullptr);
  }
  const StrandId deepest = events.Strand();
  EXPECT_TRUE(events.engine.Precedes(StrandId{1}));
  for (uint32_t i = kDepth; i > 0; --i) {
    ASSERT_EQ(events.End(TaskId{i}, TaskId{i - 1}), nullptr);
    ASSERT_FALSE(events.engine.Precedes(deepest));
    events.Create(TaskId{i - 1}, GroupId{i + 1});
    ASSERT_FALSE(events.engine.Precedes(deepest));
    events.End(events.NewestTask(), TaskId{i - 1});
    ASSERT_EQ(events.Join(TaskId{i - 1}, GroupId{i + 1}), nullptr);
    ASSERT_TRUE(events.engine.Precedes(deepest));
  }
}

// void f(n) { scope s; s.spawn(leaf); f(n - 1); s.sync(); }: all scopes are of one task.
TYPED_TEST(Reach, AHundredThousandOpenScopesOfOneTaskAreJoinedInReverse) {
  constexpr uint32_t kScopes = 100'000;
  Events<TypeParam> events;
  for (uint32_t i = 0; i < kScopes; ++i) {
    ASSERT_EQ(events.Create(kRootTask, GroupId{i + 2}), nullptr);
    events.End(events.NewestTask(), kRootTask);
  }
  EXPECT_FALSE(events.engine.Precedes(StrandId{2}));
  for (uint32_t i = kScopes; i > 0; --i) {
    ASSERT_EQ(events.Join(kRootTask, GroupId{i + 1}), nullptr);
  }
  EXPECT_TRUE(events.engine.Precedes(StrandId{2}));
}

TYPED_TEST(Reach, AnOlderScopeMayBeUsedAfterANewerOneAndSyncedFirst) {
  Events<TypeParam> events;
  events.Create(kRootTask, GroupId{3});
  events.End(TaskId{1}, kRootTask);
  EXPECT_EQ(events.Create(kRootTask, GroupId{2}), nullptr);
  events.End(TaskId{2}, kRootTask);
  EXPECT_EQ(events.Join(kRootTask, GroupId{2}), nullptr);
  EXPECT_EQ(events.Join(kRootTask, GroupId{3}), nullptr);
}

TYPED_TEST(Reach, SyncingTheOlderOfTwoScopesFirstLeavesTheClass) {
  Events<TypeParam> events;
  events.Create(kRootTask, GroupId{2});
  events.End(TaskId{1}, kRootTask);
  events.Create(kRootTask, GroupId{3});
  events.End(TaskId{2}, kRootTask);
  EXPECT_EQ(events.Join(kRootTask, GroupId{2}), &reasons::kLaterChildrenLeft);
}

TYPED_TEST(Reach, ScopesThatTakeTurnsLeaveTheClassAtOnce) {
  Events<TypeParam> events;
  for (uint32_t i = 1; i <= 2; ++i) {
    EXPECT_EQ(events.Create(kRootTask, GroupId{i + 1}), nullptr);
    events.End(TaskId{i}, kRootTask);
  }
  EXPECT_NE(events.Create(kRootTask, GroupId{2}), nullptr);
}

}  // namespace
}  // namespace taskrace
