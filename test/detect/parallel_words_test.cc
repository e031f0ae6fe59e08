#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "detect/ds/versioned_line.h"

// Words that change together, alone and in lines of eight cells.
#include "detect/ds/versioned_words.h"

namespace taskrace {
namespace {

using Words = VersionedWords::Words;
using Snapshot = VersionedWords::Snapshot;

TEST(VersionedWords, KeepWhatTheyWereGiven) {
  const Words words{.first = 1, .second = 2, .third = 3, .tag = 7};
  EXPECT_EQ(VersionedWords(words).Load().words, words);
  EXPECT_EQ(VersionedWords().Load().words, Words{});
}

TEST(VersionedWords, AreNotReplacedByWhoHasSeenAnOlderVersion) {
  VersionedWords words;
  const Snapshot old = words.Load();
  EXPECT_TRUE(words.Replace(words.Load(), {.first = 5}));
  EXPECT_TRUE(words.Replace(words.Load(), {}));
  EXPECT_EQ(words.Load().words, old.words);
  EXPECT_FALSE(words.Replace(old, {.first = 6}));
  EXPECT_FALSE(words.Replace(old, {.second = 6}));
  EXPECT_EQ(words.Load().words, Words{});
}

// What operation `op` makes of the words, as a function that a lock could have guarded.
Words Apply(const Words& words, uint32_t op) {
  Words next = words;
  switch (op % 4) {
    case 0:
      next.first = words.second * 31 + op;
      break;
    case 1:
      next.second = words.third * 31 + op;
      next.tag = op / 4 % VersionedWords::kTags;
      break;
    case 2:
      next.third = words.first * 31 + op;
      break;
    case 3:
      next = {words.third, words.first, words.second, words.tag};
      break;
  }
  return next;
}

// Threads change one object; then all that they have seen is replayed, one after the other.
TEST(VersionedWords, LookAsIfALockGuardedThem) {
  constexpr size_t kThreads = 4;
  constexpr size_t kOperations = 20'000;
  struct Seen {
    uint32_t version;
    Words words;
    uint32_t op;
    bool changed;
  };
  VersionedWords shared;
  std::vector<std::vector<Seen>> logs(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&shared, &log = logs[t], t] {
      std::mt19937 rng(static_cast<uint32_t>(t));
      for (size_t i = 0; i < kOperations; ++i) {
        const uint32_t op = rng();
        const Snapshot seen = shared.Load();
        if (rng() % 8 == 0) std::this_thread::yield();
        const bool changes = rng() % 2 == 0 && shared.Replace(seen, Apply(seen.words, op));
        log.push_back({static_cast<uint32_t>(seen.version_half >> 36), seen.words, op, changes});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::vector<Seen> all;
  for (const std::vector<Seen>& log : logs) all.insert(all.end(), log.begin(), log.end());
  std::ranges::sort(all, {}, [](const Seen& s) { return s.version * 2 + s.changed; });
  Words now;
  uint32_t version = 0;
  size_t changes = 0;
  for (const Seen& seen : all) {
    ASSERT_EQ(seen.version, version) << "two have changed the same version";
    ASSERT_EQ(seen.words, now);
    if (!seen.changed) continue;
    now = Apply(now, seen.op);
    ++version;
    ++changes;
  }
  EXPECT_EQ(shared.Load().words, now);
  EXPECT_GT(changes, 0u);
}

TEST(VersionedLine, KeepsItsCellsApart) {
  VersionedLine line;
  for (uint32_t i = 0; i < VersionedLine::kCells; ++i) {
    EXPECT_TRUE(line.Replace(i, line.Load(i), {i, 10 + i, 20 + i, i}));
  }
  for (uint32_t i = 0; i < VersionedLine::kCells; ++i) {
    EXPECT_EQ(line.Load(i).words, (Words{i, 10 + i, 20 + i, i}));
  }
}

TEST(VersionedLine, ChangesAtOnceOnlyIfAllCellsAgree) {
  const Words zero{}, one{1, 2, 3, 4}, other{1, 2, 3, 5};
  VersionedLine line;
  EXPECT_TRUE(line.Say(zero));
  EXPECT_TRUE(line.Exchange(zero, one));
  EXPECT_TRUE(line.Say(one));
  EXPECT_FALSE(line.Say(other));
  EXPECT_FALSE(line.Exchange(zero, other));
  for (unsigned i = 0; i < VersionedLine::kCells; ++i) {
    EXPECT_EQ(line.Load(i).words, one);
    for (const Words& odd : {Words{9, 2, 3, 4}, Words{1, 9, 3, 4}, Words{1, 2, 9, 4}, other}) {
      EXPECT_TRUE(line.Replace(i, line.Load(i), odd));
      EXPECT_FALSE(line.Say(one));
      EXPECT_FALSE(line.Exchange(one, zero));
    }
    EXPECT_TRUE(line.Replace(i, line.Load(i), one));
  }
  const Snapshot old = line.Load(3);
  EXPECT_TRUE(line.Replace(7, line.Load(7), one));
  EXPECT_FALSE(line.Replace(3, old, zero));
}

TEST(VersionedLine, ChangesRunsOfCellsThatAgree) {
  constexpr unsigned kCells = VersionedLine::kCells;
  const Words one{1, 2, 3, 4}, other{5, 6, 7, 4};
  for (unsigned first = 0; first < kCells; ++first) {
    for (unsigned end = first + 1; end <= kCells; ++end) {
      VersionedLine line(one);
      EXPECT_EQ(line.Alike(line.Load(first), first, kCells), kCells - first);
      const Snapshot old = line.Load(first);
      EXPECT_TRUE(line.Replace(first, end, old, other));
      EXPECT_FALSE(line.Replace(first, end, old, one));
      for (unsigned i = 0; i < kCells; ++i) {
        const bool is_other = i >= first && i < end;
        EXPECT_EQ(line.Load(i).words, is_other ? other : one);
        const unsigned run = is_other ? end - i : (i < first ? first : kCells) - i;
        EXPECT_EQ(line.Alike(line.Load(i), i, kCells), run);
        EXPECT_EQ(line.Alike(line.Load(i), i, i + 1), 1u);
      }
      for (const Words& odd :
           {Words{9, 6, 7, 4}, Words{5, 9, 7, 4}, Words{5, 6, 9, 4}, Words{5, 6, 7, 1}}) {
        EXPECT_TRUE(line.Replace(end - 1, line.Load(end - 1), odd));
        EXPECT_EQ(line.Alike(line.Load(first), first, end), std::max(1u, end - 1 - first));
      }
    }
  }
  // Only what was seen is known, when the line has changed since.
  VersionedLine line(one);
  EXPECT_TRUE(line.Replace(0, line.Load(0), other));
  const Snapshot old = line.Load(1);
  EXPECT_TRUE(line.Replace(0, line.Load(0), one));
  EXPECT_EQ(line.Alike(old, 1, kCells), 1u);
}

TEST(VersionedLine, ChangesSomeCellsAtOnceAndAsksOnceForCellsThatAgree) {
  constexpr unsigned kShift = 2;
  const auto bit = [](unsigned cell) { return uint64_t{1} << (cell << kShift); };
  const Words one{.first = 1, .second = 2, .third = 3}, two{4, 5, 6, 0}, tagged{7, 8, 9, 1};
  VersionedLine line(one);
  EXPECT_TRUE(line.Replace(6, line.Load(6), tagged));
  size_t asked = 0;
  const auto after = [&](bool is_marked, const Words& words) -> std::optional<Words> {
    ++asked;
    if (words.tag != 0) return {};
    return is_marked ? two : words;
  };
  const uint64_t cells = bit(0) | bit(2) | bit(3) | bit(5) | bit(6);
  const uint64_t marked = bit(2) | bit(3);
  const VersionedLine::Changed changed = line.Change(cells, marked, kShift, after);
  EXPECT_EQ(changed.done, cells & ~bit(6));
  EXPECT_TRUE(changed.has_written);
  EXPECT_EQ(asked, 3u);
  for (unsigned i = 0; i < VersionedLine::kCells; ++i) {
    EXPECT_EQ(line.Load(i).words, i == 6 ? tagged : i == 2 || i == 3 ? two : one) << i;
  }
  const Snapshot before = line.Load(0);
  const VersionedLine::Changed again = line.Change(bit(0) | bit(5), 0, kShift, after);
  EXPECT_EQ(again.done, bit(0) | bit(5));
  EXPECT_FALSE(again.has_written);
  EXPECT_EQ(line.Load(0).version_half, before.version_half) << "nothing is written";
}

// Threads count cells up, some at a time: no count is lost, and nobody sees half a change.
TEST(VersionedLine, ChangesOfSomeCellsLookAsIfALockGuardedThem) {
  constexpr size_t kThreads = 3, kOperations = 100'000;
  VersionedLine line;
  std::atomic<size_t> wrong = 0, counted = 0;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 rng(static_cast<uint32_t>(t));
      for (size_t i = 0; i < kOperations; ++i) {
        const uint64_t cells = rng() % 255 + 1;
        const uint64_t marked = rng() & cells;
        const auto after = [&](bool is_marked, const Words& words) -> std::optional<Words> {
          const uint32_t n = words.first;
          if (!(words == Words{n, n * 3, n * 5, 0})) ++wrong;
          if (!is_marked) return words;
          return Words{n + 1, (n + 1) * 3, (n + 1) * 5, 0};
        };
        if (line.Change(cells, marked, 0, after).done != cells) ++wrong;
        counted += static_cast<size_t>(std::popcount(marked));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  size_t sum = 0;
  for (unsigned c = 0; c < VersionedLine::kCells; ++c) sum += line.Load(c).words.first;
  EXPECT_EQ(sum, counted);
}

TEST(VersionedLine, IsClearedAtOnceIfAllTagsAreZero) {
  const Words zero{}, one{.first = 1, .second = 2, .third = 3}, tagged{.tag = 1};
  VersionedLine alike(one);
  EXPECT_TRUE(alike.Clear(0, VersionedLine::kCells));
  EXPECT_TRUE(alike.Say(zero));
  VersionedLine line;
  for (unsigned i = 0; i < VersionedLine::kCells; ++i) {
    EXPECT_TRUE(line.Replace(i, line.Load(i), one));
    const Snapshot old = line.Load(i);
    EXPECT_TRUE(line.Clear(0, VersionedLine::kCells));
    EXPECT_TRUE(line.Say(zero));
    EXPECT_FALSE(line.Replace(i, old, one));
    EXPECT_TRUE(line.Replace(i, line.Load(i), tagged));
    EXPECT_FALSE(line.Clear(0, VersionedLine::kCells));
    EXPECT_EQ(line.Load(i).words, tagged);
    EXPECT_TRUE(line.Replace(i, line.Load(i), zero));
  }
}

TEST(VersionedLine, IsClearedInPartIfTheTagsThereAreZero) {
  constexpr unsigned kCells = VersionedLine::kCells;
  const Words one{.first = 1, .second = 2, .third = 3}, tagged{1, 2, 3, 1};
  for (unsigned first = 0; first < kCells; ++first) {
    for (unsigned end = first + 1; end <= kCells; ++end) {
      VersionedLine line(one);
      for (size_t times = 0; times < 2; ++times) EXPECT_TRUE(line.Clear(first, end));
      for (unsigned i = 0; i < kCells; ++i) {
        EXPECT_EQ(line.Load(i).words, i >= first && i < end ? Words{} : one);
      }
      for (unsigned i = 0; i < kCells; ++i) {
        VersionedLine other(one);
        EXPECT_TRUE(other.Replace(i, other.Load(i), tagged));
        const Snapshot old = other.Load(0);
        EXPECT_EQ(other.Clear(first, end), i < first || i >= end);
        EXPECT_EQ(other.Load(i).words, tagged);
        EXPECT_EQ(other.Replace(0, old, one), i >= first && i < end);
      }
    }
  }
}

// Two threads count the line up, from even numbers as a whole, from odd ones cell by cell, and two look
// on. Every number of a cell is made once, by one of them, and nobody sees half a change.
TEST(VersionedLine, LooksAsIfALockGuardedIt) {
  constexpr size_t kThreads = 4;
  constexpr size_t kOperations = 200'000;
  const auto nth = [](uint32_t n) { return Words{n, n * 3, n * 5, n % VersionedWords::kTags}; };
  VersionedLine line;
  std::vector<std::vector<uint32_t>> made(kThreads);  // number and cell
  std::atomic<size_t> wrong = 0;
  std::atomic<size_t> counting = kThreads / 2;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, &mine = made[t], t] {
      std::mt19937 rng(static_cast<uint32_t>(t));
      const auto look = [&](uint32_t cell) {
        const Snapshot seen = line.Load(cell);
        if (!(seen.words == nth(seen.words.first))) ++wrong;
        return seen;
      };
      if (t % 2 == 0) {
        while (counting != 0) look(rng() % VersionedLine::kCells);
        return;
      }
      for (size_t i = 0; i < kOperations; ++i) {
        const uint32_t cell = rng() % VersionedLine::kCells;
        const Snapshot seen = look(cell);
        const uint32_t n = seen.words.first;
        if (n % 2 == 0) {
          if (!line.Exchange(nth(n), nth(n + 1))) continue;
          for (uint32_t c = 0; c < VersionedLine::kCells; ++c) mine.push_back((n + 1) * 8 + c);
        } else if (line.Replace(cell, seen, nth(n + 1))) {
          mine.push_back((n + 1) * 8 + cell);
        }
      }
      --counting;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  std::vector<uint32_t> all;
  for (const std::vector<uint32_t>& mine : made) all.insert(all.end(), mine.begin(), mine.end());
  std::ranges::sort(all);
  EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
  size_t sum = 0;
  for (unsigned c = 0; c < VersionedLine::kCells; ++c) sum += line.Load(c).words.first;
  EXPECT_EQ(all.size(), sum);
  EXPECT_GT(sum, 100u);
}

}  // namespace
}  // namespace taskrace
