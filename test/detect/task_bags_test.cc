// Bags by task: what is settled and for how long, and when the tables begin anew. Answers are compared
// with the dag in test/oracle.
#include "detect/reach/task_bags.h"

#include <gtest/gtest.h>

namespace taskrace {
namespace {

constexpr TaskId kA{1}, kB{2}, kC{3};

struct TaskBagsTest : testing::Test {
  TaskBagsTest() { bags.OnStart(Next()); }
  StrandId Next() { return StrandId{++strand}; }
  void Create(TaskId task) { bags.OnCreate(task, Next()); }
  // The task ends as a P-bag of its own, and its creator proceeds.
  void End(TaskId task, TaskId creator) {
    bags.OnEnd();
    bags.BecomeP(task);
    bags.Enter(creator, Next());
  }
  void Join(TaskId task, TaskId p_bag) {
    bags.Join(task, p_bag);
    bags.EnterJoined(task, Next());
  }

  uint32_t strand = 0;
  TaskBags bags;
};

TEST_F(TaskBagsTest, WhatPrecedesInATaskNeedNotPrecedeInItsCreator) {
  Create(kA);
  Create(kB);  // strand 3
  End(kB, kA);
  EXPECT_FALSE(bags.IsSettled(StrandId{2}));
  Join(kA, kB);
  EXPECT_TRUE(bags.IsSettled(StrandId{2}) && bags.IsSettled(StrandId{3}));
  End(kA, kRootTask);
  EXPECT_FALSE(bags.IsSettled(StrandId{2}) || bags.IsSettled(StrandId{3}));
  EXPECT_FALSE(bags.Precedes(StrandId{2}) || bags.Precedes(StrandId{3}));
  EXPECT_TRUE(bags.Precedes(StrandId{1}));
}
TEST_F(TaskBagsTest, NothingIsSettledWhileAPBagIsLeft) {
  Create(kA);
  End(kA, kRootTask);
  Create(kB);
  Create(kC);  // strand 5
  End(kC, kB);
  Join(kB, kC);
  EXPECT_TRUE(bags.Precedes(StrandId{5}));
  EXPECT_FALSE(bags.IsSettled(StrandId{5}) || bags.Precedes(StrandId{2}));
}
TEST_F(TaskBagsTest, UnitedPBagsAreJoinedAsOne) {
  Create(kA);
  End(kA, kRootTask);
  Create(kB);
  End(kB, kRootTask);
  bags.UniteP(kA, kB);
  Join(kRootTask, kA);
  EXPECT_TRUE(bags.BeginsAnewWith(StrandId{strand}));
  EXPECT_TRUE(bags.Precedes(StrandId{2}) && bags.Precedes(StrandId{4}));
}
TEST_F(TaskBagsTest, TablesBeginAnewWhereTheRootHasJoinedAll) {
  for (uint32_t task = 1; task <= 1000; ++task) {
    Create(TaskId{task});
    EXPECT_EQ(bags.TaskOf(StrandId{strand}), TaskId{task});
    End(TaskId{task}, kRootTask);
    EXPECT_FALSE(bags.Precedes(StrandId{strand - 1}));
    EXPECT_FALSE(bags.BeginsAnewWith(StrandId{strand}));
    Join(kRootTask, TaskId{task});
    EXPECT_TRUE(bags.BeginsAnewWith(StrandId{strand}));
  }
  EXPECT_LT(bags.BytesUsed(), 100u);
  // Those from before act as the root.
  EXPECT_TRUE(bags.IsInSBag(TaskId{7}));
  EXPECT_EQ(bags.TaskOf(StrandId{2}), kRootTask);
  EXPECT_EQ(bags.BagOf(StrandId{2}), bags.BagOf(StrandId{strand}));
}

}  // namespace
}  // namespace taskrace
