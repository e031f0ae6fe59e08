// The interval history by itself: against every access ever made, byte by byte, on random runs; and
// what the oracle's small buffers cannot show: memory, how races are put together, questions asked.
#include "detect/history/intervals.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace taskrace {
namespace {

constexpr uintptr_t kBase = 0x7000'0000'0000;
constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr AccessKind kAtomicRead = AccessKind::kAtomicRead;
constexpr AccessKind kAtomicWrite = AccessKind::kAtomicWrite;

struct FoundRace {
  uintptr_t first;
  size_t size;
  RacingAccess earlier;
  AccessKind later;
};

// Strands are ordered as the test says; locks are bits.
template <bool kOne>
struct Context {
  static constexpr bool kOneReader = kOne;
  StrandId strand{1};
  LockSet locks = kNoLocks;
  bool lock_order = false;
  bool ordered = true;  // does everything precede?
  size_t queries = 0;
  std::vector<FoundRace> races{};

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
  void OnRace(const Race& race) {
    races.push_back({race.first, race.size, race.earlier, race.later.kind});
  }
  static uint32_t Bits(LockSet locks) { return static_cast<uint32_t>(locks); }

  // A new strand, parallel with all others or after all of them.
  void Go(bool parallel) {
    strand = StrandId{Index(strand) + 1};
    ordered = !parallel;
  }
};
using OneReader = Context<true>;
using ManyReaders = Context<false>;

size_t EntryCount(const IntervalHistory& history, uintptr_t byte) {
  size_t count = 0;
  history.ForEachEntry(byte, [&](const auto&) { ++count; });
  return count;
}

TEST(Intervals, ARaceNamesBothAccessesAndTheirCommonBytes) {
  IntervalHistory history;
  OneReader c;
  history.Access(kWrite, kBase + 2, 4, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase, 4, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].first, kBase + 2);
  EXPECT_EQ(c.races[0].size, 2u);
  EXPECT_EQ(c.races[0].earlier.strand, StrandId{1});
  EXPECT_EQ(c.races[0].earlier.kind, kWrite);
  EXPECT_EQ(c.races[0].later, kRead);
}

TEST(Intervals, OnePairOfStrandsIsOneRaceThoughTheReadersDiffer) {
  IntervalHistory history;
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

TEST(Intervals, BytesThatAreApartAreTwoRaces) {
  IntervalHistory history;
  OneReader c;
  history.Access(kWrite, kBase + 1, 1, c);
  history.Access(kWrite, kBase + 3, 1, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase, 8, c);
  EXPECT_EQ(c.races.size(), 2u);
}

TEST(Intervals, ManyDifferentEarlierAccessesAreAllReported) {
  IntervalHistory history;
  OneReader c;
  for (uint32_t i = 0; i < 100; ++i) {
    history.Access(kWrite, kBase + 8 * i, 8, c);
    c.Go(/*parallel=*/true);
  }
  history.Access(kRead, kBase, 800, c);
  ASSERT_EQ(c.races.size(), 100u);
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(c.races[i].first, kBase + 8 * i);
}

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

TEST(Intervals, ClearingAndRetiringForgetExactlyTheirBytes) {
  for (bool retires : {false, true}) {
    IntervalHistory history;
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

TEST(Intervals, RetiringIsCheckedLikeAWrite) {
  IntervalHistory history;
  OneReader c;
  history.Access(kRead, kBase, 100, c);
  c.Go(/*parallel=*/true);
  history.Retire(kBase + 10, 20, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].first, kBase + 10);
  EXPECT_EQ(c.races[0].size, 20u);
  EXPECT_EQ(c.races[0].later, kWrite);
}

TEST(Intervals, ClearingAllAddressesGivesTheMemoryBack) {
  IntervalHistory history;
  OneReader c;
  for (uintptr_t i = 0; i < 100'000; i += 2) history.Access(kWrite, kBase + i, 1, c);
  history.Clear(0, ~size_t{0});
  EXPECT_EQ(history.IntervalCount(), 1u);
  EXPECT_LE(history.BytesUsed(), 1024u);
}

TEST(Intervals, AnEmptyAccessDoesNothing) {
  IntervalHistory history;
  OneReader c;
  history.Access(kWrite, kBase, 0, c);
  history.Retire(kBase, 0, c);
  history.Clear(kBase, 0);
  EXPECT_EQ(history.BytesUsed(), 0u);
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

TEST(Intervals, AccessesUnderACommonLockAreHandedOverOnlyWhenAsked) {
  for (bool lock_order : {false, true}) {
    IntervalHistory history;
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

TEST(Intervals, APlainAccessDoesNotHideBehindAnAtomicOne) {
  IntervalHistory history;
  OneReader c;
  history.Access(kWrite, kBase, 8, c);
  c.Go(/*parallel=*/false);
  history.Access(kAtomicWrite, kBase, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kAtomicRead, kBase, 8, c);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].earlier.kind, kWrite);
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

TEST(Intervals, ManyReadersAreAllKeptAndAllReported) {
  IntervalHistory history;
  ManyReaders c;
  for (int i = 0; i < 1000; ++i) {
    history.Access(kRead, kBase, 8, c);
    c.Go(/*parallel=*/true);
  }
  history.Access(kWrite, kBase, 8, c);
  EXPECT_EQ(c.races.size(), 1000u);
  history.CheckInvariant();
}

TEST(Intervals, OnlyTheWriteIsLeftOfBytesThatItRacedOn) {
  IntervalHistory history;
  ManyReaders c;
  history.Access(kAtomicRead, kBase, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kRead, kBase, 8, c);
  c.Go(/*parallel=*/true);
  history.Access(kWrite, kBase, 8, c);
  EXPECT_EQ(c.races.size(), 2u);
  EXPECT_EQ(EntryCount(history, kBase), 1u);
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

TEST(Intervals, EveryStrandThatIsRememberedIsMarked) {
  IntervalHistory history;
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

// Random runs of random strands, compared with all accesses that were ever made.
class AllAccesses {
 public:
  static constexpr uintptr_t kBytes = 48;
  struct Past {
    size_t strand;
    AccessKind kind;
    uint32_t locks;
  };

  explicit AllAccesses(std::vector<std::vector<bool>> before) : before_(std::move(before)) {}

  bool Before(size_t u, size_t v) const { return before_[u][v]; }
  bool Races(size_t strand, AccessKind kind, uint32_t locks, uintptr_t byte) const {
    return std::ranges::any_of(past_[byte], [&](const Past& p) {
      return p.strand != strand && !Before(p.strand, strand) && Conflict(p.kind, kind) &&
             (p.locks & locks) == 0;
    });
  }
  void Add(size_t strand, AccessKind kind, uint32_t locks, uintptr_t byte) {
    past_[byte].push_back({strand, kind, locks});
  }
  void Forget(uintptr_t byte) { past_[byte].clear(); }

 private:
  std::vector<std::vector<bool>> before_;
  std::vector<Past> past_[kBytes];
};

template <bool kOne>
struct DagContext : Context<kOne> {
  const AllAccesses& all;
  explicit DagContext(const AllAccesses& all) : all(all) {}
  bool Precedes(StrandId u) { return all.Before(Index(u) - 1, Index(this->strand) - 1); }
};

// Series-parallel: strands [first, end) in execution order, each half before or beside the other.
void ComposeSeriesParallel(size_t first, size_t end, std::mt19937& random,
                           std::vector<std::vector<bool>>& before) {
  if (end - first < 2) return;
  const size_t middle = first + 1 + random() % (end - first - 1);
  if (random() % 2 == 0) {
    for (size_t u = first; u < middle; ++u) {
      for (size_t v = middle; v < end; ++v) before[u][v] = true;
    }
  }
  ComposeSeriesParallel(first, middle, random, before);
  ComposeSeriesParallel(middle, end, random, before);
}
// Any dag.
void ComposeAny(std::mt19937& random, std::vector<std::vector<bool>>& before) {
  const size_t strands = before.size();
  const unsigned rarity = 1 + random() % 6;
  for (size_t v = 0; v < strands; ++v) {
    for (size_t u = 0; u < v; ++u) {
      if (random() % rarity != 0) continue;
      before[u][v] = true;
      for (size_t w = 0; w < u; ++w) {
        if (before[w][u]) before[w][v] = true;
      }
    }
  }
}

template <bool kOne>
void CompareWithAllAccesses(uint32_t seed, size_t strands, unsigned kinds, unsigned lock_sets) {
  std::mt19937 random(seed);
  std::vector<std::vector<bool>> before(strands, std::vector<bool>(strands));
  if (kOne) {
    ComposeSeriesParallel(0, strands, random, before);
  } else {
    ComposeAny(random, before);
  }
  AllAccesses all(before);
  IntervalHistory history;
  DagContext<kOne> c(all);
  std::set<uintptr_t> racy;
  for (size_t strand = 0; strand < strands; ++strand) {
    c.strand = StrandId{static_cast<uint32_t>(strand) + 1};
    for (unsigned runs = random() % 6; runs > 0; --runs) {
      const uintptr_t first = random() % AllAccesses::kBytes;
      const uintptr_t size = 1 + random() % (random() % 2 ? 4 : AllAccesses::kBytes);
      const uintptr_t end = std::min(first + size, AllAccesses::kBytes);
      const unsigned what = random() % 12;
      AccessKind kind = static_cast<AccessKind>(random() % kinds);
      c.locks = LockSet{static_cast<uint32_t>(random() % lock_sets)};
      c.races.clear();
      if (what == 0) {
        history.Clear(kBase + first, end - first);
      } else if (what == 1) {
        kind = kWrite;
        history.Retire(kBase + first, end - first, c);
      } else {
        history.Access(kind, kBase + first, end - first, c);
      }
      history.CheckInvariant();
      std::set<uintptr_t> reported;
      for (const FoundRace& race : c.races) {
        RC_ASSERT(race.first >= kBase + first);
        RC_ASSERT(race.first + race.size <= kBase + end);
        for (uintptr_t i = 0; i < race.size; ++i) reported.insert(race.first + i - kBase);
      }
      const uint32_t locks = static_cast<uint32_t>(c.locks);
      for (uintptr_t byte = first; byte < end; ++byte) {
        const bool races = what != 0 && all.Races(strand, kind, locks, byte);
        if (!racy.contains(byte)) RC_ASSERT(reported.contains(byte) == races);
        if (races) racy.insert(byte);
        if (what < 2) {
          all.Forget(byte);
          racy.erase(byte);
        } else {
          all.Add(strand, kind, locks, byte);
        }
      }
    }
    // Whatever came now, would be answered as all accesses say.
    for (uintptr_t byte = 0; byte < AllAccesses::kBytes; ++byte) {
      if (racy.contains(byte)) continue;
      for (AccessKind kind : {kRead, kWrite, kAtomicRead, kAtomicWrite}) {
        for (uint32_t locks = 0; locks < lock_sets; ++locks) {
          bool races = false;
          history.ForEachEntry(kBase + byte, [&](const auto& e) {
            races =
                races || (Conflict(e.kind, kind) && e.strand != c.strand &&
                          (static_cast<uint32_t>(e.locks) & locks) == 0 && !c.Precedes(e.strand));
          });
          RC_ASSERT(races == all.Races(strand, kind, locks, byte));
        }
      }
    }
  }
}

TEST(Intervals, PlainRunsAgreeWithAllAccessesInSeriesParallelDags) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    CompareWithAllAccesses<true>(seed, *rc::gen::inRange<size_t>(1, 60), 2, 1);
  }));
}
TEST(Intervals, AtomicsAndLocksAgreeWithAllAccessesInSeriesParallelDags) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    CompareWithAllAccesses<true>(seed, *rc::gen::inRange<size_t>(1, 60), 4, 4);
  }));
}
TEST(Intervals, PlainRunsAgreeWithAllAccessesInAnyDag) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    CompareWithAllAccesses<false>(seed, *rc::gen::inRange<size_t>(1, 60), 2, 1);
  }));
}
TEST(Intervals, AtomicsAndLocksAgreeWithAllAccessesInAnyDag) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    CompareWithAllAccesses<false>(seed, *rc::gen::inRange<size_t>(1, 60), 4, 4);
  }));
}

}  // namespace
}  // namespace taskrace
