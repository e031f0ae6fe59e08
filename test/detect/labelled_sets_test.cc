#include "detect/ds/labelled_sets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace taskrace {
namespace {

struct Label {
  uint64_t a;
  uint32_t b;
  bool operator==(const Label&) const = default;
};

TEST(LabelledSets, TheUnionKeepsTheLabelOfTheSetItGoesInto) {
  LabelledSets<Label> sets;
  const auto a = sets.Make({1, 1});
  const auto b = sets.Make({2, 2});
  const auto c = sets.Make({3, 3});
  sets.Union(b, c);
  sets.Union(a, b);
  EXPECT_EQ(sets.LabelOf(c), (Label{1, 1}));
  sets.LabelOf(c) = {9, 9};
  EXPECT_EQ(sets.LabelOf(a), (Label{9, 9}));
}

TEST(LabelledSets, AMillionSetsThatAreUnitedTakeFourBytesEach) {
  LabelledSets<Label> sets;
  sets.Make({0, 0});
  for (uint32_t i = 1; i < 1'000'000; ++i) sets.Union(0, sets.Make({i, i}));
  EXPECT_EQ(sets.Find(0), sets.Find(999'999));
  EXPECT_EQ(sets.LabelOf(999'999), (Label{0, 0}));
  EXPECT_LE(sets.BytesUsed(), 4'000'100u);
}

// The naive one: a set is a number that every member has. Some elements are made late, so that
// records of sets that are gone are used again.
RC_GTEST_PROP(LabelledSets, BehaveLikeSetsWrittenOut,
              (std::vector<std::pair<uint8_t, uint8_t>> unions)) {
  LabelledSets<Label> sets;
  std::vector<uint32_t> set_of;
  const auto make = [&] {
    const uint32_t element = static_cast<uint32_t>(set_of.size());
    sets.Make({element, ~element});
    set_of.push_back(element);
  };
  for (int i = 0; i < 20; ++i) make();
  for (auto [x, y] : unions) {
    const uint32_t into = x % static_cast<uint32_t>(set_of.size());
    const uint32_t other = y % static_cast<uint32_t>(set_of.size());
    sets.Union(into, other);
    const uint32_t merged = set_of[other];
    for (uint32_t& set : set_of) {
      if (set == merged) set = set_of[into];
    }
    make();
  }
  for (uint32_t i = 0; i < set_of.size(); ++i) {
    RC_ASSERT(sets.LabelOf(i) == (Label{set_of[i], ~set_of[i]}));
    RC_ASSERT((sets.Find(i) == sets.Find(0)) == (set_of[i] == set_of[0]));
  }
}

}  // namespace
}  // namespace taskrace
