#include "detect/ds/disjoint_sets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace taskrace {
namespace {

TEST(DisjointSets, TheUnionKeepsTheLabelOfTheSetItGoesInto) {
  DisjointSets sets;
  const auto a = sets.Make(1);
  const auto b = sets.Make(2);
  const auto c = sets.Make(3);
  sets.Union(b, c);
  sets.Union(a, b);
  EXPECT_EQ(sets.LabelOf(c), 1);
  sets.Relabel(c, 9);
  EXPECT_EQ(sets.LabelOf(a), 9);
}

TEST(DisjointSets, AMillionUnionsMakeOneSetOfEightBytesAnElement) {
  DisjointSets sets;
  for (uint32_t i = 0; i < 1'000'000; ++i) sets.Make(0);
  for (uint32_t i = 1; i < 1'000'000; ++i) sets.Union(i, i - 1);
  EXPECT_EQ(sets.Find(0), sets.Find(999'999));
  EXPECT_EQ(sets.BytesUsed(), 8'000'000u);
}

// The naive one: a set is a number that every member has.
RC_GTEST_PROP(DisjointSets, BehaveLikeSetsWrittenOut,
              (std::vector<std::pair<uint8_t, uint8_t>> unions)) {
  constexpr uint32_t kElements = 256;
  DisjointSets sets;
  std::vector<uint32_t> set_of(kElements);
  std::vector<uint8_t> label_of(kElements);
  for (uint32_t i = 0; i < kElements; ++i) {
    sets.Make(static_cast<uint8_t>(i));
    set_of[i] = i;
    label_of[i] = static_cast<uint8_t>(i);
  }
  for (auto [into, other] : unions) {
    sets.Union(into, other);
    const uint32_t merged = set_of[other];
    for (uint32_t& set : set_of) {
      if (set == merged) set = set_of[into];
    }
  }
  sets.CheckInvariant();
  for (uint32_t i = 0; i < kElements; ++i) {
    RC_ASSERT(sets.LabelOf(i) == label_of[set_of[i]]);
    RC_ASSERT((sets.Find(i) == sets.Find(0)) == (set_of[i] == set_of[0]));
  }
}

}  // namespace
}  // namespace taskrace
