// What holds for every history, and the oracle's small buffers cannot show: how races are put
// together, what is forgotten, lock order.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "detect/history/intervals.h"
#include "detect/history/shadow.h"
#include "test/detect/history_context.h"

namespace taskrace {
namespace {

template <class History>
class Histories : public testing::Test {};
using All = testing::Types<ShadowHistory, IntervalHistory>;
TYPED_TEST_SUITE(Histories, All);

TYPED_TEST(Histories, ARaceNamesBothAccessesAndTheirCommonBytes) {
  TypeParam history;
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

TYPED_TEST(Histories, OnePairOfAccessesIsOneRaceAcrossCellsAndPages) {
  TypeParam history;
  OneReader c;
  history.Access(kWrite, kBase + 5, 3 * 4096, c);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase, 5 * 4096, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].first, kBase + 5);
  EXPECT_EQ(c.races[0].size, 3u * 4096);
}

TYPED_TEST(Histories, BytesThatAreApartAreTwoRaces) {
  TypeParam history;
  OneReader c;
  history.Access(kWrite, kBase + 1, 1, c);
  history.Access(kWrite, kBase + 3, 1, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase, 8, c);
  EXPECT_EQ(c.races.size(), 2u);
}

TYPED_TEST(Histories, ManyDifferentEarlierAccessesAreAllReported) {
  TypeParam history;
  OneReader c;
  for (uint32_t i = 0; i < 100; ++i) {
    history.Access(kWrite, kBase + 8 * i, 8, c);
    c.Go(/*parallel=*/true);
  }
  history.Access(kRead, kBase, 800, c);
  ASSERT_EQ(c.races.size(), 100u);
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(c.races[i].first, kBase + 8 * i);
}

TYPED_TEST(Histories, RetiringAPartReportsThatPartAndForgetsIt) {
  TypeParam history;
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

TYPED_TEST(Histories, TheFirstPageOfMemoryIsLikeAnyOther) {
  TypeParam history;
  OneReader c;
  history.Access(kRead, 8, 8, c);
  history.Access(kWrite, 16, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, 8, 16, c);
  EXPECT_EQ(c.races.size(), 2u);
}

TYPED_TEST(Histories, AccessesUnderACommonLockAreHandedOverOnlyWhenAsked) {
  for (bool lock_order : {false, true}) {
    TypeParam history;
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

TYPED_TEST(Histories, ManyReadersAreAllKeptAndAllReported) {
  TypeParam history;
  ManyReaders c;
  for (int i = 0; i < 1000; ++i) {
    history.Access(kRead, kBase, 8, c);
    c.Go(/*parallel=*/true);
  }
  history.Access(kWrite, kBase, 8, c);
  EXPECT_EQ(c.races.size(), 1000u);
  history.CheckInvariant();
}

TYPED_TEST(Histories, OnePairOfStrandsIsOneRaceThoughTheReadersDiffer) {
  TypeParam history;
  OneReader c;
  history.Access(kWrite, kBase, 100, c);
  c.Go(/*parallel=*/false);
  history.Access(kRead, kBase + 10, 20, c);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase, 100, c);
  ASSERT_EQ(c.races.size(), 2u);  // with the write, all bytes; with the read
  const auto write = std::ranges::find(c.races, kWrite, [](auto& r) { return r.earlier.kind; });
  ASSERT_NE(write, c.races.end());
  EXPECT_EQ(write->size, 100u);
}

TYPED_TEST(Histories, ClearingAndRetiringForgetExactlyTheirBytes) {
  for (bool retires : {false, true}) {
    TypeParam history;
    OneReader c;
    history.Access(kWrite, kBase, 100, c);
    if (retires) {
      history.Retire(kBase + 10, 20, c);
    } else {
      history.Clear(kBase + 10, 20);
    }
    for (uintptr_t i = 0; i < 100; ++i) {
      EXPECT_EQ(EntryCount(history, kBase + i), i >= 10 && i < 30 ? 0u : 1u) << i;
    }
    EXPECT_TRUE(c.races.empty());
  }
}

// All strands precede but one.
struct OneIsParallel : OneReader {
  StrandId parallel = kNoStrand;
  bool Precedes(StrandId u) { return u != parallel; }
};

TYPED_TEST(Histories, NothingIsForgottenWhereOneAccessIsParallelAndOnlyTheOrderedMayGo) {
  for (const AccessKind kind : {kRead, kWrite, kAtomicWrite}) {
    for (const size_t size : {1u, 4u, 8u, 5000u}) {
      for (const size_t gap : {0u, 64u}) {  // makes the page dense
        TypeParam history;
        OneIsParallel c;
        history.Access(kWrite, kBase, 8192, c);
        for (uintptr_t at = 0; gap != 0 && at < 8192; at += gap) {
          c.Go(/*parallel=*/false);
          history.Access(kWrite, kBase + at, 8, c);
        }
        c.Go(/*parallel=*/false);
        history.Access(kind, kBase + 1004, size, c);
        c.parallel = c.strand;
        c.Go(/*parallel=*/false);
        EXPECT_FALSE(history.ClearIfOrdered(kBase, 1005, c));
        EXPECT_FALSE(history.ClearIfOrdered(kBase + 1004 + size - 1, 2000, c));
        EXPECT_NE(EntryCount(history, kBase), 0u);
        EXPECT_NE(EntryCount(history, kBase + 1004 + size), 0u);
        EXPECT_TRUE(history.ClearIfOrdered(kBase + 10, 980, c));
        EXPECT_EQ(EntryCount(history, kBase + 989), 0u);
        EXPECT_NE(EntryCount(history, kBase + 990), 0u);
        EXPECT_TRUE(c.races.empty());
      }
    }
  }
}

TYPED_TEST(Histories, RetiringIsCheckedLikeAWrite) {
  TypeParam history;
  OneReader c;
  history.Access(kRead, kBase, 100, c);
  c.Go(/*parallel=*/true);
  history.Retire(kBase + 10, 20, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].first, kBase + 10);
  EXPECT_EQ(c.races[0].size, 20u);
  EXPECT_EQ(c.races[0].later.kind, kWrite);
}

TYPED_TEST(Histories, AnEmptyAccessDoesNothing) {
  TypeParam history;
  OneReader c;
  history.Access(kWrite, kBase, 0, c);
  history.Retire(kBase, 0, c);
  history.Clear(kBase, 0);
  EXPECT_EQ(history.BytesUsed(), 0u);
}

TYPED_TEST(Histories, APlainAccessDoesNotHideBehindAnAtomicOne) {
  TypeParam history;
  OneReader c;
  history.Access(kWrite, kBase, 8, c);
  c.Go(/*parallel=*/false);
  history.Access(kAtomicWrite, kBase, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kAtomicRead, kBase, 8, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].earlier.kind, kWrite);
}

TYPED_TEST(Histories, OnlyTheWriteIsLeftOfBytesThatItRacedOn) {
  TypeParam history;
  ManyReaders c;
  history.Access(kAtomicRead, kBase, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase, 8, c);
  EXPECT_EQ(c.races.size(), 2u);
  EXPECT_EQ(EntryCount(history, kBase), 1u);
}

TYPED_TEST(Histories, EveryStrandThatIsRememberedIsMarked) {
  TypeParam history;
  ManyReaders c;
  history.Access(kWrite, kBase, 100, c);
  for (int i = 0; i < 5; ++i) {
    c.Go(/*parallel=*/true);
    history.Access(kRead, kBase + 50 * i, 80, c);
  }
  c.Go(/*parallel=*/true);
  history.Access(kAtomicRead, kBase + 1000, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase + 2000, 8, c);
  history.Clear(kBase + 2000, 8);
  std::set<uint32_t> marked;
  history.ForEachStrand([&](StrandId strand) { marked.insert(Index(strand)); });
  EXPECT_EQ(marked, (std::set<uint32_t>{1, 2, 3, 4, 5, 6, 7}));
}

TYPED_TEST(Histories, AStrandThatIsRememberedIsNotDenied) {
  TypeParam history;
  ManyReaders c;
  history.Access(kWrite, kBase, 4096, c);
  for (uintptr_t at = 0; at < 2000; at += 40) {
    c.Go(/*parallel=*/at % 80 == 0);
    history.Access(at % 3 == 0 ? kRead : at % 3 == 1 ? kWrite : kAtomicRead, kBase + at, 13, c);
  }
  for (int reader = 0; reader < 3; ++reader) {
    c.Go(/*parallel=*/true);
    history.Access(kRead, kBase + 3000, 100, c);
  }
  for (uintptr_t i = 0; i < 4200; ++i) {
    history.ForEachEntry(kBase + i, [&](const auto& e) {
      EXPECT_TRUE(history.MayRemember(e.strand, kBase + i, 1)) << i;
      EXPECT_TRUE(history.MayRemember(e.strand, kBase + i - 3, 5)) << i;
    });
  }
}

}  // namespace
}  // namespace taskrace
