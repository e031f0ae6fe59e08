// The interval history by itself: memory, how intervals join, questions asked. What it has in
// common with others is in histories_test.cc and histories_random_test.cc.
#include "detect/history/intervals.h"

#include <gtest/gtest.h>

#include "test/detect/history_context.h"

namespace taskrace {
namespace {

TEST(Intervals, TheLengthOfARunCostsNothing) {
  IntervalHistory history;
  OneReader c;
  constexpr size_t kSize = size_t{1} << 40;
  history.Access(kWrite, kBase, kSize, c);
  EXPECT_LE(history.BytesUsed(), 2048u);
  c.Go(/*parallel=*/false);
  history.Access(kRead, kBase, kSize, c);
  EXPECT_EQ(c.queries, 1u);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase, kSize, c);
  EXPECT_EQ(c.races.size(), 2u);  // with the write and with the read, all bytes each
}

TEST(Intervals, WhatOneStrandWritesPieceByPieceIsOneInterval) {
  IntervalHistory history;
  OneReader c;
  for (uintptr_t i = 0; i < 10'000; i += 2) history.Access(kWrite, kBase + i, 1, c);
  EXPECT_EQ(history.IntervalCount(), 10'001u);
  for (uintptr_t i = 1; i < 10'000; i += 2) history.Access(kWrite, kBase + i, 1, c);
  EXPECT_EQ(history.IntervalCount(), 3u);  // and nothing before and behind
  history.CheckInvariant();
}

TEST(Intervals, RowsReadByTheSameStrandsAreOneInterval) {
  IntervalHistory history;
  ManyReaders c;
  for (int reader = 0; reader < 5; ++reader) {
    for (uintptr_t row = 0; row < 64; ++row) history.Access(kRead, kBase + 512 * row, 512, c);
    c.Go(/*parallel=*/true);
  }
  EXPECT_EQ(history.IntervalCount(), 3u);
  EXPECT_EQ(EntryCount(history, kBase + 700), 5u);
}

TEST(Intervals, ClearingAllAddressesGivesTheMemoryBack) {
  IntervalHistory history;
  OneReader c;
  for (uintptr_t i = 0; i < 100'000; i += 2) history.Access(kWrite, kBase + i, 1, c);
  history.Clear(0, ~size_t{0});
  EXPECT_EQ(history.IntervalCount(), 1u);
  EXPECT_LE(history.BytesUsed(), 1024u);
}

TEST(Intervals, TheLastAndTheFirstAddressesAreLikeAnyOther) {
  IntervalHistory history;
  OneReader c;
  history.Access(kWrite, ~uintptr_t{0} - 8, 100, c);
  history.Access(kWrite, 0, 1, c);
  history.CheckInvariant();
  c.Go(/*parallel=*/true);
  history.Access(kRead, ~uintptr_t{0} - 8, 8, c);
  history.Access(kRead, 0, 1, c);
  EXPECT_EQ(c.races.size(), 2u);
}

TEST(Intervals, APlainWriteAfterAllAtomicsLeavesNoList) {
  IntervalHistory history;
  OneReader c;
  history.Access(kAtomicWrite, kBase, 64, c);
  c.Go(/*parallel=*/false);
  history.Access(kWrite, kBase, 64, c);
  EXPECT_EQ(EntryCount(history, kBase), 1u);
  history.CheckInvariant();
}

TEST(Intervals, NeighboursWithEqualListsAreOneInterval) {
  IntervalHistory history;
  OneReader c;
  c.locks = LockSet{1};
  for (uintptr_t i = 0; i < 800; i += 8) history.Access(kWrite, kBase + i, 8, c);
  EXPECT_EQ(history.IntervalCount(), 3u);
}

TEST(Intervals, ListsOfEntriesThatNoIntervalHasAreFreed) {
  IntervalHistory history;
  OneReader c;
  for (uintptr_t i = 0; i < 300'000; ++i) {
    history.Access(kAtomicWrite, kBase + 16 * (i % 16), 8, c);
    c.Go(/*parallel=*/false);
  }
  EXPECT_LE(history.BytesUsed(), size_t{4} << 20);
  EXPECT_EQ(EntryCount(history, kBase), 1u);
  history.CheckInvariant();
}

TEST(Intervals, ListsOfReadersThatNoIntervalHasAreFreed) {
  IntervalHistory history;
  ManyReaders c;
  for (uintptr_t i = 0; i < 300'000; ++i) {
    history.Access(kRead, kBase + 16 * (i % 16), 8, c);
    if (i % 64 == 63) history.Clear(kBase, 1024);
    c.Go(/*parallel=*/true);
  }
  EXPECT_LE(history.BytesUsed(), size_t{4} << 20);
  history.CheckInvariant();
}

TEST(Intervals, AListOfReadersIsAskedAboutOnceAStrand) {
  IntervalHistory history;
  ManyReaders c;
  for (int i = 0; i < 100; ++i) {
    for (uintptr_t row = 0; row < 10; ++row) history.Access(kRead, kBase + 100 * row, 50, c);
    c.Go(/*parallel=*/true);
  }
  c.ordered = true;
  c.queries = 0;
  for (uintptr_t row = 0; row < 10; ++row) history.Access(kWrite, kBase + 100 * row, 50, c);
  EXPECT_EQ(c.queries, 100u);
  EXPECT_TRUE(c.races.empty());
}

}  // namespace
}  // namespace taskrace
