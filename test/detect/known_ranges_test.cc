#include "detect/history/known_ranges.h"

#include <gtest/gtest.h>

#include <vector>

namespace taskrace {
namespace {

using Range = KnownRanges::Range;
constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;

TEST(KnownRangesTest, KnowsARangeOnlyAsItWas) {
  KnownRanges known;
  const Range range{kRead, 0x1000, 100, 1, 0};
  EXPECT_FALSE(known.Has(range));
  known.Add(range);
  EXPECT_TRUE(known.Has(range));
  for (const Range& other : {Range{kWrite, 0x1000, 100, 1, 0}, Range{kRead, 0x1010, 100, 1, 0},
                             Range{kRead, 0x1000, 99, 1, 0}, Range{kRead, 0x1000, 100, 2, 200}}) {
    EXPECT_FALSE(known.Has(other));
  }
}
TEST(KnownRangesTest, ForgetsWhatOverlaps) {
  // Up, down, and in one place.
  for (const Range& range : {Range{kRead, 0x2000, 16, 5, 32}, Range{kRead, 0x2080, 16, 5, -32},
                             Range{kRead, 0x2000, 0x90, 1, 0}, Range{kRead, 0x2000, 0x90, 3, 0}}) {
    KnownRanges known;
    known.Add(range);
    known.Forget(0x1000, 0x1FFF);
    known.Forget(0x2090, 0x3000);
    EXPECT_TRUE(known.Has(range));
    for (const uintptr_t byte : {0x2000, 0x208F}) {
      known.Add(range);
      known.Forget(byte, byte);
      EXPECT_FALSE(known.Has(range));
    }
  }
}
TEST(KnownRangesTest, ForgetsAll) {
  KnownRanges known;
  std::vector<Range> ranges;
  for (uintptr_t i = 0; i < 100; ++i) ranges.push_back({kWrite, 0x4000 + 80 * i, 80, 1, 0});
  for (const Range& range : ranges) known.Add(range);
  EXPECT_TRUE(known.Has(ranges.back()));
  known.ForgetAll();
  for (const Range& range : ranges) EXPECT_FALSE(known.Has(range));
}

}  // namespace
}  // namespace taskrace
