#include "detect/access_log.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>

namespace taskrace {
namespace {

constexpr uintptr_t kBase = 0x7000'0000'0000;

class AccessLogTest : public testing::Test {
 protected:
  static RacingAccess By(uint32_t strand, AccessKind kind = AccessKind::kRead,
                         LockSet locks = kNoLocks) {
    return {StrandId{strand}, kind, locks};
  }
  void Touch(uint32_t strand, uint32_t code, uintptr_t first, size_t size = 8) {
    log->Add(By(strand), Where{code}, {first, size});
  }
  uint32_t CodeOf(const RacingAccess& by, uintptr_t byte) {
    return static_cast<uint32_t>(log->Find(by, byte).code);
  }

  std::unique_ptr<AccessLog> log = std::make_unique<AccessLog>();
};

TEST_F(AccessLogTest, EachStrandHasItsOwnPlaceForAByte) {
  Touch(1, 100, kBase);
  Touch(2, 200, kBase);
  EXPECT_EQ(CodeOf(By(1), kBase + 7), 100u);
  EXPECT_EQ(CodeOf(By(2), kBase), 200u);
}
TEST_F(AccessLogTest, ALoopIsOneEntryForEachOfItsAccesses) {
  Touch(1, 100, kBase);
  const size_t one = log->BytesUsed();
  for (uintptr_t i = 1; i < 1000; ++i) {
    Touch(1, 100, kBase + 8 * i);
    Touch(1, 200, kBase + 100'000 - 16 * i);
  }
  EXPECT_EQ(log->BytesUsed() - one, 16u);
  EXPECT_EQ(CodeOf(By(1), kBase + 8 * 500), 100u);
  const AccessLog::Found found = log->Find(By(1), kBase + 100'000 - 16 * 500 + 3);
  EXPECT_EQ(found.code, Where{200});
  EXPECT_EQ(found.first, kBase + 100'000 - 16 * 500);
  EXPECT_EQ(found.end, found.first + 8);
}
TEST_F(AccessLogTest, TheLastAccessHoldsWhereMemoryWasUsedAgain) {
  Touch(1, 100, kBase, 16);
  Touch(1, 200, kBase + 8, 4);
  EXPECT_EQ(CodeOf(By(1), kBase + 4), 100u);
  EXPECT_EQ(CodeOf(By(1), kBase + 11), 200u);
  EXPECT_EQ(CodeOf(By(1), kBase + 12), 100u);
  EXPECT_EQ(log->Find(By(1), kBase + 4).end, kBase + 8);
}
TEST_F(AccessLogTest, KindsAndLocksAreToldApart) {
  log->Add(By(1), Where{100}, {kBase, 8});
  log->Add(By(1, AccessKind::kWrite), Where{200}, {kBase, 8});
  log->Add(By(1, AccessKind::kRead, LockSet{1}), Where{300}, {kBase, 8});
  log->Add(By(1), Where{400}, {kBase + 8, 8});
  EXPECT_EQ(CodeOf(By(1), kBase), 100u);
  EXPECT_EQ(CodeOf(By(1, AccessKind::kWrite), kBase), 200u);
  EXPECT_EQ(CodeOf(By(1, AccessKind::kRead, LockSet{1}), kBase), 300u);
  EXPECT_EQ(CodeOf(By(1), kBase + 8), 400u);
}
TEST_F(AccessLogTest, AnAnswerIsNotKeptWhileTheStrandGoesOn) {
  Touch(1, 100, kBase);
  EXPECT_EQ(CodeOf(By(1), kBase), 100u);
  Touch(1, 200, kBase + 64);
  EXPECT_EQ(CodeOf(By(1), kBase + 64), 200u);
  Touch(2, 300, kBase);
  EXPECT_EQ(CodeOf(By(1), kBase + 64), 200u);
}
TEST_F(AccessLogTest, RowsAreFoundOnEveryPage) {
  for (const ptrdiff_t stride : {ptrdiff_t{5000}, ptrdiff_t{-5000}, ptrdiff_t{10}}) {
    const uint32_t strand = static_cast<uint32_t>(stride + 6000);
    log = std::make_unique<AccessLog>();
    log->Add(By(strand), Where{100}, {kBase, 24, 100, stride});
    for (int row = 0; row < 100; ++row) {
      const uintptr_t first = kBase + static_cast<uintptr_t>(row * stride);
      EXPECT_EQ(CodeOf(By(strand), first), 100u);
      EXPECT_EQ(CodeOf(By(strand), first + 23), 100u);
    }
  }
}
TEST_F(AccessLogTest, AHugeRangeIsFoundAtItsEnd) {
  constexpr size_t kHuge = size_t{5} << 30;
  Touch(1, 100, kBase, kHuge);
  EXPECT_EQ(CodeOf(By(1), kBase + kHuge - 1), 100u);
}
TEST_F(AccessLogTest, CollectionKeepsWhatIsMarkedAndNothingElse) {
  for (uint32_t strand = 1; strand <= 1000; ++strand) Touch(strand, 1000 + strand, kBase);
  const size_t before = log->BytesUsed();
  log->Collect(
      before,
      [](auto mark) {
        for (uint32_t strand = 10; strand <= 1000; strand += 10) mark(StrandId{strand});
      },
      [](StrandId, uintptr_t, size_t) { return false; });
  EXPECT_EQ(log->BytesUsed(), before / 10);
  for (uint32_t strand = 10; strand <= 1000; strand += 10) {
    EXPECT_EQ(CodeOf(By(strand), kBase), 1000u + strand);
  }
  Touch(1001, 7, kBase);
  EXPECT_EQ(CodeOf(By(1001), kBase), 7u);
}

// Where the log is larger than what it is for.
TEST_F(AccessLogTest, CollectionAsksForEachEntryWhetherItsBytesHaveTheStrand) {
  for (uint32_t strand = 1; strand <= 100; ++strand) {
    Touch(strand, 1, kBase);
    Touch(strand, 2, kBase + 64);
    log->Add(By(strand), Where{3}, {kBase + 5000, 8, 10, -100});
  }
  std::set<std::pair<uintptr_t, size_t>> asked;
  log->Collect(
      /*others=*/0,
      [](auto mark) {
        for (uint32_t strand = 1; strand <= 100; ++strand) mark(StrandId{strand});
      },
      [&](StrandId strand, uintptr_t first, size_t size) {
        asked.insert({first - kBase, size});
        return first == kBase + 64 && Index(strand) % 2 == 0;
      });
  EXPECT_EQ(asked, (std::set<std::pair<uintptr_t, size_t>>{{0, 8}, {64, 8}, {4100, 908}}));
  EXPECT_EQ(log->BytesUsed(), 50u * (16 + 12));
  EXPECT_EQ(CodeOf(By(100), kBase + 64), 2u);
}
// Some are asked for first; most of them are remembered, and so are most of the others.
TEST_F(AccessLogTest, CollectionDoesNotAskForEachEntryInVain) {
  constexpr uint32_t kStrands = 6'400;
  for (uint32_t strand = 1; strand <= kStrands; ++strand) Touch(strand, 1, kBase + 64 * strand);
  size_t asked = 0;
  const size_t before = log->BytesUsed();
  log->Collect(
      /*others=*/0,
      [](auto mark) {
        for (uint32_t strand = 1; strand <= kStrands; ++strand) mark(StrandId{strand});
      },
      [&](StrandId strand, uintptr_t, size_t) { return ++asked, Index(strand) % 5 != 0; });
  EXPECT_EQ(asked, kStrands / 64);
  EXPECT_EQ(log->BytesUsed(), before);
}
TEST_F(AccessLogTest, WhatAnEntryHasNoRoomForIsInSeveral) {
  struct {
    size_t size, count;
    ptrdiff_t stride;
  } const cases[] = {{8, 5000, 8},          {8, 5000, -8},        {100, 20, 1 << 21},
                     {100, 20, -(1 << 21)}, {100, 20, 1 << 22},   {100, 20, (1 << 21) - 1},
                     {16'382, 20, 20'000},  {16'383, 20, 20'000}, {1 << 20, 3, 1 << 20},
                     {1, 1'023, 1},         {1, 1'024, 1},        {3, 40, -(1 << 22)}};
  for (const auto& [size, count, stride] : cases) {
    for (const bool one_by_one : {false, true}) {
      log = std::make_unique<AccessLog>();
      if (one_by_one) {
        for (size_t i = 0; i < count; ++i) {
          Touch(1, 7, kBase + i * static_cast<uintptr_t>(stride), size);
        }
      } else {
        log->Add(By(1), Where{7}, {kBase, size, count, stride});
      }
      for (size_t i = 0; i < count; ++i) {
        const uintptr_t first = kBase + i * static_cast<uintptr_t>(stride);
        const AccessLog::Found found = log->Find(By(1), first + size - 1);
        ASSERT_EQ(found.first, first) << size << " " << count << " " << stride << " " << i;
        ASSERT_EQ(found.size, size);
        ASSERT_EQ(found.code, Where{7});
      }
    }
  }
}
TEST_F(AccessLogTest, NobodyGoesOnInAnEntryThatIsNoMore) {
  const AccessLog::Caller one{0x1000, 1}, two{0x1001, 1};
  log->Add(By(1), one, Where{1}, kBase, 8);
  log->Add(By(1), one, Where{1}, kBase + 8, 8);
  log->Forget(StrandId{1}, kBase, 16);
  log->Add(By(1), two, Where{2}, kBase + 800, 8);
  EXPECT_TRUE(log->AddKnown(By(1), one, kBase + 16, 8));
  EXPECT_EQ(log->Size(), 2u);
  EXPECT_EQ(CodeOf(By(1), kBase + 800), 2u);
  EXPECT_EQ(CodeOf(By(1), kBase + 16), 1u);
}
TEST_F(AccessLogTest, ACallerOfTheSamePlaceInTheTableIsAnother) {
  const AccessLog::Caller one{0x1000, 1}, two{0x2000, 1};
  EXPECT_FALSE(log->AddKnown(By(1), one, kBase, 8));
  log->Add(By(1), one, Where{1}, kBase, 8);
  EXPECT_FALSE(log->AddKnown(By(1), two, kBase + 8, 8));
  log->Add(By(1), two, Where{2}, kBase + 8, 8);
  EXPECT_FALSE(log->AddKnown(By(1), one, kBase + 16, 8));
  EXPECT_EQ(CodeOf(By(1), kBase), 1u);
  EXPECT_EQ(CodeOf(By(1), kBase + 8), 2u);
}
// Callers go on in steps or not, memory is forgotten and used again: each byte has its last caller.
TEST_F(AccessLogTest, WhoGoesOnIsFoundWhateverIsForgotten) {
  constexpr uintptr_t kBytes = 2048;
  const AccessLog::Caller callers[] = {{0x1000, 1}, {0x1001, 1}, {0x1000, 2}, {0x2001, 1}};
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    log = std::make_unique<AccessLog>();
    size_t went_on = 0;
    for (uint32_t strand = 1; strand <= 8; ++strand) {
      std::map<uintptr_t, uint32_t> code_of[2];  // by kind, of the bytes that are remembered
      uintptr_t next[std::size(callers)] = {};
      for (int i = 0; i < 200; ++i) {
        if (random() % 16 == 0) {
          const uintptr_t first = random() % kBytes, size = 1 + random() % 128;
          log->Forget(StrandId{strand}, kBase + first, size);
          for (auto& codes : code_of) {
            codes.erase(codes.lower_bound(first), codes.lower_bound(first + size));
          }
          continue;
        }
        const uint32_t who = static_cast<uint32_t>(random() % std::size(callers));
        const size_t size = who == 3 ? 4 : 8;
        const AccessKind kind = who == 1 ? AccessKind::kWrite : AccessKind::kRead;
        const uintptr_t first = random() % 8 == 0 ? random() % kBytes : next[who] % kBytes;
        next[who] = first + (who == 2 ? 24 : 8);
        auto& codes = code_of[who == 1 ? 1 : 0];
        // Only first touches come to the log.
        if (codes.lower_bound(first) != codes.lower_bound(first + size)) continue;
        for (uintptr_t byte = first; byte < first + size; ++byte) codes[byte] = who + 1;
        const size_t before = log->Size();
        if (!log->AddKnown(By(strand, kind), callers[who], kBase + first, size)) {
          log->Add(By(strand, kind), callers[who], Where{who + 1}, kBase + first, size);
        }
        if (log->Size() == before) ++went_on;
      }
      for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
        for (const auto& [byte, code] : code_of[kind == AccessKind::kWrite ? 1 : 0]) {
          ASSERT_EQ(CodeOf(By(strand, kind), kBase + byte), code) << seed << " " << byte;
        }
      }
    }
    EXPECT_GT(went_on, 50u);
  }
}

}  // namespace
}  // namespace taskrace
