#include "detect/ds/sparse_array.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

namespace taskrace {
namespace {

// 12 bytes: elements lie across the ends of pages.
struct Element {
  uint32_t a, b, c;
};
constexpr size_t kMany = 10'000;

template <class T>
bool IsResident(const SparseArray<T>& array, size_t i) {
  const uintptr_t page = reinterpret_cast<uintptr_t>(array.Data() + i) & ~uintptr_t{4095};
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(page), 4096, &resident) == 0 && (resident & 1) != 0;
}

TEST(SparseArray, WhatIsKeptStaysAndTheRestIsZero) {
  SparseArray<Element> array;
  for (uint32_t i = 0; i < kMany; ++i) array.Append({i, i, i});
  for (size_t i = 0; i < kMany; i += 999) EXPECT_TRUE(array.Keep(i));
  EXPECT_FALSE(array.Keep(0));
  EXPECT_TRUE(array.IsKept(999));
  EXPECT_FALSE(array.IsKept(998));
  array.ForgetOthers();
  EXPECT_FALSE(array.IsKept(999));
  ASSERT_EQ(array.Size(), kMany);
  for (uint32_t i = 0; i < kMany; ++i) {
    const uint32_t expected = i % 999 == 0 ? i : 0;
    ASSERT_EQ(array[i].a, expected) << i;
    ASSERT_EQ(array[i].c, expected) << i;
  }
}

TEST(SparseArray, PagesOnWhichNothingIsKeptAreGivenBackAndNotCounted) {
  SparseArray<uint32_t> array;
  for (uint32_t i = 0; i < kMany; ++i) array.Append(i);
  const size_t before = array.BytesUsed();
  array.Keep(5000);
  array.ForgetOthers();
  EXPECT_TRUE(IsResident(array, 5000));
  EXPECT_FALSE(IsResident(array, 3000));
  // 9 whole pages, of which one is needed, and the last one.
  EXPECT_EQ(array.BytesUsed(), before - 8 * size_t{4096});
  array.Keep(5000);
  array.ForgetOthers();
  EXPECT_EQ(array.BytesUsed(), before - 8 * size_t{4096}) << "given back twice";
  std::vector<uint32_t> left;
  array.ForEach([&](size_t, uint32_t value) {
    if (value != 0) left.push_back(value);
  });
  EXPECT_EQ(left, (std::vector<uint32_t>{5000}));
}

TEST(SparseArray, GrowsAndShrinksAfterwardsAsIfNothingHadBeen) {
  SparseArray<uint64_t> array;
  for (size_t i = 0; i < kMany; ++i) array.Append(i + 1);
  array.ForgetOthers();
  array.Append(7);
  EXPECT_EQ(array[kMany], 7u);
  array.Truncate(100);
  EXPECT_EQ(array.BytesUsed(), 100 * sizeof(uint64_t));
  for (size_t i = 100; i < kMany; ++i) array.Append(i);
  EXPECT_EQ(array.BytesUsed(), kMany * sizeof(uint64_t));
  EXPECT_EQ(array[5000], 5000u);
}

TEST(SparseArray, KeepAllForgetsNothing) {
  SparseArray<uint32_t> array;
  for (uint32_t i = 0; i < kMany; ++i) array.Append(i);
  array.Keep(1);
  array.KeepAll();
  EXPECT_EQ(array[4000], 4000u);
}

}  // namespace
}  // namespace taskrace
