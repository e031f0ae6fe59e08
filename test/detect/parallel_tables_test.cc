// The tables that workers share: entries and pages that are added at the same time.
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "detect/ds/shared_intern_table.h"
#include "detect/ds/shared_table.h"
#include "detect/parallel/shadow_directory.h"

namespace taskrace {
namespace {

struct Entry {
  uint64_t thread;
  uint64_t number;
};

TEST(SharedTable, GivesEveryEntryANumberOfItsOwn) {
  constexpr size_t kThreads = 4;
  constexpr size_t kEntries = 20'000;
  SharedTable<Entry> table;
  std::vector<std::vector<uint32_t>> numbers(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&table, &mine = numbers[t], t] {
      SharedTable<Entry>::Cursor cursor;
      for (size_t i = 0; i < kEntries; ++i) mine.push_back(table.Add(cursor, Entry{t, i}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<uint32_t> all;
  for (size_t t = 0; t < kThreads; ++t) {
    for (size_t i = 0; i < kEntries; ++i) {
      const uint32_t number = numbers[t][i];
      EXPECT_TRUE(all.insert(number).second);
      EXPECT_EQ(table[number].thread, t);
      EXPECT_EQ(table[number].number, i);
    }
  }
  EXPECT_FALSE(all.contains(0));
}

TEST(SharedTable, TakesItsMemoryAsItGrows) {
  SharedTable<Entry> table;
  SharedTable<Entry>::Cursor cursor;
  table.Add(cursor, Entry{});
  EXPECT_LE(table.BytesUsed(), 2 * SharedTable<Entry>::kBlock * sizeof(Entry));
}

struct Key {
  uint64_t value;
  // Few different ones, so that entries meet in the same slots.
  uint64_t Hash() const { return value % 97 * 31; }
  bool operator==(const Key&) const = default;
};

TEST(SharedInternTable, GivesEqualEntriesEqualNumbersOnAllThreads) {
  constexpr size_t kThreads = 4;
  constexpr uint64_t kKeys = 3'000;
  SharedInternTable<Key> table;
  std::vector<std::vector<uint32_t>> numbers(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&table, &mine = numbers[t]] {
      SharedInternTable<Key>::Cursor cursor;
      for (uint64_t key = 0; key < kKeys; ++key) mine.push_back(table.Intern(cursor, {key}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 1; t < kThreads; ++t) EXPECT_EQ(numbers[t], numbers[0]);
  EXPECT_EQ(std::set<uint32_t>(numbers[0].begin(), numbers[0].end()).size(), kKeys);
  for (uint64_t key = 0; key < kKeys; ++key) EXPECT_EQ(table[numbers[0][key]].value, key);
}

// As whoever first needs cells does it.
ShadowDirectory::Page OpenPage(ShadowDirectory& directory, ShadowDirectory::Cursor& cursor,
                               uintptr_t address, unsigned shift) {
  for (;;) {
    if (const auto page = directory.FindOpen(cursor, address); page.lines != nullptr) return page;
    const VersionedWords::Snapshot seen = directory.FindOrMake(address).Load();
    if (seen.words.tag != ShadowDirectory::kOpen) directory.Open(cursor, address, seen, shift);
  }
}

TEST(ShadowDirectory, GivesAllWorkersTheSameCells) {
  constexpr size_t kThreads = 4;
  constexpr size_t kPages = 500;
  ShadowDirectory directory;
  std::vector<ShadowDirectory::Cursor> cursors(kThreads);
  std::vector<std::vector<VersionedLine*>> cells(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uintptr_t page = 0; page < kPages; ++page) {
        // Far apart, so that leaves are made at the same time too.
        const uintptr_t address = page << (page % 2 == 0 ? 12 : 38);
        cells[t].push_back(OpenPage(directory, cursors[t], address, t % 2 == 0 ? 3 : 2).lines);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 1; t < kThreads; ++t) EXPECT_EQ(cells[t], cells[0]);
}

TEST(ShadowDirectory, HasCellsAsWhoeverOpensThePageWantsThem) {
  ShadowDirectory directory;
  ShadowDirectory::Cursor one, two;
  EXPECT_EQ(directory.Find(0x5000), nullptr);
  EXPECT_EQ(OpenPage(directory, one, 0x5004, 2).shift, 2u);
  EXPECT_EQ(OpenPage(directory, two, 0x5008, 3).shift, 2u);
  EXPECT_EQ(OpenPage(directory, two, 0x6008, 3).shift, 3u);
  EXPECT_EQ(directory.SkipMissing(0x5000, 0x9000), 0x5000u);
  EXPECT_EQ(directory.SkipMissing(uintptr_t{1} << 40, (uintptr_t{1} << 40) + 64),
            (uintptr_t{1} << 40) + 64);
}

TEST(ShadowDirectory, CellsSayWhatThePageSaid) {
  ShadowDirectory directory;
  ShadowDirectory::Cursor cursor;
  VersionedWords& page = directory.FindOrMake(0x5000);
  const VersionedWords::Words words{.first = 7, .second = 8, .third = 9, .tag = 0};
  const VersionedWords::Snapshot empty = page.Load();
  ASSERT_TRUE(page.Replace(empty, words));
  // Seen before the change: it is not opened, and nothing of the attempt is left.
  EXPECT_EQ(directory.Open(cursor, 0x5000, empty, 3).lines, nullptr);
  const ShadowDirectory::Page opened = directory.Open(cursor, 0x5000, page.Load(), 3);
  for (size_t cell = 0; cell < 512; ++cell) EXPECT_EQ(opened[cell].Load().words, words);
  EXPECT_EQ(directory.FindOpen(cursor, 0x5abc).lines, opened.lines);
  EXPECT_EQ(directory.Open(cursor, 0x5000, empty, 3).lines, nullptr);
  const ShadowDirectory::Page other = OpenPage(directory, cursor, 0x6000, 3);
  for (size_t cell = 0; cell < 512; ++cell) {
    EXPECT_EQ(other[cell].Load().words, VersionedWords::Words{});
  }
}

}  // namespace
}  // namespace taskrace
