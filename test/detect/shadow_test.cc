// What the oracle's small buffers cannot show: pages, memory, how races are put
// together, lock order.
#include "detect/history/shadow.h"

#include <gtest/gtest.h>

#include <vector>

namespace taskrace {
namespace {

constexpr uintptr_t kBase = 0x7000'0000'0000;
constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;

// Strands are ordered as the test says; locks are bits.
template <bool kOne>
struct Context {
  static constexpr bool kOneReader = kOne;
  StrandId strand{1};
  LockSet locks = kNoLocks;
  bool lock_order = false;
  bool ordered = true;  // does everything precede?
  size_t queries = 0;
  std::vector<Race> races{};

  StrandId Strand() { return strand; }
  bool Precedes(StrandId) {
    ++queries;
    return ordered;
  }
  uint64_t ReaderClass(StrandId u) { return Index(u); }
  LockSet Locks() { return locks; }
  bool Disjoint(LockSet a, LockSet b) { return (Bits(a) & Bits(b)) == 0; }
  bool Subset(LockSet a, LockSet b) { return (Bits(a) & ~Bits(b)) == 0; }
  bool ReportsLockOrder() { return lock_order; }
  void OnRace(const Race& race) { races.push_back(race); }
  static uint32_t Bits(LockSet locks) { return static_cast<uint32_t>(locks); }

  // A new strand, parallel with all others or after all of them.
  void Go(bool parallel) {
    strand = StrandId{Index(strand) + 1};
    ordered = !parallel;
  }
};
using OneReader = Context<true>;
using ManyReaders = Context<false>;

TEST(Shadow, ARaceNamesBothAccessesAndTheirCommonBytes) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, kBase + 2, 4, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase, 4, c);
  ASSERT_EQ(c.races.size(), 1u);
  const Race& race = c.races[0];
  EXPECT_EQ(race.first, kBase + 2);
  EXPECT_EQ(race.size, 2u);
  EXPECT_EQ(race.earlier.strand, StrandId{1});
  EXPECT_EQ(race.earlier.kind, kWrite);
  EXPECT_EQ(race.later.strand, StrandId{2});
  EXPECT_EQ(race.later.kind, kRead);
}

TEST(Shadow, OnePairOfAccessesIsOneRaceAcrossCellsAndPages) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, kBase + 5, 3 * 4096, c);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase, 5 * 4096, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].first, kBase + 5);
  EXPECT_EQ(c.races[0].size, 3u * 4096);
}

TEST(Shadow, BytesThatAreApartAreTwoRaces) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, kBase + 1, 1, c);
  history.Access(kWrite, kBase + 3, 1, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase, 8, c);
  EXPECT_EQ(c.races.size(), 2u);
}

TEST(Shadow, ManyDifferentEarlierAccessesAreAllReported) {
  ShadowHistory history;
  OneReader c;
  for (uint32_t i = 0; i < 100; ++i) {
    history.Access(kWrite, kBase + 8 * i, 8, c);
    c.Go(/*parallel=*/true);
  }
  history.Access(kRead, kBase, 800, c);
  ASSERT_EQ(c.races.size(), 100u);
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(c.races[i].first, kBase + 8 * i);
}

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

TEST(Shadow, RetiringAPartReportsThatPartAndForgetsIt) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, kBase, 8, c);
  c.Go(/*parallel=*/true);
  history.Retire(kBase + 3, 2, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].first, kBase + 3);
  EXPECT_EQ(c.races[0].size, 2u);
  history.Access(kWrite, kBase + 3, 2, c);
  EXPECT_EQ(c.races.size(), 1u);
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

TEST(Shadow, BytesWrittenOneByOneByOneStrandShareACell) {
  ShadowHistory history;
  OneReader c;
  for (uintptr_t i = 1; i < 4096; ++i) history.Access(kWrite, kBase + i, 1, c);
  history.Access(kWrite, kBase, 1, c);
  EXPECT_EQ(history.BytesUsed(), 4096 + sizeof(ShadowPage));
}

TEST(Shadow, TheFirstPageOfMemoryIsLikeAnyOther) {
  ShadowHistory history;
  OneReader c;
  history.Access(kRead, 8, 8, c);
  history.Access(kWrite, 16, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, 8, 16, c);
  EXPECT_EQ(c.races.size(), 2u);
}

TEST(Shadow, AddressesThatNoProgramHasAreIgnored) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, ~uintptr_t{0} - 3, 8, c);
  history.Access(kWrite, uintptr_t{0xDEAD'BEEF'0000'0000}, 8, c);
  history.Clear(~uintptr_t{0} - 3, 8);
  EXPECT_EQ(history.PageCount(), 0u);
}

TEST(Shadow, AnEmptyAccessDoesNothing) {
  ShadowHistory history;
  OneReader c;
  history.Access(kWrite, kBase, 0, c);
  EXPECT_EQ(history.PageCount(), 0u);
}

TEST(Shadow, AccessesUnderACommonLockAreHandedOverOnlyWhenAsked) {
  for (bool lock_order : {false, true}) {
    ShadowHistory history;
    OneReader c;
    c.lock_order = lock_order;
    c.locks = LockSet{1};
    history.Access(kWrite, kBase, 8, c);
    c.Go(/*parallel=*/true);
    c.locks = LockSet{3};
    history.Access(kWrite, kBase, 8, c);
    ASSERT_EQ(c.races.size(), lock_order ? 1u : 0u);
    if (lock_order) EXPECT_EQ(c.races[0].earlier.locks, LockSet{1});
  }
}

TEST(Shadow, ManyReadersAreAllKeptAndAllReported) {
  ShadowHistory history;
  ManyReaders c;
  for (int i = 0; i < 1000; ++i) {
    history.Access(kRead, kBase, 8, c);
    c.Go(/*parallel=*/true);
  }
  history.Access(kWrite, kBase, 8, c);
  EXPECT_EQ(c.races.size(), 1000u);
  history.CheckInvariant();
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

}  // namespace
}  // namespace taskrace
