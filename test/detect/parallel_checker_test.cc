#include "detect/parallel/parallel_checker.h"

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <vector>

// As instrumented code has it; the runtime defines it in programs.
__thread __taskrace_frame* __taskrace_top = nullptr;

namespace taskrace {
namespace {

constexpr uintptr_t kAt = 0x10'0000;
constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;

struct Found {
  Race race;
  RaceSide earlier;
  RaceSide later;
};
class CollectingSink final : public RaceSink {
 public:
  void OnRace(const Race& race, const RaceSide& earlier, const RaceSide& later) override {
    races.push_back({race, earlier, later});
  }
  std::vector<Found> races;
};

std::vector<uintptr_t> released;

// Two workers on one thread: one goes on with the root, the other runs a child parallel to it.
class ParallelCheckerTest : public testing::Test {
 protected:
  void SetUp() override {
    released.clear();
    Contexts::InitBase(frames);
    __taskrace_top = frames;
    As(one);
    one.detector.Start(root, implicit);
    child_made_at = checker->Here(77);
    one.detector.Create(root, child, How::kAsync, implicit, child_made_at);
    As(two);
    two.detector.Run(child);
  }
  void TearDown() override { WorkerHooks::Become(nullptr); }

  static void As(WorkerHooks::Worker& worker) { WorkerHooks::Become(&worker); }
  void Access(WorkerHooks::Worker& worker, AccessKind kind, uintptr_t first, size_t size,
              uintptr_t pc) {
    As(worker);
    checker->Access(kind, first, size, pc, Operation::kPlain);
  }
  void TellAll() {
    for (WorkerHooks::Worker* worker : {&one, &two}) {
      As(*worker);
      checker->Flush();
    }
  }

  CollectingSink sink;
  std::unique_ptr<ParallelChecker> checker = std::make_unique<ParallelChecker>(
      sink, [](uintptr_t block) { released.push_back(block); }, /*reports_lock_order=*/false);
  Running runs_one, runs_two;
  WorkerHooks::Worker one{checker->detection(), checker->contexts(), runs_one};
  WorkerHooks::Worker two{checker->detection(), checker->contexts(), runs_two};
  TaskTree::TaskPlace root, child;
  TaskTree::Group implicit;
  Where child_made_at;
  __taskrace_frame frames[1000] = {};
};

TEST_F(ParallelCheckerTest, KnowsWhoRacedAndWhere) {
  Access(one, kWrite, kAt, 4, 1001);
  Access(two, kRead, kAt, 4, 1002);
  TellAll();
  ASSERT_EQ(sink.races.size(), 1u);
  const auto& [race, earlier, later] = sink.races[0];
  EXPECT_EQ(race.first, kAt);
  EXPECT_EQ(race.size, 4u);
  EXPECT_EQ(earlier.task, kRootTask);
  EXPECT_NE(later.task, kRootTask);
  EXPECT_EQ(checker->CreatorOf(later.task), kRootTask);
  EXPECT_EQ(checker->CreatedAt(later.task), child_made_at);
  uintptr_t frames_of[4];
  ASSERT_EQ(checker->StackOf(later.where, frames_of), 1u);
  EXPECT_EQ(frames_of[0], 1002u);
}

TEST_F(ParallelCheckerTest, KnowsWhichIterationsRaced) {
  ParallelLoop loop;
  As(one);
  const Where loop_at = checker->Here(88);
  one.detector.BeginLoop(root, loop, 10, /*index=*/100, loop_at);
  ParallelPart part(loop, 3), other(loop, 7);
  one.detector.BeginPart(part);
  one.detector.BeginIteration(part, 3);
  Access(one, kWrite, kAt, 4, 1001);
  two.detector.End();
  As(two);
  two.detector.BeginPart(other);
  two.detector.BeginIteration(other, 7);
  two.detector.BecomeTask(other);
  Access(two, kRead, kAt, 4, 1002);
  TellAll();
  ASSERT_EQ(sink.races.size(), 1u);
  const auto& [race, earlier, later] = sink.races[0];
  EXPECT_TRUE(earlier.is_iteration);
  EXPECT_EQ(earlier.iteration, 103);
  EXPECT_TRUE(checker->IsLoop(earlier.task));
  EXPECT_EQ(checker->CreatedAt(earlier.task), loop_at);
  EXPECT_EQ(checker->CreatorOf(earlier.task), kRootTask);
  int64_t number = 0;
  EXPECT_FALSE(later.is_iteration);
  EXPECT_TRUE(checker->IterationOf(later.task, number));
  EXPECT_EQ(number, 107);
  EXPECT_FALSE(checker->IsLoop(later.task));
  EXPECT_EQ(checker->CreatedAt(later.task), loop_at);
  EXPECT_EQ(checker->CreatorOf(later.task), kRootTask);
  EXPECT_FALSE(checker->IterationOf(kRootTask, number));
}
// A part that is told at once is said to be of the loop.
TEST_F(ParallelCheckerTest, KnowsWhichLoopRaced) {
  ParallelLoop loop;
  As(one);
  one.detector.BeginLoop(root, loop, 10, /*index=*/100, checker->Here(88));
  ParallelPart part(loop, 3);
  one.detector.BeginPart(part);
  one.detector.Move({kWrite, checker->Here(1001), kAt, 8, 1, 0, 8, 3, 2});
  one.detector.EndPart(part);
  Access(two, kRead, kAt + 8, 8, 1002);
  TellAll();
  ASSERT_EQ(sink.races.size(), 1u);
  EXPECT_TRUE(checker->IsLoop(sink.races[0].earlier.task));
  EXPECT_FALSE(sink.races[0].earlier.is_iteration);
  EXPECT_EQ(sink.races[0].race.first, kAt + 8);
}

TEST_F(ParallelCheckerTest, ATaskInAReportKeepsItsNumber) {
  Access(one, kWrite, kAt, 4, 1001);
  Access(two, kRead, kAt, 4, 1002);
  TellAll();
  ASSERT_EQ(sink.races.size(), 1u);
  two.detector.CollectSoon();  // so that it says what has ended
  two.detector.End();
  two.detector.Rest();
  As(one);
  checker->Clear(kAt, 4);  // no cell has the task any more
  for (uint32_t i = 0; i < 40'000; ++i) {
    if (std::has_single_bit(i)) one.detector.CollectSoon();  // more and more in between
    TaskTree::TaskPlace task;
    one.detector.Create(root, task, How::kAsync, implicit, Where{1});
    one.detector.Run(task);
    one.detector.End();
    one.detector.Run(root);
  }
  ASSERT_LT(checker->detection().tree.BytesUsed(), size_t{700} << 10) << "nothing was used again";
  EXPECT_EQ(checker->CreatedAt(sink.races[0].later.task), child_made_at);
}

TEST_F(ParallelCheckerTest, AFreedBlockIsKeptUntilEverybodyHasTold) {
  As(one);
  EXPECT_TRUE(checker->Free(kAt, 64, 1001, /*checked=*/true));
  checker->Flush();
  checker->Flush();
  EXPECT_TRUE(released.empty());
  Access(two, kRead, kAt + 8, 1, 1002);
  TellAll();
  EXPECT_EQ(sink.races.size(), 1u);
  TellAll();
  EXPECT_EQ(released, std::vector<uintptr_t>{kAt});
}

TEST_F(ParallelCheckerTest, AnOrderedFreeIsNoAccess) {
  Access(two, kRead, kAt, 8, 1002);
  As(one);
  EXPECT_TRUE(checker->Free(kAt, 64, 1001, /*checked=*/false));
  TellAll();
  TellAll();
  EXPECT_TRUE(sink.races.empty());
  EXPECT_EQ(released.size(), 1u);
}

TEST_F(ParallelCheckerTest, WhatAStrandDidToOtherMemoryIsNotToldOfNewMemory) {
  for (uintptr_t i = 0; i < 40; ++i) Access(one, kWrite, kAt + 64 * i * i, 8, 1000 + i);
  As(one);
  checker->Clear(kAt, 64 * 40 * 40);
  Access(two, kWrite, kAt + 64 * 9, 8, 2000);
  TellAll();
  EXPECT_TRUE(sink.races.empty());
  Access(one, kWrite, kAt + 64 * 9, 8, 3000);
  TellAll();
  ASSERT_EQ(sink.races.size(), 1u);
  uintptr_t pc[1];
  checker->StackOf(sink.races[0].later.where, pc);
  EXPECT_EQ(pc[0], 3000u);
}

TEST_F(ParallelCheckerTest, AWriteToOtherMemoryIsNotToldWhereNewMemoryIsOnlyRead) {
  Access(one, kWrite, kAt, 8, 1001);
  checker->Clear(kAt, 8);
  Access(one, kRead, kAt, 8, 1002);
  Access(two, kRead, kAt, 8, 2000);
  TellAll();
  EXPECT_TRUE(sink.races.empty());
}

TEST_F(ParallelCheckerTest, AVariableThatEndsWhileATaskUsesItIsARace) {
  As(one);
  checker->Retire(kAt, 8, 1001, Operation::kScopeEnd);
  Access(two, kRead, kAt, 8, 1002);
  TellAll();
  ASSERT_EQ(sink.races.size(), 1u);
  EXPECT_EQ(checker->SiteOf(sink.races[0].earlier.where).operation(), Operation::kScopeEnd);
}

TEST_F(ParallelCheckerTest, LocksThatBothHoldOrder) {
  for (WorkerHooks::Worker* worker : {&one, &two}) {
    As(*worker);
    checker->Locked(0x77, /*shared=*/false);
    Access(*worker, kWrite, kAt, 8, 1001);
    As(*worker);
    checker->Unlocked(0x77);
  }
  TellAll();
  EXPECT_TRUE(sink.races.empty());
  As(two);
  checker->Locked(0x88, /*shared=*/false);
  Access(two, kWrite, kAt, 8, 1002);
  checker->Unlocked(0x88);
  ASSERT_FALSE(sink.races.empty());
  uintptr_t locks[4];
  EXPECT_EQ(checker->LocksOf(sink.races[0].race.later.locks, locks), 1u);
  EXPECT_EQ(locks[0], 0x88u);
}

// A row of two accesses of four bytes, at 1111 and 2222 if that were code.
void TwoParts(const void* row, void* visitor, __taskrace_part part) {
  part(visitor, row, 4);
  part(visitor, static_cast<const char*>(row) + 4, 4);
}

TEST_F(ParallelCheckerTest, PartsOfACheckAreToldApart) {
  As(one);
  WorkerHooks::kHooks.write_parts(reinterpret_cast<const void*>(kAt), 8, 10, 8, TwoParts);
  Access(two, kWrite, kAt + 8, 8, 1002);
  TellAll();
  ASSERT_EQ(sink.races.size(), 2u);
  const auto pc_of = [&](const Found& found) { return checker->SiteOf(found.earlier.where).pc; };
  EXPECT_NE(pc_of(sink.races[0]), pc_of(sink.races[1]));
  EXPECT_EQ(sink.races[0].race.size + sink.races[1].race.size, 8u);
  EXPECT_EQ(checker->SiteOf(sink.races[0].earlier.where).operation(), Operation::kPlain);
}

TEST_F(ParallelCheckerTest, RecursionIsFoldedInContexts) {
  As(one);
  for (int i = 0; i < 900; ++i) *++__taskrace_top = {reinterpret_cast<const void*>(0x99), 0, 0};
  uintptr_t stack[1000];
  EXPECT_LT(checker->StackOf(checker->Here(1), stack), 10u);
}

}  // namespace
}  // namespace taskrace
