#include "detect/strand_log.h"

#include <gtest/gtest.h>

#include <memory>
#include <tuple>
#include <vector>

namespace taskrace {
namespace {

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr uintptr_t kAt = 0x7000'0000'0000;

class StrandLogTest : public testing::Test {
 protected:
  using Log = StrandLog<>;
  using Told = std::vector<std::tuple<AccessKind, uintptr_t, size_t>>;

  struct Here {
    uint32_t number;
    AccessLog::Caller Caller() const { return {number, 1}; }
    Where Code() const { return Where{number}; }
  };
  auto Teller() {
    return [this](AccessKind kind, uintptr_t first, size_t size) {
      told.emplace_back(kind, first, size);
    };
  }
  RacingAccess By(AccessKind kind) const { return {strand, kind, kNoLocks}; }
  void Add(AccessKind kind, const Log::Touch& touch, uint32_t code = 1) {
    log->Add(By(kind), touch, Here{code}, Teller());
  }
  void EndStrand() {
    log->Flush(Teller());
    strand = StrandId{Index(strand) + 1};
  }
  // A strand of so many reads that lie apart.
  void Strand(size_t count, uint32_t code) {
    for (uintptr_t i = 0; i < count; ++i) Add(kRead, {kAt + 128 * i, 8}, code);
    EndStrand();
  }

  std::unique_ptr<Log> log = std::make_unique<Log>();
  StrandId strand{1};
  Told told;
};

TEST_F(StrandLogTest, AFewAccessesAreToldWritesFirst) {
  Add(kRead, {kAt, 8});
  Add(kWrite, {kAt + 64, 4});
  EXPECT_TRUE(log->IsFew());
  EXPECT_TRUE(told.empty());
  EndStrand();
  EXPECT_EQ(told, (Told{{kWrite, kAt + 64, 4}, {kRead, kAt, 8}}));
  EXPECT_TRUE(log->Empty());
}

// Somebody who waits for a flag would never be outside of the detector else.
TEST_F(StrandLogTest, AnAccessThatComesAgainAndAgainIsKnown) {
  for (size_t i = 0; i <= Log::kFew; ++i) Add(kRead, {kAt, 8});
  EXPECT_TRUE((log->Has<kRead, 8>(kAt)));
  EXPECT_FALSE((log->Has<kWrite, 8>(kAt)));
  EndStrand();
  EXPECT_EQ(told, (Told{{kRead, kAt, 8}}));
}

TEST_F(StrandLogTest, AStrandThatBeginsWhereOneHadManyCollectsBitsAtOnce) {
  Strand(100, 7);
  Add(kRead, {kAt, 8}, 7);
  EXPECT_FALSE(log->IsFew());
  EXPECT_TRUE((log->Has<kRead, 8>(kAt)));
  EndStrand();
  // It had few itself.
  Add(kRead, {kAt, 8}, 7);
  EXPECT_TRUE(log->IsFew());
  EndStrand();
  Strand(100, 7);
  Add(kRead, {kAt, 8}, 8);
  EXPECT_TRUE(log->IsFew()) << "another place";
}

TEST_F(StrandLogTest, OneAccessIsCollectedAsAnyOther) {
  const Here here{1};
  log->AddOneOfFew<kWrite>(By(kWrite), kAt, 8, here, Teller());
  for (size_t i = 1; i < Log::kFew; ++i) Add(kRead, {kAt + 128 * i, 8});
  ASSERT_FALSE(log->IsFew());
  log->AddOneOfMany<kRead>(By(kRead), kAt + 60, 8, here, Teller());         // in two lines
  log->AddOneOfMany<kRead>(By(kRead), kAt + 0x10'0000, 8, here, Teller());  // in a new page
  EXPECT_TRUE((log->Has<kWrite, 8>(kAt)));
  EXPECT_TRUE(log->HasRange<kRead>(kAt + 60, 8));
  EXPECT_TRUE((log->Has<kRead, 8>(kAt + 0x10'0000)));
  EXPECT_EQ(log->Notes().Find(By(kRead), kAt + 67).first, kAt + 60);
}

TEST_F(StrandLogTest, RowsThatLieApartAreToldAtOnceUntilTheyComeAgainAndAgain) {
  for (size_t i = 0; i < Log::kFew; ++i) Add(kRead, {kAt + 128 * i, 8});
  ASSERT_FALSE(log->IsFew());
  Add(kRead, {kAt + 0x10'0000, 8, 3, 4096});
  EXPECT_EQ(told.size(), 3u);
  const size_t entries = log->Notes().Size();
  for (size_t i = 0; i < 10'000; ++i) Add(kRead, {kAt + 0x10'0000, 8, 3, 4096});
  EXPECT_LT(told.size(), 1'000u);
  EXPECT_LT(log->Notes().Size() - entries, 100u);
}

TEST_F(StrandLogTest, WhatIsForgottenIsNotTold) {
  for (const size_t others : {0u, 100u}) {
    Add(kWrite, {kAt, 64});
    for (uintptr_t i = 1; i <= others; ++i) Add(kRead, {kAt + 4096 * i, 8});
    EXPECT_TRUE(log->Touches(kAt + 8, 8));
    log->Forget(strand, kAt + 8, 8, Teller());
    EXPECT_FALSE(log->Touches(kAt + 8, 8));
    EXPECT_TRUE(log->Touches(kAt + 16, 8));
    told.clear();
    EndStrand();
    ASSERT_EQ(told.size(), 2 + others);
    EXPECT_EQ(told[0], std::tuple(kWrite, kAt, 8));
    EXPECT_EQ(told[1], std::tuple(kWrite, kAt + 16, 48));
  }
}

TEST_F(StrandLogTest, BytesCanBeToldBeforeTheOthers) {
  for (const size_t others : {1u, 100u}) {
    Add(kWrite, {kAt, 8});
    for (uintptr_t i = 1; i <= others; ++i) Add(kRead, {kAt + 4096 * i, 8});
    log->FlushBytes(kAt + 16, 8, Teller());
    EXPECT_TRUE(told.empty());
    log->FlushBytes(kAt, 4, Teller());
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(std::get<1>(told[0]), kAt);
    EXPECT_FALSE(log->Touches(kAt, 4));
    EndStrand();
    told.clear();
  }
}

}  // namespace
}  // namespace taskrace
