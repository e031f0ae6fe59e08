#include "detect/access_log.h"

#include <gtest/gtest.h>

#include <memory>

namespace taskrace {
namespace {

constexpr uintptr_t kBase = 0x7000'0000'0000;

class AccessLogTest : public testing::Test {
 protected:
  static RacingAccess By(uint32_t strand, AccessKind kind = AccessKind::kRead,
                         LockSet locks = kNoLocks) {
    return {StrandId{strand}, kind, locks};
  }
  void Touch(uint32_t strand, uintptr_t pc, uintptr_t first, size_t size = 8) {
    log->Add(By(strand), {pc, ContextId{1}}, {first, size});
  }
  uintptr_t PcOf(const RacingAccess& by, uintptr_t byte) { return log->Find(by, byte).code.pc; }

  std::unique_ptr<AccessLog> log = std::make_unique<AccessLog>();
};

TEST_F(AccessLogTest, EachStrandHasItsOwnPlaceForAByte) {
  Touch(1, 100, kBase);
  Touch(2, 200, kBase);
  EXPECT_EQ(PcOf(By(1), kBase + 7), 100u);
  EXPECT_EQ(PcOf(By(2), kBase), 200u);
}
TEST_F(AccessLogTest, ALoopIsOneEntryForEachOfItsAccesses) {
  Touch(1, 100, kBase);
  const size_t one = log->BytesUsed();
  for (uintptr_t i = 1; i < 1000; ++i) {
    Touch(1, 100, kBase + 8 * i);
    Touch(1, 200, kBase + 100'000 - 16 * i);
  }
  EXPECT_EQ(log->BytesUsed() - one, 32u);
  EXPECT_EQ(PcOf(By(1), kBase + 8 * 500), 100u);
  const AccessLog::Found found = log->Find(By(1), kBase + 100'000 - 16 * 500 + 3);
  EXPECT_EQ(found.code.pc, 200u);
  EXPECT_EQ(found.first, kBase + 100'000 - 16 * 500);
  EXPECT_EQ(found.end, found.first + 8);
}
TEST_F(AccessLogTest, TheLastAccessHoldsWhereMemoryWasUsedAgain) {
  Touch(1, 100, kBase, 16);
  Touch(1, 200, kBase + 8, 4);
  EXPECT_EQ(PcOf(By(1), kBase + 4), 100u);
  EXPECT_EQ(PcOf(By(1), kBase + 11), 200u);
  EXPECT_EQ(PcOf(By(1), kBase + 12), 100u);
  EXPECT_EQ(log->Find(By(1), kBase + 4).end, kBase + 8);
}
TEST_F(AccessLogTest, KindsAndLocksAreToldApart) {
  log->Add(By(1), {100, ContextId{1}}, {kBase, 8});
  log->Add(By(1, AccessKind::kWrite), {200, ContextId{1}}, {kBase, 8});
  log->Add(By(1, AccessKind::kRead, LockSet{1}), {300, ContextId{1}}, {kBase, 8});
  log->Add(By(1), {400, ContextId{1}}, {kBase + 8, 8});
  EXPECT_EQ(PcOf(By(1), kBase), 100u);
  EXPECT_EQ(PcOf(By(1, AccessKind::kWrite), kBase), 200u);
  EXPECT_EQ(PcOf(By(1, AccessKind::kRead, LockSet{1}), kBase), 300u);
  EXPECT_EQ(PcOf(By(1), kBase + 8), 400u);
}
TEST_F(AccessLogTest, AnAnswerIsNotKeptWhileTheStrandGoesOn) {
  Touch(1, 100, kBase);
  EXPECT_EQ(PcOf(By(1), kBase), 100u);
  Touch(1, 200, kBase + 64);
  EXPECT_EQ(PcOf(By(1), kBase + 64), 200u);
  Touch(2, 300, kBase);
  EXPECT_EQ(PcOf(By(1), kBase + 64), 200u);
}
TEST_F(AccessLogTest, RowsAreFoundOnEveryPage) {
  for (const ptrdiff_t stride : {ptrdiff_t{5000}, ptrdiff_t{-5000}, ptrdiff_t{10}}) {
    const uint32_t strand = static_cast<uint32_t>(stride + 6000);
    log = std::make_unique<AccessLog>();
    log->Add(By(strand), {100, ContextId{1}}, {kBase, 24, 100, stride});
    for (int row = 0; row < 100; ++row) {
      const uintptr_t first = kBase + static_cast<uintptr_t>(row * stride);
      EXPECT_EQ(PcOf(By(strand), first), 100u);
      EXPECT_EQ(PcOf(By(strand), first + 23), 100u);
    }
  }
}
TEST_F(AccessLogTest, AHugeRangeIsFoundAtItsEnd) {
  constexpr size_t kHuge = size_t{5} << 30;
  Touch(1, 100, kBase, kHuge);
  EXPECT_EQ(PcOf(By(1), kBase + kHuge - 1), 100u);
}
TEST_F(AccessLogTest, CollectionKeepsWhatIsMarkedAndNothingElse) {
  for (uint32_t strand = 1; strand <= 1000; ++strand) Touch(strand, 1000 + strand, kBase);
  const size_t before = log->BytesUsed();
  log->Collect([](auto mark) {
    for (uint32_t strand = 10; strand <= 1000; strand += 10) mark(StrandId{strand});
  });
  EXPECT_EQ(log->BytesUsed(), before / 10);
  for (uint32_t strand = 10; strand <= 1000; strand += 10) {
    EXPECT_EQ(PcOf(By(strand), kBase), 1000u + strand);
  }
  Touch(1001, 7, kBase);
  EXPECT_EQ(PcOf(By(1001), kBase), 7u);
}

}  // namespace
}  // namespace taskrace
