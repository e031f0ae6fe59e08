#include "detect/ds/mapped_array.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "detect/ds/block_pool.h"
#include "detect/ds/shared_intern_table.h"

namespace taskrace {
namespace {

TEST(MappedArray, KeepsItsElementsWhileItGrows) {
  MappedArray<uint64_t> array;
  for (uint64_t i = 0; i < 100'000; ++i) array.Append(i * i);
  ASSERT_EQ(array.Size(), 100'000u);
  for (uint64_t i = 0; i < 100'000; ++i) ASSERT_EQ(array[i], i * i);
}

TEST(MappedArray, NewElementsAreZeroAlsoWhereOldOnesWere) {
  MappedArray<int> array;
  array.Resize(100'000);
  EXPECT_EQ(array[99'999], 0);
  array[7] = 1;
  array.Truncate(5);
  array.Resize(10);
  EXPECT_EQ(array[7], 0);
}

TEST(MappedArray, AppendsItsOwnElementWhenItMustMove) {
  MappedArray<uint64_t> array;
  array.Append(42);
  while (array.Size() < 1'000'000) array.Append(array[0]);
  EXPECT_EQ(array.Back(), 42u);
}

TEST(MappedArray, MapsNothingBeforeItIsUsed) { EXPECT_EQ(MappedArray<int>().BytesUsed(), 0u); }

TEST(MappedArrayDeathTest, SaysWhatItNeedsWhenMemoryRunsOut) {
  const auto exhaust = [] {
    const rlimit limit{.rlim_cur = size_t{1} << 30, .rlim_max = size_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    MappedArray<char> array("the test");
    array.Resize(size_t{1} << 31);
  };
  EXPECT_DEATH(exhaust(), "out of memory: taskrace needs 2097152 KiB more for the test");
}

TEST(MappedArrayDeathTest, LetsTheHandlerSpeakFirstWhenMemoryRunsOut) {
  const auto exhaust = [] {
    out_of_memory_handler = [](const char*) { _exit(3); };
    OutOfMemory(4096, "the test");
  };
  EXPECT_EXIT(exhaust(), testing::ExitedWithCode(3), "");
}

TEST(CheckDeathTest, AFailedCheckAsksForABugReport) {
  const int two = 2;
  EXPECT_DEATH(CHECK(two == 3, "arithmetic has changed"),
               "mapped_array_test.cc:[0-9]+: arithmetic has changed .*two == 3.*please report");
}

TEST(BlockPool, HandsOutZeroAlsoAfterReuse) {
  BlockPool<64> pool;
  char* block = static_cast<char*>(pool.AllocateZero());
  block[63] = 1;
  pool.Free(block);
  char* again = static_cast<char*>(pool.AllocateZero());
  EXPECT_EQ(again, block);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(again[i], 0);
}

TEST(BlockPool, GivesEveryBlockToOneOwner) {
  BlockPool<16> pool;
  constexpr uintptr_t kBlocks = 100'000;
  MappedArray<uintptr_t*> blocks;
  for (uintptr_t i = 0; i < kBlocks; ++i) {
    blocks.Append(static_cast<uintptr_t*>(pool.Allocate()));
    *blocks.Back() = i;
  }
  for (uintptr_t i = 0; i < kBlocks; ++i) ASSERT_EQ(*blocks[i], i);
  EXPECT_EQ(pool.BytesUsed(), kBlocks * 16);
}

TEST(LimitDeathTest, IsAMessageThatSaysWhatToDo) {
  EXPECT_DEATH(
      CheckLimit(false, "it has too many tasks"),
      "taskrace: the program is too large: it has too many tasks; run it on a smaller input");
}

// All of one hash, so that few of them fill the table.
struct AlikeKey {
  uint32_t value;
  uint64_t Hash() const { return 0; }
  bool operator==(const AlikeKey&) const = default;
};
TEST(LimitDeathTest, IsMetByATableThatIsFull) {
  const auto fill = [] {
    SharedInternTable<AlikeKey> table;
    SharedInternTable<AlikeKey>::Cursor cursor;
    for (uint32_t key = 0; key < 1'000'000; ++key) table.Intern(cursor, {key});
  };
  EXPECT_DEATH(fill(), "taskrace: the program is too large: a table of the detector is full");
}

}  // namespace
}  // namespace taskrace
