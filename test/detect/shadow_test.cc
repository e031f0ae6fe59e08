// The shadow history by itself: pages, cells and their memory. What it has in common with others
// is in histories_test.cc and histories_random_test.cc.
#include "detect/history/shadow.h"

#include <gtest/gtest.h>

#include <vector>

#include "test/detect/history_context.h"

namespace taskrace {
namespace {

TEST(Shadow, AGigabyteWrittenAtOnceCostsAFewBytesAPage) {
  ShadowHistory history;
  OneReader c;
  constexpr size_t kSize = size_t{1} << 30;
  history.Access(kWrite, kBase, kSize, c);
  EXPECT_EQ(history.PageCount(), kSize / 4096);
  EXPECT_LE(history.BytesUsed(), history.PageCount() * 32);
  c.Go(/*parallel=*/false);
  history.Access(kRead, kBase, kSize, c);
  EXPECT_LE(history.BytesUsed(), history.PageCount() * 32);
  EXPECT_EQ(c.queries, kSize / 4096) << "one question a page; the detector remembers the answer";
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase, kSize, c);
  EXPECT_EQ(c.races.size(), 2u);  // with the write and with the read, all bytes each
}

TEST(Shadow, APageOfCellsBecomesUniformWhenItIsWrittenAsAWhole) {
  ShadowHistory history;
  OneReader c;
  for (uintptr_t i = 0; i < 4096; ++i) {
    history.Access(kWrite, kBase + i, 1, c);
    c.Go(/*parallel=*/false);
  }
  EXPECT_GT(history.BytesUsed(), 8192u);
  c.Go(/*parallel=*/false);
  history.Access(kWrite, kBase, 4096, c);
  EXPECT_LE(history.BytesUsed(), 32u);
  EXPECT_TRUE(c.races.empty());
}

// Steps that are parted and put together for each strand are dearer than cells; a long range says that
// steps are the right thing.
TEST(Shadow, APageThatChangesInShortPiecesHasCellsThoughItsStepsAreFew) {
  ShadowHistory pieces, rows;
  OneReader c;
  for (int i = 0; i < 200; ++i) {
    for (ShadowHistory* history : {&pieces, &rows}) {
      history->Access(kRead, kBase, 16, c);
      c.Go(/*parallel=*/false);
      history->Access(kRead, kBase + 8, 8, c);
      c.Go(/*parallel=*/false);
    }
    if (i % 16 == 0) rows.Access(kRead, kBase + 1024, 512, c);
  }
  EXPECT_GE(pieces.BytesUsed(), 4096u);
  EXPECT_LE(rows.BytesUsed(), 256 + sizeof(ShadowPage));
  c.Go(/*parallel=*/true);
  for (ShadowHistory* history : {&pieces, &rows}) history->Access(kWrite, kBase, 16, c);
  EXPECT_EQ(c.races.size(), 4u);  // in either, with two readers of 8 bytes
}

// A strand comes after the readers of a list, which is then collected. A list that the strand makes
// gets its number; the strand does not come after the readers of that.
TEST(Shadow, AListThatIsCollectedIsNotTakenForOneThatGetsItsNumber) {
  ShadowHistory history;
  ManyReaders c;
  constexpr uintptr_t kShared = kBase, kLonger = kBase + 4096, kOther = kBase + 2 * 4096;
  constexpr uintptr_t kLast = kBase + 3 * 4096, kMany = kBase + 4 * 4096;
  constexpr size_t kPairs = 131'070;
  const auto read_by_another = [&](std::initializer_list<uintptr_t> places) {
    c.Go(/*parallel=*/true);
    for (const uintptr_t place : places) history.Access(kRead, place, 8, c);
  };
  read_by_another({kOther});
  read_by_another({kLast});
  for (size_t i = 0; i < 2 * kPairs; ++i) read_by_another({kMany + i / 2 * 8});
  for (int i = 0; i < 2; ++i) read_by_another({kShared, kLonger});
  read_by_another({kLonger});
  ASSERT_EQ(history.ReaderEntries(), 262'143u) << "two nodes more, and lists are collected";
  history.Clear(kMany, kPairs * 8);
  c.Go(/*parallel=*/false);
  history.Access(kRead, kShared, 8, c);
  history.Clear(kLonger, 8);
  c.ordered = false;
  for (const uintptr_t place : {kOther, kLast, kLast}) history.Access(kRead, place, 8, c);
  EXPECT_EQ(EntryCount(history, kLast), 2u);
}

TEST(Shadow, ClearingAWholePageGivesItsMemoryBack) {
  ShadowHistory history;
  OneReader c;
  for (uintptr_t i = 0; i < 3 * 4096; i += 2) history.Access(kWrite, kBase + i, 1, c);
  history.Clear(kBase, 3 * 4096);
  EXPECT_EQ(history.BytesUsed(), 0u);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase, 3 * 4096, c);
  EXPECT_TRUE(c.races.empty());
}

TEST(Shadow, RetiringAWholePageChecksItAndGivesItsMemoryBack) {
  ShadowHistory history;
  OneReader c;
  for (uintptr_t i = 0; i < 3 * 4096; i += 8) history.Access(kWrite, kBase + i, 8, c);
  c.Go(/*parallel=*/true);
  history.Retire(kBase, 3 * 4096, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].size, 3u * 4096);
  EXPECT_EQ(history.BytesUsed(), 0u);
}

TEST(Shadow, ClearingTheWholeAddressSpaceSkipsWhatIsNotThere) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, kBase, 8, c);
  history.Clear(0, ~size_t{0});
  EXPECT_EQ(history.PageCount(), 0u);
}

TEST(Shadow, PagesOfFourByteWordsNeedNoLists) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, kBase, 8, c);  // makes it a page of 8-byte words
  for (uintptr_t i = 8; i < 4096; i += 4) {
    c.Go(/*parallel=*/false);
    history.Access(kWrite, kBase + i, 4, c);
  }
  EXPECT_EQ(history.BytesUsed(), 2 * 4096 + sizeof(ShadowPage));
  history.CheckInvariant();
}

TEST(Shadow, BytesWrittenOneByOneByOneStrandAreOneStep) {
  ShadowHistory history;
  OneReader c;
  for (uintptr_t i = 1; i < 4096; ++i) history.Access(kWrite, kBase + i, 1, c);
  history.Access(kWrite, kBase, 1, c);
  EXPECT_LE(history.BytesUsed(), 64 + sizeof(ShadowPage));
}

TEST(Shadow, RowsOfAPageAreSteps) {
  ShadowHistory history;
  OneReader c;
  for (uintptr_t row = 0; row < 4096; row += 256) {
    c.Go(/*parallel=*/false);
    history.Access(kWrite, kBase + row, 256, c);
  }
  EXPECT_LE(history.BytesUsed(), 256 + sizeof(ShadowPage));
  history.CheckInvariant();
}

TEST(Shadow, APageThatAgreesAgainIsOneStep) {
  ShadowHistory history;
  OneReader c;
  for (uintptr_t i = 0; i < 4096; i += 16) history.Access(kWrite, kBase + i, 8, c);
  EXPECT_GE(history.BytesUsed(), 4096u);
  for (uintptr_t i = 8; i < 4096; i += 16) history.Access(kWrite, kBase + i, 8, c);
  history.Access(kRead, kBase, 4096, c);
  EXPECT_LE(history.BytesUsed(), 32u);
  history.CheckInvariant();
}

TEST(Shadow, AddressesThatNoProgramHasAreIgnored) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, ~uintptr_t{0} - 3, 8, c);
  history.Access(kWrite, uintptr_t{0xDEAD'BEEF'0000'0000}, 8, c);
  history.Clear(~uintptr_t{0} - 3, 8);
  EXPECT_EQ(history.PageCount(), 0u);
}

TEST(Shadow, AReaderIsAddedToEveryCellThatLacksIt) {
  ShadowHistory history;
  ManyReaders c;
  history.Access(kRead, kBase, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase + 8, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase, 8, c);
  history.Access(kRead, kBase, 16, c);  // begins with a cell that needs no look
  std::vector<uint32_t> readers;
  history.ForEachEntry(kBase + 8, [&](const auto& e) { readers.push_back(Index(e.strand)); });
  EXPECT_EQ(readers, (std::vector<uint32_t>{3, 2}));
}

TEST(Shadow, ARepeatedAccessAsksNothing) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, kBase, 8, c);
  c.Go(/*parallel=*/false);
  history.Access(kRead, kBase, 8, c);
  const size_t queries = c.queries;
  for (int i = 0; i < 10; ++i) history.Access(kRead, kBase + i % 8, 1, c);
  EXPECT_EQ(c.queries, queries);
}

TEST(ShadowHistory, AStrandThatIsNoMoreRememberedIsDenied) {
  for (const size_t step : {8u, 200u}) {  // dense, sparse
    ShadowHistory history;
    OneReader c;
    history.Access(kWrite, kBase, 4096, c);
    const StrandId first = c.strand;
    EXPECT_TRUE(history.MayRemember(first, kBase + 100, 8));
    for (uintptr_t at = 0; at < 2000; at += step) {
      c.Go(/*parallel=*/false);
      history.Access(kWrite, kBase + at, step, c);
    }
    EXPECT_FALSE(history.MayRemember(first, kBase, 2000));
    EXPECT_FALSE(history.MayRemember(c.strand, kBase, 1000));
    EXPECT_TRUE(history.MayRemember(first, kBase + 1999, 2));
    EXPECT_FALSE(history.MayRemember(first, kBase + 4096, 100));
  }
}

}  // namespace
}  // namespace taskrace
