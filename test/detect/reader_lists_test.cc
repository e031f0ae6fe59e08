#include "detect/history/reader_lists.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace taskrace {
namespace {

using Readers = ReaderLists::Readers;

// A strand that reads: the test says what precedes it, and what is equivalent.
struct Reading {
  struct Context {
    std::map<uint32_t, uint64_t> classes;  // else a strand is its own
    uint64_t ReaderClass(StrandId u) {
      const auto found = classes.find(Index(u));
      return found == classes.end() ? Index(u) : found->second;
    }
  };
  Context& context;
  StrandId strand;
  std::set<uint32_t> before{};

  bool Ordered(StrandId u) const { return u == strand || before.contains(Index(u)); }
};

std::vector<uint32_t> StrandsOf(const ReaderLists& lists, const Readers& readers) {
  std::vector<uint32_t> strands;
  lists.All(readers, [&](StrandId strand) {
    strands.push_back(Index(strand));
    return true;
  });
  return strands;
}

class ReaderListsTest : public testing::Test {
 protected:
  Readers Read(const Readers& readers, uint32_t strand, std::set<uint32_t> before = {}) {
    Reading reading{context, StrandId{strand}, std::move(before)};
    return lists.Add(readers, reading);
  }

  ReaderLists lists;
  Reading::Context context;
};

TEST_F(ReaderListsTest, OneReaderLiesInTheCell) {
  const Readers one = Read({}, 1);
  EXPECT_EQ(one, (Readers{StrandId{1}}));
  EXPECT_EQ(lists.Used(), 0u);
}

TEST_F(ReaderListsTest, ParallelReadersAreAllKept) {
  EXPECT_EQ(StrandsOf(lists, Read(Read(Read({}, 1), 2), 3)), (std::vector<uint32_t>{3, 2, 1}));
}

TEST_F(ReaderListsTest, ReadersThatPrecedeTheNewOneGo) {
  const Readers two = Read(Read({}, 1), 2);
  EXPECT_EQ(Read(two, 3, {1, 2}), (Readers{StrandId{3}}));
  EXPECT_EQ(StrandsOf(lists, Read(two, 4, {2})), (std::vector<uint32_t>{4, 1}));
}

TEST_F(ReaderListsTest, TheSameReadersInTheSameOrderAreTheSameList) {
  const Readers two = Read(Read({}, 1), 2);
  EXPECT_EQ(Read(two, 3), Read(two, 3));
  EXPECT_EQ(Read(Read({}, 1), 2), two);
}

TEST_F(ReaderListsTest, AReaderThatReadsAgainChangesNothing) {
  const Readers two = Read(Read({}, 1), 2);
  EXPECT_EQ(Read(two, 2), two);
}

TEST_F(ReaderListsTest, OfEquivalentReadersTheOldestStays) {
  for (uint32_t strand = 1; strand < 1000; ++strand) context.classes[strand] = 5000;
  Readers readers;
  for (uint32_t strand = 1; strand <= 1000; ++strand) {
    readers = Read(readers, strand);
    ASSERT_LE(StrandsOf(lists, readers).size(), 5u);
    ASSERT_EQ(StrandsOf(lists, readers).back(), 1u);
  }
}

TEST_F(ReaderListsTest, ReadersThatBecomeEquivalentAreDroppedAsNeighbours) {
  Readers readers;
  for (uint32_t strand = 1; strand <= 3; ++strand) readers = Read(readers, strand);
  EXPECT_EQ(StrandsOf(lists, readers).size(), 3u);
  context.classes[2] = context.classes[3] = 5000;
  readers = Read(readers, 4);
  EXPECT_EQ(StrandsOf(lists, readers), (std::vector<uint32_t>{4, 2, 1}));
}

// What precedes is dropped, though it is not first in the list.
TEST_F(ReaderListsTest, ALongListLosesWhatWasJoinedMeanwhile) {
  constexpr uint32_t kReaders = 2'000;
  Readers readers;
  for (uint32_t strand = 1; strand <= kReaders; ++strand) readers = Read(readers, strand);
  EXPECT_EQ(StrandsOf(lists, readers).size(), kReaders);
  std::set<uint32_t> before;
  for (uint32_t strand = 1; strand < kReaders; ++strand) before.insert(strand);
  for (uint32_t strand = kReaders + 1; strand < 10 * kReaders; ++strand) {
    Reading reading{context, StrandId{strand}, {}};
    reading.before.swap(before);
    readers = lists.Add(readers, reading);
    before.swap(reading.before);
    before.insert(strand);
    if (StrandsOf(lists, readers).size() < 4) return;
  }
  FAIL() << "the list still has " << StrandsOf(lists, readers).size() << " readers";
}

TEST_F(ReaderListsTest, WhatNoCellRefersToIsFreed) {
  std::vector<Readers> kept;
  for (uint32_t strand = 1; strand <= 300'000; strand += 3) {
    const Readers three = Read(Read(Read({}, strand), strand + 1), strand + 2);
    if (kept.size() < 10) kept.push_back(three);
  }
  ASSERT_TRUE(lists.WantsCollection());
  lists.Collect([&](auto mark) {
    for (const Readers& readers : kept) mark(readers.list());
  });
  EXPECT_EQ(lists.Used(), 30u);
  EXPECT_FALSE(lists.WantsCollection());
  for (uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(StrandsOf(lists, kept[i]), (std::vector<uint32_t>{3 * i + 3, 3 * i + 2, 3 * i + 1}));
  }
  EXPECT_EQ(StrandsOf(lists, Read(kept[0], 400'000)), (std::vector<uint32_t>{400'000, 3, 2, 1}));
}

// Freed nodes lie between those in use, in pieces of any length.
TEST_F(ReaderListsTest, FreedNodesServeAgainAndThoseInUseDoNot) {
  std::vector<Readers> kept;
  std::set<uint32_t> expected;
  uint32_t strand = 1;
  const auto keep_two_readers = [&] {
    kept.push_back(Read(Read({}, strand), strand + 1));
    expected.insert({strand, strand + 1});
    strand += 2;
  };
  for (uint32_t i = 0; i < 200; ++i) {
    keep_two_readers();
    for (uint32_t unused = 0; unused < i % 7; ++unused, strand += 2) {
      Read(Read({}, strand), strand + 1);
    }
  }
  const auto mark_kept = [&](auto mark) {
    for (const Readers& readers : kept) mark(readers.list());
  };
  lists.Collect(mark_kept);
  EXPECT_EQ(lists.Used(), 400u);
  for (uint32_t i = 0; i < 500; ++i) keep_two_readers();
  EXPECT_EQ(lists.Used(), 1400u);
  for (const Readers& readers : kept) {
    const std::vector<uint32_t> strands = StrandsOf(lists, readers);
    ASSERT_EQ(strands.size(), 2u);
    ASSERT_EQ(strands[0], strands[1] + 1);
  }
  std::set<uint32_t> visited;
  lists.ForEachStrand([&](StrandId u) { visited.insert(Index(u)); });
  EXPECT_EQ(visited, expected);
}

}  // namespace
}  // namespace taskrace
