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

using Found = ShadowDirectory::Found;
using Words = VersionedWords::Words;

// As whoever first needs smaller cells does it.
template <class Cell>
void Open(ShadowDirectory& directory, ShadowDirectory::Cursor& cursor, Cell&& cell,
          unsigned shift) {
  const VersionedWords::Snapshot seen = cell.Load();
  if (seen.words.tag == ShadowDirectory::kOpen) return;
  const Words open = directory.Make(cursor, seen.words, shift);
  if (!cell.Replace(seen, open)) directory.GiveBack(cursor, open);
}
CellOfLine BlockAt(const ShadowDirectory::Blocks& page, uintptr_t address) {
  return {*page.lines, static_cast<unsigned>(address % ShadowDirectory::kPageBytes /
                                             ShadowDirectory::kBlockBytes)};
}
Found OpenBlock(ShadowDirectory& directory, ShadowDirectory::Cursor& cursor, uintptr_t address,
                unsigned shift) {
  for (;;) {
    const Found found = directory.FindOpen(cursor, address);
    if (found.block.lines != nullptr) return found;
    if (found.page.lines == nullptr) {
      Open(directory, cursor, directory.FindOrMake(address), ShadowDirectory::kBlockShift);
    } else {
      Open(directory, cursor, BlockAt(found.page, address), shift);
    }
  }
}
// What the cell of the address says.
template <class Cells>
Words WordsAt(const Cells& cells, uintptr_t address) {
  const size_t cell = address % Cells::kBytes >> cells.shift;
  return ShadowDirectory::LineOf(cells, address).Load(cell % VersionedLine::kCells).words;
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
        for (uintptr_t block = 0; block < 8; ++block) {
          const Found found =
              OpenBlock(directory, cursors[t], address + block * 512, t % 2 == 0 ? 3 : 2);
          cells[t].push_back(found.page.lines);
          cells[t].push_back(found.block.lines);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 1; t < kThreads; ++t) EXPECT_EQ(cells[t], cells[0]);
  size_t bytes = 0;
  for (const ShadowDirectory::Cursor& cursor : cursors) bytes += cursor.BytesUsed();
  EXPECT_GE(bytes, kPages * (128 + 8 * 1024));
  EXPECT_LE(bytes, kPages * (128 + 8 * 2048));
}

TEST(ShadowDirectory, HasCellsAsWhoeverOpensTheBlockWantsThem) {
  ShadowDirectory directory;
  ShadowDirectory::Cursor one, two;
  EXPECT_EQ(directory.Find(0x5000), nullptr);
  EXPECT_EQ(OpenBlock(directory, one, 0x5004, 2).block.shift, 2u);
  EXPECT_EQ(OpenBlock(directory, two, 0x51f8, 3).block.shift, 2u);
  EXPECT_EQ(directory.FindOpen(two, 0x5200).block.lines, nullptr);
  EXPECT_EQ(OpenBlock(directory, two, 0x5200, 3).block.shift, 3u);
  EXPECT_EQ(OpenBlock(directory, two, 0x6008, 3).block.shift, 3u);
  EXPECT_EQ(one.BytesUsed(), 128u + 2048u);
  EXPECT_EQ(two.BytesUsed(), 1024u + 128u + 1024u);
  EXPECT_EQ(directory.SkipMissing(0x5000, 0x9000), 0x5000u);
  EXPECT_EQ(directory.SkipMissing(uintptr_t{1} << 40, (uintptr_t{1} << 40) + 64),
            (uintptr_t{1} << 40) + 64);
}

TEST(ShadowDirectory, BlocksSayWhatThePageSaidAndCellsWhatTheBlockSaid) {
  ShadowDirectory directory;
  ShadowDirectory::Cursor cursor;
  const Words of_page{.first = 7, .second = 8, .third = 9, .tag = 0}, of_block{.first = 5};
  VersionedWords& page = directory.FindOrMake(0x5000);
  ASSERT_TRUE(page.Replace(page.Load(), of_page));
  Open(directory, cursor, page, ShadowDirectory::kBlockShift);
  const ShadowDirectory::Blocks blocks = directory.FindOpen(cursor, 0x5abc).page;
  CellOfLine second = BlockAt(blocks, 0x5200);
  ASSERT_TRUE(second.Replace(second.Load(), of_block));
  const ShadowDirectory::Cells cells = OpenBlock(directory, cursor, 0x5208, 3).block;
  EXPECT_EQ(directory.FindOpen(cursor, 0x53ff).block.lines, cells.lines);
  EXPECT_EQ(directory.FindOpen(cursor, 0x5400).block.lines, nullptr);
  for (uintptr_t at = 0x5200; at < 0x5400; at += 8) EXPECT_EQ(WordsAt(cells, at), of_block);
  for (uintptr_t at = 0x5400; at < 0x6000; at += 512) EXPECT_EQ(WordsAt(blocks, at), of_page);
}

TEST(ShadowDirectory, CellsThatWereGivenBackSayNothing) {
  ShadowDirectory directory;
  ShadowDirectory::Cursor cursor;
  for (const unsigned shift : {ShadowDirectory::kBlockShift, ShadowDirectory::kWordShift,
                               ShadowDirectory::kHalfWordShift}) {
    const Words made = directory.Make(cursor, {.first = 7, .second = 8, .third = 9}, shift);
    const size_t bytes = cursor.BytesUsed();
    directory.GiveBack(cursor, made);
    EXPECT_LT(cursor.BytesUsed(), bytes);
    EXPECT_EQ(directory.Make(cursor, {}, shift), made);
    ShadowDirectory::VisitOpen(made, [](const auto& cells) {
      for (size_t i = 0; i < ShadowDirectory::LineCount(cells); ++i) {
        EXPECT_TRUE(cells.lines[i].Say({}));
      }
    });
  }
}

}  // namespace
}  // namespace taskrace
