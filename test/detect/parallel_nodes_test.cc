#include <gtest/gtest.h>

#include "detect/parallel/worker.h"
#include "test/detect/parallel_host.h"

// Nodes of the task tree that nobody needs are used again, and others are not.
namespace taskrace {
namespace {

constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr uintptr_t kAt = 0x10'0000;

class ParallelNodesTest : public testing::Test {
 protected:
  using Place = TaskTree::TaskPlace;
  using Group = TaskTree::Group;

  void SetUp() override { worker.Start(root, implicit); }
  // `creator`, which the worker runs, creates a task. The worker runs that.
  void Begin(Place& creator, Place& task, Group& finish, uint32_t where = 99) {
    worker.Create(creator, task, How::kAsync, finish, Where{where});
    worker.Stop();
    worker.Run(task);
  }
  // The worker's task ends; it runs another one then.
  void EndAndRun(const Place& next) {
    worker.End();
    worker.Run(next);
  }
  // All of them in finishes of `task`, which the worker runs.
  void MakeTasks(Place& task, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      Place child;
      Group finish;
      worker.Open(task, finish);
      Begin(task, child, finish);
      EndAndRun(task);
      worker.Stop();
      worker.Join(task, finish);
    }
  }
  // More than are kept free, so that nodes that should stay would be overwritten.
  void UseNodesAgain(Place& task) {
    for (size_t i = 0; i < 20; ++i) {
      worker.CollectSoon();
      MakeTasks(task, 300);
    }
    ASSERT_LT(detection.tree.BytesUsed(), size_t{64} << 10) << "nothing was used again";
  }

  CollectingHost host;
  ParallelDetection detection{host};
  ParallelWorker worker{detection};
  Place root;
  Group implicit;
};

TEST_F(ParallelNodesTest, WhatNobodyNeedsTakesNoMoreSpace) {
  MakeTasks(root, 300'000);
  EXPECT_LT(detection.tree.BytesUsed(), size_t{3} << 20);
}

TEST_F(ParallelNodesTest, WhatIsAboveARememberedStrandStays) {
  Place outer, inner;
  Begin(root, outer, implicit, 1);
  Begin(outer, inner, implicit, 2);
  worker.Access(kWrite, kAt, 8, Where{7});
  EndAndRun(outer);
  EndAndRun(root);
  UseNodesAgain(root);
  worker.Access(kWrite, kAt, 8, Where{8});
  worker.Tell();
  ASSERT_EQ(host.races.size(), 1u);
  const TaskTree::Node task = detection.tree.TaskOf(host.races[0].earlier.record.step.node);
  EXPECT_EQ(detection.tree.CreatedAt(task), Where{2});
  EXPECT_EQ(detection.tree.CreatedAt(detection.tree.Parent(task)), Where{1});
}

TEST_F(ParallelNodesTest, WhatIsAboveATaskThatHasNotEndedStays) {
  Place outer, inner;
  Begin(root, outer, implicit, 1);
  worker.Create(outer, inner, How::kAsync, implicit, Where{2});
  EndAndRun(root);
  UseNodesAgain(root);
  worker.Stop();
  worker.Run(inner);
  EXPECT_EQ(detection.tree.CreatedAt(inner.node), Where{2});
  EXPECT_EQ(detection.tree.CreatedAt(detection.tree.Parent(inner.node)), Where{1});
}

TEST_F(ParallelNodesTest, AFinishThatIsOpenStays) {
  Place task, child;
  Group finish;
  Begin(root, task, implicit, 1);
  worker.Open(task, finish);
  Begin(task, child, finish);
  worker.Access(kWrite, kAt, 8, Where{7});
  EndAndRun(task);
  worker.Stop();
  worker.Run(root);
  UseNodesAgain(root);
  worker.Stop();
  worker.Join(task, finish);
  worker.Access(kWrite, kAt, 8, Where{8});
  worker.Tell();
  EXPECT_TRUE(host.races.empty());
  EXPECT_EQ(detection.tree.CreatedAt(task.node), Where{1});
}

TEST_F(ParallelNodesTest, TheNumberOfWhatIsKeptIsNobodyElses) {
  Place task;
  Begin(root, task, implicit, 1);
  detection.tree.Keep(task.node);
  EndAndRun(root);
  UseNodesAgain(root);
  EXPECT_EQ(detection.tree.CreatedAt(task.node), Where{1});
}

// Another worker begins a collection while this one is telling.
class BeginsCollections final : public ParallelHost {
 public:
  void OnRace(const ParallelRace&) override {
    other->CollectSoon();
    other->Tell();
    other->Rest();
  }
  AccessLog::Found PartWith(uintptr_t, const AccessLog::Found& found) override { return found; }
  bool HasParts(Where) override { return false; }
  bool MayRace(LockSet, LockSet) override { return true; }
  void Release(const Quarantine::Block&) override {}
  ParallelWorker* other = nullptr;
};

// Else it would add a node to a block that is looked through meanwhile.
TEST(ParallelNodes, ARoundThatBeginsWhileAWorkerTellsIsNotPassed) {
  BeginsCollections host;
  ParallelDetection detection(host);
  ParallelWorker worker(detection), other(detection);
  host.other = &other;
  TaskTree::TaskPlace root, task;
  TaskTree::Group implicit;
  worker.Start(root, implicit);
  worker.Create(root, task, How::kAsync, implicit, Where{1});
  other.Run(task);
  other.Access(kWrite, kAt, 8, Where{7});
  other.Tell();
  const uint64_t before = detection.epochs.Now();
  worker.Access(kWrite, kAt, 8, Where{8});
  worker.Tell();
  ASSERT_GT(detection.epochs.Now(), before) << "no collection has begun";
  EXPECT_FALSE(detection.epochs.HasPassed(before + 1));
  worker.Tell();
  EXPECT_TRUE(detection.epochs.HasPassed(before + 1));
}

}  // namespace
}  // namespace taskrace
