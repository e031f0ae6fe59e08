#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

#include "detect/parallel/task_tree.h"

namespace taskrace {
namespace {

using Group = TaskTree::Group;
using Place = TaskTree::TaskPlace;
using Step = TaskTree::Step;

struct Program {
  TaskTree tree;
  TaskTree::Cursor cursor;
  Place root;
  Group implicit;
  Program() { tree.Start(cursor, root, implicit); }
  OutsideClass Async(Place& task, Place& child, Group& finish, Where at = kNowhere) {
    return tree.Create(cursor, task, child, How::kAsync, finish, at);
  }
  OutsideClass Spawn(Place& task, Place& child, Group& scope) {
    return tree.Create(cursor, task, child, How::kSpawn, scope, kNowhere);
  }
  bool Parallel(Step a, Step b) const { return !tree.Precedes(a, b) && !tree.Precedes(b, a); }
};

TEST(TaskTree, AChildIsParallelWithItsCreatorUntilTheJoin) {
  Program p;
  Group scope;
  Place child;
  const Step before = p.root.Now();
  ASSERT_EQ(p.Spawn(p.root, child, scope), nullptr);
  const Step during = p.root.Now();
  EXPECT_TRUE(p.tree.Precedes(before, child.Now()));
  EXPECT_TRUE(p.Parallel(during, child.Now()));
  ASSERT_EQ(p.tree.Join(p.root, scope), nullptr);
  EXPECT_TRUE(p.tree.Precedes(child.Now(), p.root.Now()));
  EXPECT_TRUE(p.tree.Precedes(during, p.root.Now()));
  EXPECT_FALSE(p.tree.Precedes(p.root.Now(), during));
}

TEST(TaskTree, AFinishWaitsForAsyncsOfAsyncs) {
  Program p;
  Group finish;
  Place child, grandchild;
  p.tree.Open(p.cursor, p.root, finish);
  ASSERT_EQ(p.Async(p.root, child, finish), nullptr);
  ASSERT_EQ(p.Async(child, grandchild, finish), nullptr);
  EXPECT_TRUE(p.Parallel(grandchild.Now(), child.Now()));
  ASSERT_EQ(p.tree.Join(p.root, finish), nullptr);
  EXPECT_TRUE(p.tree.Precedes(grandchild.Now(), p.root.Now()));
}

TEST(TaskTree, IterationsOfALoopAreParallelAndComeBetweenWhatIsBeforeAndAfter) {
  Program p;
  Group loop;
  const Step before = p.root.Now();
  p.tree.BeginLoop(p.cursor, p.root, loop, /*index=*/5, Where{7});
  const Step first = TaskTree::IterationOf(loop, 0), third = TaskTree::IterationOf(loop, 2);
  EXPECT_TRUE(p.Parallel(first, third));
  EXPECT_TRUE(p.tree.Precedes(before, third));
  EXPECT_EQ(p.tree.CreatedAt(p.tree.TaskOf(loop.node)), Where{7});
  p.tree.JoinLoop(p.cursor, p.root, loop);
  EXPECT_TRUE(p.tree.Precedes(first, p.root.Now()));
  EXPECT_FALSE(p.tree.Precedes(p.root.Now(), first));
}

TEST(TaskTree, AnIterationThatIsATaskComesAfterItsFirstStrandOnly) {
  Program p;
  Group loop, scope;
  Place task, child;
  p.tree.BeginLoop(p.cursor, p.root, loop, 0, kNowhere);
  const Step same = TaskTree::IterationOf(loop, 1), other = TaskTree::IterationOf(loop, 0);
  p.tree.BecomeTask(p.cursor, loop, 1, task);
  ASSERT_EQ(p.Spawn(task, child, scope), nullptr);
  for (const Step later : {task.Now(), child.Now()}) {
    EXPECT_TRUE(p.tree.Precedes(same, later));
    EXPECT_FALSE(p.tree.Precedes(later, same));
    EXPECT_TRUE(p.Parallel(other, later));
    EXPECT_EQ(p.tree.LcaDepth(same, later), p.tree.Depth(task.joined_by->node) + 1);
    EXPECT_EQ(p.tree.LcaDepth(later, same), p.tree.LcaDepth(same, later));
    EXPECT_EQ(p.tree.Relate(same, later).lca_depth, p.tree.LcaDepth(same, later));
    EXPECT_EQ(p.tree.LcaDepth(other, later), p.tree.Depth(loop.node));
  }
  EXPECT_EQ(p.tree.CreatorOf(p.tree.TaskOf(child.node)), p.tree.TaskOf(task.node));
  EXPECT_TRUE(p.tree.IsRoot(p.tree.CreatorOf(p.tree.TaskOf(task.node))));
}

TEST(TaskTree, KnowsWhatReportsCallAnIteration) {
  Program p;
  for (const int64_t index : {int64_t{0}, int64_t{-3}, int64_t{1} << 40, -(int64_t{1} << 40)}) {
    Group loop;
    p.tree.BeginLoop(p.cursor, p.root, loop, index, kNowhere);
    EXPECT_EQ(p.tree.IndexOf(loop.node, 0), index);
    EXPECT_EQ(p.tree.IndexOf(loop.node, 2'000'000'000), index + 2'000'000'000);
    p.tree.JoinLoop(p.cursor, p.root, loop);
  }
}

TEST(TaskTree, RefusesAnAsyncThatOutlivesAScope) {
  Program p;
  Group scope;
  Place child, second;
  ASSERT_EQ(p.Spawn(p.root, child, scope), nullptr);
  EXPECT_EQ(p.Async(child, second, p.implicit), &reasons::kAsyncOutlivesScope);
  EXPECT_EQ(p.Async(p.root, second, p.implicit), &reasons::kAsyncOutlivesScope);
  ASSERT_EQ(p.tree.Join(p.root, scope), nullptr);
  EXPECT_EQ(p.Async(p.root, second, p.implicit), nullptr);
}

TEST(TaskTree, RefusesScopesThatDoNotNest) {
  Program p;
  Group outer, inner;
  Place child;
  ASSERT_EQ(p.Spawn(p.root, child, outer), nullptr);
  ASSERT_EQ(p.Spawn(p.root, child, inner), nullptr);
  EXPECT_EQ(p.Spawn(p.root, child, outer), &reasons::kAlternatingGroups);
  EXPECT_EQ(p.tree.Join(p.root, outer), &reasons::kLaterChildrenLeft);
  EXPECT_EQ(p.tree.Join(p.root, inner), nullptr);
  EXPECT_EQ(p.tree.Join(p.root, outer), nullptr);
}

TEST(TaskTree, RefusesFuturesAndForks) {
  Program p;
  Place child;
  EXPECT_EQ(p.tree.Create(p.cursor, p.root, child, How::kFuture, p.implicit, kNowhere),
            &reasons::kFuture);
  EXPECT_EQ(p.tree.Create(p.cursor, p.root, child, How::kFork, p.implicit, kNowhere),
            &reasons::kFork);
}

TEST(TaskTree, KnowsWhereATaskWasCreated) {
  Program p;
  Group finish;
  Place child;
  ASSERT_EQ(p.Async(p.root, child, p.implicit, Where{42}), nullptr);
  const TaskTree::Node task = child.node;
  p.tree.Open(p.cursor, child, finish);
  EXPECT_EQ(p.tree.TaskOf(child.Now().node), task);
  EXPECT_EQ(p.tree.CreatedAt(task), Where{42});
}

// Each thread is a child of one finish and makes children of its own.
TEST(TaskTree, IsTheSameWhoeverBuildsIt) {
  constexpr size_t kThreads = 4;
  constexpr size_t kChildren = 2'000;
  Program p;
  std::deque<Place> tasks(kThreads);
  for (Place& task : tasks) ASSERT_EQ(p.Async(p.root, task, p.implicit), nullptr);
  std::vector<std::vector<Step>> steps(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&p, &task = tasks[t], &mine = steps[t]] {
      TaskTree::Cursor cursor;
      for (size_t i = 0; i < kChildren; ++i) {
        Group scope;
        Place child;
        p.tree.Create(cursor, task, child, How::kSpawn, scope, kNowhere);
        mine.push_back(child.Now());
        p.tree.Join(task, scope);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 1; i < kChildren; ++i) {
    EXPECT_TRUE(p.tree.Precedes(steps[0][i - 1], steps[0][i]));
    EXPECT_FALSE(p.tree.Precedes(steps[0][i], steps[0][i - 1]));
    EXPECT_TRUE(p.Parallel(steps[0][i], steps[1 + i % (kThreads - 1)][i]));
  }
}

}  // namespace
}  // namespace taskrace
