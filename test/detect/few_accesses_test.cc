#include "detect/few_accesses.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace taskrace {
namespace {

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;

constexpr size_t kMost = 8;
using Few = FewAccesses<kMost>;
using Told = std::vector<std::tuple<AccessKind, uintptr_t, size_t>>;

Told Flush(Few& few) {
  Told told;
  few.Flush(
      [&](AccessKind kind, uintptr_t first, size_t size) { told.emplace_back(kind, first, size); });
  return told;
}

TEST(FewAccesses, TellWritesFirstAndNeighboursTogether) {
  Few few;
  few.Add(kRead, {108, 4});
  few.Add(kWrite, {200, 8});
  few.Add(kRead, {100, 8});
  EXPECT_EQ(Flush(few), (Told{{kWrite, 200, 8}, {kRead, 100, 12}}));
  EXPECT_TRUE(few.Empty());
}

TEST(FewAccesses, KeepARepeatedAccessOnce) {
  Few few;
  for (size_t i = 0; i < 100; ++i) few.Add(kRead, {100, 8});
  EXPECT_EQ(Flush(few), (Told{{kRead, 100, 8}}));
}

TEST(FewAccesses, TellRowsBetweenRowsAsOneRange) {
  Few few;
  for (const uintptr_t row : {0, 2, 1, 3}) few.Add(kRead, {1000 + 100 * row, 100, 25, 400});
  EXPECT_EQ(Flush(few), (Told{{kRead, 1000, 10'000}}));
}

TEST(FewAccesses, TellRowsWithSpaceBetweenThemApart) {
  Few few;
  few.Add(kRead, {1000, 100, 3, 400});
  few.Add(kRead, {1100, 100, 3, 400});
  EXPECT_EQ(Flush(few), (Told{{kRead, 1000, 200}, {kRead, 1400, 200}, {kRead, 1800, 200}}));
}

TEST(FewAccesses, ForgetOnlyIfOnePieceIsLeft) {
  Few few;
  few.Add(kWrite, {100, 10});
  EXPECT_FALSE(few.CanForget(104, 2));
  EXPECT_TRUE(few.CanForget(104, 6));
  few.Forget(104, 6);
  EXPECT_EQ(Flush(few), (Told{{kWrite, 100, 4}}));
}

TEST(FewAccesses, TellExactlyTheBytesThatWereTouched) {
  std::mt19937 rng(1);
  for (size_t n = 0; n < 20'000; ++n) {
    Few few;
    std::set<uintptr_t> added[2], told[2];
    for (size_t left = kMost; left > 0 && rng() % 8 != 0; --left) {
      const AccessKind kind = rng() % 2 == 0 ? kRead : kWrite;
      const AccessLog::Touch touch{500 + rng() % 32, 1 + rng() % 8, 1 + rng() % 3,
                                   static_cast<ptrdiff_t>(rng() % 4) * 8 - 8};
      few.Add(kind, touch);
      for (size_t i = 0; i < touch.count; ++i) {
        for (size_t byte = 0; byte < touch.size; ++byte) {
          const uintptr_t at = touch.first + i * static_cast<uintptr_t>(touch.stride) + byte;
          added[IsWrite(kind)].insert(at);
          ASSERT_TRUE(few.Touches(at, 1));
        }
      }
    }
    const uintptr_t gone = 500 + rng() % 40, size = 1 + rng() % 32;
    if (rng() % 2 == 0 && few.CanForget(gone, size)) {
      few.Forget(gone, size);
      EXPECT_FALSE(few.Touches(gone, size));
      for (std::set<uintptr_t>& bytes : added) {
        std::erase_if(bytes, [&](uintptr_t at) { return at >= gone && at < gone + size; });
      }
    }
    bool reads_came = false;
    few.Flush([&](AccessKind kind, uintptr_t first, size_t size) {
      reads_came |= !IsWrite(kind);
      EXPECT_FALSE(IsWrite(kind) && reads_came);
      for (size_t byte = 0; byte < size; ++byte) told[IsWrite(kind)].insert(first + byte);
    });
    ASSERT_EQ(told[0], added[0]);
    ASSERT_EQ(told[1], added[1]);
  }
}

}  // namespace
}  // namespace taskrace
