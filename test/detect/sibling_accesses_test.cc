#include "detect/sibling_accesses.h"

#include <gtest/gtest.h>

namespace taskrace {
namespace {

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr AccessKind kAtomicRead = AccessKind::kAtomicRead;
constexpr AccessKind kAtomicWrite = AccessKind::kAtomicWrite;

TEST(SiblingAccesses, AnAccessStandsForOthersOfItsKind) {
  SiblingAccesses known;
  EXPECT_FALSE(known.Has(kRead, 0x1000, 4));
  known.Note(kRead, 0x1000, 4, true);
  EXPECT_TRUE(known.Has(kRead, 0x1000, 4));
  EXPECT_TRUE(known.Has(kRead, 0x1001, 2));
  EXPECT_FALSE(known.Has(kRead, 0x1000, 8)) << "four bytes were not read";
  EXPECT_FALSE(known.Has(kRead, 0x1004, 4));
  EXPECT_FALSE(known.Has(kRead, 0x2000, 4)) << "another word of the same slot";
  EXPECT_FALSE(known.Has(kAtomicRead, 0x1000, 4));
  known.Note(kRead, 0x1004, 4, true);
  EXPECT_TRUE(known.Has(kRead, 0x1000, 8));
}

TEST(SiblingAccesses, AnAtomicWriteStandsForAtomicReads) {
  SiblingAccesses known;
  known.Note(kAtomicWrite, 0x1000, 8, true);
  EXPECT_TRUE(known.Has(kAtomicWrite, 0x1000, 8));
  EXPECT_TRUE(known.Has(kAtomicRead, 0x1000, 8));
  EXPECT_FALSE(known.Has(kRead, 0x1000, 8));
  known.Note(kAtomicRead, 0x1000, 8, true);
  EXPECT_FALSE(known.Has(kAtomicWrite, 0x1000, 8)) << "a read stands for no write";
}

TEST(SiblingAccesses, WhateverElseTouchesTheWordTakesItsPlace) {
  for (const AccessKind other : {kWrite, kAtomicRead, kAtomicWrite}) {
    SiblingAccesses known;
    known.Note(kRead, 0x1000, 8, true);
    known.Note(other, 0x1004, 2, other != kWrite);
    EXPECT_FALSE(known.Has(kRead, 0x1000, 4));
    EXPECT_FALSE(known.Has(kRead, 0x1004, 1));
  }
}

TEST(SiblingAccesses, AnAccessToTwoWordsEndsWhatIsKnownOfBoth) {
  SiblingAccesses known;
  known.Note(kRead, 0x1000, 8, true);
  known.Note(kRead, 0x1008, 8, true);
  EXPECT_FALSE(known.Has(kRead, 0x1004, 8));
  known.Note(kWrite, 0x1007, 2, false);
  EXPECT_FALSE(known.Has(kRead, 0x1000, 8));
  EXPECT_FALSE(known.Has(kRead, 0x1008, 8));
}

TEST(SiblingAccesses, OtherMemoryIsNotKnown) {
  for (const size_t size : {16, 100'000}) {
    SiblingAccesses known;
    known.Note(kRead, 0x1008, 8, true);
    known.Note(kRead, 0x1010, 8, true);
    known.Forget(0x1000, size);
    EXPECT_FALSE(known.Has(kRead, 0x1008, 8));
    EXPECT_EQ(known.Has(kRead, 0x1010, 8), size == 16);
    known.Clear();
    EXPECT_FALSE(known.Has(kRead, 0x1010, 8));
  }
}

}  // namespace
}  // namespace taskrace
