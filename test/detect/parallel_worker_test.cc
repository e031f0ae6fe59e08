#include <gtest/gtest.h>

#include <random>

#include "detect/parallel/worker.h"
#include "test/detect/parallel_host.h"

namespace taskrace {
namespace {

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr uintptr_t kAt = 0x10'0000;

// Two workers: one goes on with the root, the other runs a child that is parallel to it.
class ParallelWorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    one.Start(root, implicit);
    one.Create(root, child, How::kAsync, implicit, Where{99});
    two.Run(child);
  }
  void Stop() {
    one.Stop();
    two.Stop();
  }

  CollectingHost host;
  ParallelDetection detection{host};
  ParallelWorker one{detection};
  ParallelWorker two{detection};
  TaskTree::TaskPlace root, child;
  TaskTree::Group implicit;
};

TEST_F(ParallelWorkerTest, KnowsBothSidesOfARace) {
  one.Access(kWrite, kAt, 8, Where{1});
  two.Access(kRead, kAt + 2, 4, Where{2});
  Stop();
  ASSERT_EQ(host.races.size(), 1u);
  const ParallelRace& race = host.races[0];
  EXPECT_EQ(race.first, kAt + 2);
  EXPECT_EQ(race.size, 4u);
  EXPECT_EQ(race.earlier.where, Where{1});
  EXPECT_EQ(race.earlier.kind, kWrite);
  EXPECT_EQ(race.later.where, Where{2});
  EXPECT_EQ(race.later.kind, kRead);
  EXPECT_NE(race.earlier.record.strand, race.later.record.strand);
  const TaskTree& tree = detection.tree;
  EXPECT_EQ(tree.CreatedAt(tree.TaskOf(race.later.record.step.node)), Where{99});
}

// A loop that the root runs alone, in two parts whose accesses were all moved out of them.
class LoneLoopTest : public testing::Test {
 protected:
  static constexpr uint64_t kCount = 8;

  void SetUp() override {
    one.Start(root, implicit);
    one.BeginLoop(root, loop, kCount, /*index=*/0, Where{99});
  }
  static MovedAccess Moved(AccessKind kind, Where code, uintptr_t first, ptrdiff_t step, uint64_t k,
                           uint64_t count) {
    return {kind, code, first, 8, 1, 0, step, k, count};
  }
  void RunPart(ParallelWorker& worker, std::initializer_list<MovedAccess> accesses) {
    ParallelPart part(loop, accesses.begin()->k);
    worker.BeginPart(part);
    for (const MovedAccess& access : accesses) worker.Move(access);
    worker.EndPart(part);
    worker.Rest();
  }

  CollectingHost host;
  ParallelDetection detection{host};
  ParallelWorker one{detection};
  ParallelWorker two{detection};
  TaskTree::TaskPlace root;
  TaskTree::Group implicit;
  ParallelLoop loop;
};
TEST_F(LoneLoopTest, IsNotToldWhereItsPartsGoOnInTheSameSteps) {
  RunPart(two, {Moved(kWrite, Where{1}, kAt + 32, 8, 4, 4)});
  RunPart(one, {Moved(kWrite, Where{1}, kAt, 8, 0, 4)});
  one.JoinLoop(root, loop);
  EXPECT_TRUE(host.races.empty());
  EXPECT_EQ(one.GetCounts().ranges + two.GetCounts().ranges, 0u);
  EXPECT_EQ(one.GetCounts().whole_rows + two.GetCounts().whole_rows, 2u);
}
TEST_F(LoneLoopTest, IsToldWhereItsPartsAreAtOtherPlaces) {
  RunPart(one, {Moved(kWrite, Where{1}, kAt, 8, 0, 4)});
  RunPart(two, {Moved(kWrite, Where{1}, kAt + 16, 8, 4, 4)});  // not kAt + 32
  one.JoinLoop(root, loop);
  // Iteration 2 meets 4, and 3 meets 5.
  ASSERT_EQ(host.races.size(), 2u);
  EXPECT_EQ(host.races[0].first, kAt + 16);
  EXPECT_EQ(Index(host.races[0].earlier.record.step.strand), 2u);
  EXPECT_EQ(Index(host.races[0].later.record.step.strand), 4u);
}
TEST_F(LoneLoopTest, IsToldWhereOnlySomePartsHaveAnAccess) {
  RunPart(one, {Moved(kWrite, Where{1}, kAt, 8, 0, 4)});
  RunPart(two, {Moved(kRead, Where{2}, kAt, 8, 4, 4)});
  one.JoinLoop(root, loop);
  EXPECT_EQ(host.races.size(), 4u);
}
TEST_F(LoneLoopTest, IsToldByItsPartsWhereIterationsOfDifferentPartsMeet) {
  // b[i] = b[i - 4]: no two iterations of one part.
  for (const uint64_t k : {0, 4}) {
    RunPart(one, {Moved(kWrite, Where{1}, kAt + 8 * k, 8, k, 4),
                  Moved(kRead, Where{2}, kAt + 8 * k - 32, 8, k, 4)});
  }
  EXPECT_EQ(host.races.size(), 4u);
  one.JoinLoop(root, loop);
  EXPECT_EQ(host.races.size(), 4u);
}
// Strands get numbers when they have something to tell.
TEST_F(LoneLoopTest, IterationsThatTouchNothingAreNoStrands) {
  ParallelPart part(loop, 0);
  one.BeginPart(part);
  one.BeginIteration(part, 0);
  const StrandId first = one.Strand();
  for (uint64_t k = 1; k < 4; ++k) EXPECT_TRUE(one.GoOnWithIteration(part, k));
  EXPECT_EQ(one.Strand(), first);
  one.Access(kWrite, kAt, 8, Where{1});
  EXPECT_FALSE(one.GoOnWithIteration(part, 4));
  one.BeginIteration(part, 4);
  one.Access(kWrite, kAt, 8, Where{2});
  one.EndPart(part);
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(Index(host.races[0].earlier.record.step.strand), 3u);
  EXPECT_EQ(Index(host.races[0].later.record.step.strand), 4u);
}
// Records of iterations are used again.
TEST_F(LoneLoopTest, ManyIterationsNeedLittleMemory) {
  // Under ThreadSanitizer a million take most of a minute, and show nothing more: one thread runs them.
#if __has_feature(thread_sanitizer)
  constexpr uint64_t kIterations = 20'000;
#else
  constexpr uint64_t kIterations = 1'000'000;
#endif
  ParallelPart part(loop, 0);
  one.BeginPart(part);
  for (uint64_t k = 0; k < kIterations; ++k) {
    if (!one.GoOnWithIteration(part, k)) one.BeginIteration(part, k);
    one.Access(kWrite, kAt + k % 64 * 8, 8, Where{1});
    one.Clear(kAt + k % 64 * 8, 8);
    one.Access(kWrite, kAt + k % 1024 * 8, 8, Where{1});
  }
  one.EndPart(part);
  EXPECT_LT(detection.records.BytesUsed(), size_t{8} << 20);
  EXPECT_LT(one.PlaceBytes(), size_t{8} << 20);
}

// The root before its first child, and after it has joined all of them.
TEST(RootAlone, IsNotCollectedUntilTheFirstOfItsChildrenIsJoined) {
  CollectingHost host;
  ParallelDetection detection{host};
  ParallelWorker one{detection}, two{detection};
  TaskTree::TaskPlace root, first, second, third;
  TaskTree::Group implicit, outer, inner;
  auto told = [&, place = kAt](ParallelWorker& worker) mutable {
    const uint64_t before = worker.GetCounts().ranges;
    worker.Access(kWrite, place += 64, 8, Where{1});
    worker.Stop();
    return worker.GetCounts().ranges != before;
  };
  one.Start(root, implicit);
  EXPECT_FALSE(told(one));
  one.Run(root);
  one.Create(root, first, How::kSpawn, outer, Where{98});
  two.Run(first);
  EXPECT_TRUE(told(two));
  two.Run(first);
  two.End();
  EXPECT_TRUE(told(one));
  one.Run(root);
  one.Create(root, second, How::kSpawn, inner, Where{99});
  two.Run(second);
  two.End();
  one.Stop();
  one.Join(root, inner);
  EXPECT_TRUE(told(one));
  one.Run(root);
  one.Stop();
  one.Join(root, outer);
  EXPECT_FALSE(told(one));
  one.Run(root);
  one.Create(root, third, How::kAsync, implicit, Where{100});
  EXPECT_TRUE(told(one));
  EXPECT_TRUE(host.races.empty());
}

TEST_F(ParallelWorkerTest, TellsARepeatedAccessOnce) {
  for (size_t i = 0; i < 100; ++i) two.Access(kRead, kAt, 8, Where{2});
  EXPECT_TRUE((two.Has<kRead, 8>(kAt)));
  Stop();
  EXPECT_EQ(two.GetCounts().ranges, 1u);
}

TEST_F(ParallelWorkerTest, TellsEachOfManyRepeatedAccessesOnce) {
  constexpr size_t kPlaces = 3 * StrandLog<>::kFew;
  for (size_t i = 0; i < 10 * kPlaces; ++i) {
    const uintptr_t place = i % kPlaces;
    two.Access(kRead, kAt + place * place * 16, 8, Where{static_cast<uint32_t>(1 + place)});
  }
  EXPECT_TRUE((two.Has<kRead, 8>(kAt)));
  EXPECT_FALSE((two.Has<kWrite, 8>(kAt)));
  Stop();
  EXPECT_EQ(two.GetCounts().ranges, kPlaces);
  EXPECT_FALSE((two.Has<kRead, 8>(kAt)));
}

TEST_F(ParallelWorkerTest, DoesNotTellPartsOfWhatWasTouchedAsAWhole) {
  two.Access(kRead, kAt, 0x10'0000, Where{1});
  for (uintptr_t i = 0; i < 2 * ParallelWorker::kMostNotes; ++i) {
    two.Access(kRead, kAt + 15 * i + i % 2, 1, Where{2});
  }
  Stop();
  EXPECT_EQ(two.GetCounts().ranges, 1u);
}

TEST_F(ParallelWorkerTest, TellsALoopAsOneRange) {
  for (uintptr_t i = 0; i < 100; ++i) {
    two.Access(kRead, kAt + 8 * i, 8, Where{2});
    two.Access(kWrite, kAt + 0x8000 - 4 * i, 4, Where{3});
  }
  Stop();
  EXPECT_EQ(two.GetCounts().ranges, 2u);
  EXPECT_EQ(two.GetCounts().records, 1u);
}

TEST_F(ParallelWorkerTest, TellsEveryRowOfRows) {
  two.AccessRows(kWrite, {kAt, 4, 10, 32}, ParallelWorker::KnownCode{Where{2}});
  one.AccessRows(kRead, {kAt + 9 * 32, 4, 10, -32}, ParallelWorker::KnownCode{Where{1}});
  one.AccessRows(kRead, {kAt + 4, 4, 10, 32}, ParallelWorker::KnownCode{Where{1}});
  Stop();
  EXPECT_EQ(host.races.size(), 10u);
}

TEST_F(ParallelWorkerTest, TellsBeforeTheLogIsTooLong) {
  std::mt19937 rng(1);
  for (size_t i = 0; i < 2 * ParallelWorker::kMostNotes; ++i) {
    two.Access(kRead, kAt + rng() % 0x100'0000, 1, Where{2});
  }
  EXPECT_GE(two.GetCounts().ranges, ParallelWorker::kMostNotes);
}

TEST_F(ParallelWorkerTest, TellsWhatWasDoneUnderALockAsSuch) {
  one.SetLocks(LockSet{1});
  one.Access(kWrite, kAt, 4, Where{1});
  one.SetLocks(kNoLocks);
  two.SetLocks(LockSet{3});
  two.Access(kWrite, kAt, 4, Where{2});
  two.SetLocks(LockSet{2});
  EXPECT_TRUE(host.races.empty());
  two.Access(kWrite, kAt, 4, Where{2});
  Stop();
  EXPECT_FALSE(host.races.empty());
}

TEST_F(ParallelWorkerTest, ReadsThatChangeNothingDoNotWrite) {
  one.Access(kRead, kAt, 2048, Where{1});
  two.Access(kRead, kAt, 2048, Where{2});
  Stop();
  TaskTree::TaskPlace more[10];
  for (TaskTree::TaskPlace& task : more) one.Create(child, task, How::kAsync, implicit, kNowhere);
  const uint64_t before = two.GetCellCounts().changes;
  for (TaskTree::TaskPlace& task : more) {
    two.Run(task);
    two.Access(kRead, kAt, 2048, Where{3});
    two.Stop();
  }
  // The first few widen what the two readers span; the others are within.
  EXPECT_LE(two.GetCellCounts().changes - before, 4u);
  EXPECT_EQ(two.GetCellCounts().cells, 11 * 4u);
  EXPECT_TRUE(host.races.empty());
}

TEST_F(ParallelWorkerTest, AReadThatChangesNothingDoesNotSpeakForAWrite) {
  one.Access(kRead, kAt, 16, Where{1});
  one.Tell();
  two.Access(kRead, kAt, 16, Where{2});
  two.Tell();
  // Many, so that runs are looked at first: a read of one cell, then a write to one that says the same.
  for (size_t i = 1; i <= StrandLog<>::kFew; ++i) two.Access(kRead, kAt + i * 0x1000, 8, Where{3});
  two.Access(kRead, kAt, 8, Where{4});
  two.Access(kWrite, kAt + 8, 8, Where{5});
  Stop();
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].first, kAt + 8);
  EXPECT_EQ(host.races[0].later.where, Where{5});
}

// As the members of a struct: a word of it first, and then halves of words.
TEST_F(ParallelWorkerTest, BlocksWhoseWordsAreSplitAgainAndAgainAreOpenedByHalfWords) {
  const auto split = [&] { return detection.history.BytesUsed(); };
  const auto touch_block = [&](uintptr_t first) {
    one.Access(kWrite, first, 8, Where{1});
    one.Tell();
    for (uintptr_t i = 8; i < 256; i += 8) {
      one.Access(kWrite, first + i, 4, Where{2});
      one.Tell();
    }
  };
  touch_block(kAt);
  const size_t once = split();
  EXPECT_GT(once, 0u);
  for (uintptr_t i = 1; i < 30; ++i) touch_block(kAt + 0x1000 * i);
  EXPECT_EQ(split(), once);
}

TEST_F(ParallelWorkerTest, APageThatAgreesIsOneCellUntilAPartDiffers) {
  one.Access(kWrite, kAt, 4096, Where{1});
  one.Stop();
  EXPECT_EQ(one.GetCellCounts().changes, 1u);
  EXPECT_EQ(one.ShadowBytes(), 0u);
  two.Access(kRead, kAt + 40, 8, Where{2});
  two.Stop();
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].first, kAt + 40);
  EXPECT_EQ(host.races[0].size, 8u);
  EXPECT_GT(two.ShadowBytes(), 0u);
  // The rest of the page still says what it said.
  two.Run(child);
  two.Access(kRead, kAt, 40, Where{3});
  two.Access(kRead, kAt + 48, 4096 - 48, Where{3});
  two.Stop();
  size_t bytes = 0;
  for (const ParallelRace& race : host.races) bytes += race.size;
  EXPECT_EQ(bytes, 4096u);
}

TEST_F(ParallelWorkerTest, PartsOfCellsThatAreForgottenAreUsedAgain) {
  two.Rest();
  const size_t before = detection.history.BytesUsed();
  for (size_t i = 0; i < 10'000; ++i) {
    one.Access(kWrite, kAt + i % 8, 1, Where{1});
    one.Tell();
    one.Clear(kAt, 8);
  }
  EXPECT_LT(detection.history.BytesUsed(), before + (size_t{64} << 10));
}

TEST_F(ParallelWorkerTest, ARaceOnAPageThatAgreesIsOfTheWholePage) {
  one.Access(kWrite, kAt, 4096, Where{1});
  two.Access(kWrite, kAt, 4096, Where{2});
  Stop();
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].first, kAt);
  EXPECT_EQ(host.races[0].size, 4096u);
}

TEST_F(ParallelWorkerTest, BlocksThatAgreeAreChangedAtOnce) {
  one.Access(kWrite, kAt + 512, 2048, Where{1});
  one.Tell();
  // The page was opened, and four of its blocks changed.
  EXPECT_EQ(one.GetCellCounts().changes, 2u);
  EXPECT_EQ(one.ShadowBytes(), 128u);
  two.Access(kWrite, kAt + 512, 2048, Where{2});
  Stop();
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].first, kAt + 512);
  EXPECT_EQ(host.races[0].size, 2048u);
}

TEST_F(ParallelWorkerTest, ABlockThatAgreesIsOneCellUntilAPartDiffers) {
  one.Access(kWrite, kAt, 2048, Where{1});
  one.Stop();
  two.Access(kRead, kAt + 1024 + 40, 8, Where{2});
  two.Stop();
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].first, kAt + 1024 + 40);
  EXPECT_EQ(host.races[0].size, 8u);
  EXPECT_EQ(one.ShadowBytes() + two.ShadowBytes(), 128u + 1024u);
  // The rest of the block, and of the page, still says what it said.
  two.Run(child);
  two.Access(kRead, kAt, 1024 + 40, Where{3});
  two.Access(kRead, kAt + 1024 + 48, 4096 - 1024 - 48, Where{3});
  two.Stop();
  size_t bytes = 0;
  for (const ParallelRace& race : host.races) bytes += race.size;
  EXPECT_EQ(bytes, 2048u);
  EXPECT_EQ(one.ShadowBytes() + two.ShadowBytes(), 128u + 1024u);
}

TEST_F(ParallelWorkerTest, BlocksOfOnePageHaveCellsOfTheirOwnSizes) {
  one.Access(kWrite, kAt + 4, 4, Where{1});
  one.Access(kWrite, kAt + 512, 8, Where{1});
  one.Access(kWrite, kAt + 1024 + 3, 2, Where{1});
  one.Stop();
  EXPECT_EQ(one.ShadowBytes(), 128u + 2048u + 1024u + 1024u);
  two.Access(kRead, kAt, 2048, Where{2});
  two.Stop();
  size_t bytes = 0;
  for (const ParallelRace& race : host.races) bytes += race.size;
  EXPECT_EQ(bytes, 4u + 8u + 2u);
}

TEST_F(ParallelWorkerTest, APartThatSaysNothingNewOpensNothing) {
  one.Access(kWrite, kAt, 4096, Where{1});
  one.Access(kWrite, kAt + 4096, 512, Where{1});
  one.Tell();
  EXPECT_EQ(one.ShadowBytes(), 128u);
  const uint64_t changes = one.GetCellCounts().changes;
  const size_t parts = detection.history.BytesUsed();
  for (const uintptr_t at : {kAt, kAt + 4096}) {
    for (const AccessKind kind : {kRead, kWrite, AccessKind::kAtomicWrite}) {
      one.Access(kind, at + 3, 70, Where{2});
      one.Tell();
    }
  }
  EXPECT_EQ(one.GetCellCounts().changes, changes);
  EXPECT_EQ(one.ShadowBytes(), 128u);
  EXPECT_EQ(detection.history.BytesUsed(), parts);
}

// Writes of one worker, reads of the other, and memory that is used again, from bytes to pages.
TEST_F(ParallelWorkerTest, RangesOfAllSizesRaceByTheByte) {
  constexpr size_t kMemory = 4 * 4096;
  constexpr size_t kSizes[] = {1, 4, 8, 24, 64, 200, 512, 1536, 4096, 6000};
  std::mt19937 rng(1);
  for (size_t round = 0; round < 50; ++round) {
    const uintptr_t base = kAt + round * kMemory;
    std::vector<bool> written(kMemory), read(kMemory), racy(kMemory), reported(kMemory);
    for (size_t i = 0; i < 60; ++i) {
      const size_t size = kSizes[rng() % std::size(kSizes)];
      const size_t step = rng() % 8 == 0 ? 1 : std::min<size_t>(size, 512);
      const size_t at = rng() % ((kMemory - size) / step) * step;
      const unsigned what = rng() % 5;
      if (what < 2) {
        one.Access(kWrite, base + at, size, Where{1});
        one.Tell();
      } else if (what < 4) {
        two.Access(kRead, base + at, size, Where{2});
        two.Tell();
      } else {
        one.Clear(base + at, size);
      }
      for (size_t byte = at; byte < at + size; ++byte) {
        written[byte] = what < 2 || (what < 4 && written[byte]);
        read[byte] = (what < 2 && read[byte]) || (what >= 2 && what < 4);
        if (written[byte] && read[byte]) racy[byte] = true;
      }
    }
    for (const ParallelRace& race : host.races) {
      for (size_t i = 0; i < race.size; ++i) reported[race.first - base + i] = true;
    }
    host.races.clear();
    ASSERT_EQ(reported, racy) << "round " << round;
  }
}

TEST_F(ParallelWorkerTest, NeedsNoMoreSpaceForMoreReaders) {
  const auto read_by_many = [&](size_t tasks) {
    for (size_t i = 0; i < tasks; ++i) {
      TaskTree::TaskPlace task;
      one.Create(root, task, How::kAsync, implicit, kNowhere);
      two.Run(task);
      two.Access(kRead, kAt + 1, 2, Where{3});
      two.Access(AccessKind::kAtomicRead, kAt + 16, 2, Where{4});
      two.Stop();
    }
    return detection.history.BytesUsed();
  };
  const size_t few = read_by_many(3);
  EXPECT_EQ(read_by_many(1000), few);
}

TEST_F(ParallelWorkerTest, ClearedBlocksAreNew) {
  one.Access(kWrite, kAt, 4096, Where{1});
  one.Tell();
  // Two blocks and a part of a third; then a part of an open one; then all of it.
  one.Clear(kAt + 512, 1024 + 200);
  one.Clear(kAt + 1536 + 300, 8);
  EXPECT_EQ(one.ShadowBytes(), 128u + 1024u);
  two.Access(kWrite, kAt + 512, 1024 + 200, Where{2});
  two.Access(kWrite, kAt + 1536 + 300, 8, Where{2});
  two.Tell();
  EXPECT_TRUE(host.races.empty());
  one.Clear(kAt, 4096);
  EXPECT_EQ(one.ShadowBytes(), 128u + 1024u);
  one.Access(kWrite, kAt, 4096, Where{3});
  one.Tell();
  EXPECT_TRUE(host.races.empty());
  two.Access(kRead, kAt, 4096, Where{4});
  Stop();
  size_t bytes = 0;
  for (const ParallelRace& race : host.races) bytes += race.size;
  EXPECT_EQ(bytes, 4096u);
}

TEST_F(ParallelWorkerTest, ClearedMemoryIsNew) {
  one.Access(kWrite, kAt, 64, Where{1});
  one.Clear(kAt + 3, 20);
  two.Access(kWrite, kAt + 3, 20, Where{2});
  two.Tell();
  EXPECT_TRUE(host.races.empty());
  two.Access(kRead, kAt + 2, 1, Where{2});
  two.Access(kRead, kAt + 23, 1, Where{2});
  Stop();
  EXPECT_EQ(host.races.size(), 2u);
}

}  // namespace
}  // namespace taskrace
