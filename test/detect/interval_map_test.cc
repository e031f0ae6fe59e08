// The map against an array of bytes: the cases of overlap by name, then random updates.
#include "detect/ds/interval_map.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

namespace taskrace {
namespace {

// As wide as what a history keeps.
struct Value {
  uint32_t a = 0;
  uint32_t b = 0;
  bool operator==(const Value&) const = default;
};
using Map = IntervalMap<Value>;

void Set(Map& map, uintptr_t first, uintptr_t end, uint32_t a) {
  map.Update(first, end, [a](uintptr_t, uintptr_t, const Value&) { return Value{a, 0}; });
}

// The intervals as text: "10-20=1 20-30=2".
std::string Text(const Map& map) {
  std::string text;
  map.ForEach([&](uintptr_t first, uintptr_t end, const Value& value) {
    if (!text.empty()) text += ' ';
    text += std::to_string(first) + "-" + (end == Map::kLimit ? "" : std::to_string(end)) + "=" +
            std::to_string(value.a);
  });
  return text;
}

// 20-30=1, 40-50=2, 50-60=3, and then [first, end)=9.
std::string After(uintptr_t first, uintptr_t end, uint32_t a = 9) {
  Map map;
  Set(map, 20, 30, 1);
  Set(map, 40, 50, 2);
  Set(map, 50, 60, 3);
  Set(map, first, end, a);
  map.CheckInvariant();
  return Text(map);
}

TEST(IntervalMap, NothingIsKnownAtFirst) {
  Map map;
  map.CheckInvariant();
  EXPECT_EQ(Text(map), "");
  EXPECT_EQ(map.At(17), Value{});
  EXPECT_EQ(map.BytesUsed(), 0u);
}

TEST(IntervalMap, AnEmptyRangeChangesNothing) {
  Map map;
  Set(map, 5, 5, 1);
  Set(map, 6, 5, 1);
  EXPECT_EQ(Text(map), "");
}

TEST(IntervalMap, BeforeAllIntervals) { EXPECT_EQ(After(3, 7), "3-7=9 20-30=1 40-50=2 50-60=3"); }
TEST(IntervalMap, BehindAllIntervals) {
  EXPECT_EQ(After(70, 80), "20-30=1 40-50=2 50-60=3 70-80=9");
}
TEST(IntervalMap, InAGap) { EXPECT_EQ(After(33, 37), "20-30=1 33-37=9 40-50=2 50-60=3"); }
TEST(IntervalMap, AllOfAGap) { EXPECT_EQ(After(30, 40), "20-30=1 30-40=9 40-50=2 50-60=3"); }
TEST(IntervalMap, ExactlyAnInterval) { EXPECT_EQ(After(40, 50), "20-30=1 40-50=9 50-60=3"); }
TEST(IntervalMap, InsideAnInterval) {
  EXPECT_EQ(After(43, 47), "20-30=1 40-43=2 43-47=9 47-50=2 50-60=3");
}
TEST(IntervalMap, TheBeginningOfAnInterval) {
  EXPECT_EQ(After(40, 45), "20-30=1 40-45=9 45-50=2 50-60=3");
}
TEST(IntervalMap, TheEndOfAnInterval) {
  EXPECT_EQ(After(45, 50), "20-30=1 40-45=2 45-50=9 50-60=3");
}
TEST(IntervalMap, OverTheBeginningOfAnInterval) {
  EXPECT_EQ(After(35, 45), "20-30=1 35-45=9 45-50=2 50-60=3");
}
TEST(IntervalMap, OverTheEndOfAnInterval) {
  EXPECT_EQ(After(25, 35), "20-25=1 25-35=9 40-50=2 50-60=3");
}
TEST(IntervalMap, OverTheBorderOfTwoIntervals) {
  EXPECT_EQ(After(45, 55), "20-30=1 40-45=2 45-55=9 55-60=3");
}
TEST(IntervalMap, OverAWholeInterval) { EXPECT_EQ(After(15, 35), "15-35=9 40-50=2 50-60=3"); }
TEST(IntervalMap, OverSeveralIntervalsAndGaps) { EXPECT_EQ(After(10, 70), "10-70=9"); }
TEST(IntervalMap, OverSeveralWithPartsLeftOnBothSides) {
  EXPECT_EQ(After(25, 55), "20-25=1 25-55=9 55-60=3");
}
TEST(IntervalMap, AllAddresses) { EXPECT_EQ(After(0, Map::kLimit), "0-=9"); }
TEST(IntervalMap, TheFirstAddress) { EXPECT_EQ(After(0, 1), "0-1=9 20-30=1 40-50=2 50-60=3"); }

TEST(IntervalMap, EqualNeighboursAreOneInterval) {
  EXPECT_EQ(After(10, 20, 1), "10-30=1 40-50=2 50-60=3") << "on the right";
  EXPECT_EQ(After(30, 35, 1), "20-35=1 40-50=2 50-60=3") << "on the left";
  EXPECT_EQ(After(40, 50, 3), "20-30=1 40-60=3") << "what was between is gone";
  EXPECT_EQ(After(50, 60, 2), "20-30=1 40-60=2");
}
TEST(IntervalMap, AnIntervalThatFillsTheGapJoinsBothSides) {
  Map map;
  Set(map, 10, 20, 1);
  Set(map, 30, 40, 1);
  Set(map, 20, 30, 1);
  EXPECT_EQ(Text(map), "10-40=1");
}
TEST(IntervalMap, WhatIsAlreadySaidChangesNothing) {
  EXPECT_EQ(After(42, 48, 2), "20-30=1 40-50=2 50-60=3");
  EXPECT_EQ(After(33, 37, 0), "20-30=1 40-50=2 50-60=3");
}
TEST(IntervalMap, AnIntervalSetBackToNothingLeavesAGap) {
  EXPECT_EQ(After(45, 55, 0), "20-30=1 40-45=2 55-60=3");
  EXPECT_EQ(After(0, Map::kLimit, 0), "");
}

TEST(IntervalMap, EveryPartIsShownOnceAndInOrder) {
  Map map;
  Set(map, 20, 30, 1);
  Set(map, 40, 50, 2);
  Set(map, 50, 60, 3);
  std::string seen;
  map.Update(25, 55, [&](uintptr_t first, uintptr_t end, const Value& value) {
    seen += std::to_string(first) + "-" + std::to_string(end) + "=" + std::to_string(value.a) + " ";
    return value;
  });
  EXPECT_EQ(seen, "25-30=1 30-40=0 40-50=2 50-55=3 ");
}

// So that leaves and nodes split, and are joined again.
constexpr uintptr_t kMany = 50'000;

TEST(IntervalMap, ASweepFillsItsLeaves) {
  Map map;
  for (uint32_t i = 0; i < kMany; ++i) Set(map, 16 * i, 16 * i + 8, i + 1);
  map.CheckInvariant();
  EXPECT_EQ(map.Size(), 2 * kMany);
  EXPECT_LE(map.BytesUsed(), 2 * kMany * 20);
  EXPECT_LE(map.Height(), 3u);
  for (uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(map.At(16 * i + 7).a, i + 1);
}

TEST(IntervalMap, ASweepDownwardsFillsItsLeavesByHalf) {
  Map map;
  for (uint32_t i = kMany; i-- > 0;) Set(map, 16 * i, 16 * i + 8, i + 1);
  map.CheckInvariant();
  EXPECT_LE(map.BytesUsed(), 2 * kMany * 34);
}

TEST(IntervalMap, OneIntervalOverAllOfThemGivesTheirMemoryBack) {
  Map map;
  for (uint32_t i = 0; i < kMany; ++i) Set(map, 16 * i, 16 * i + 8, i + 1);
  Set(map, 0, 16 * kMany, 1);
  map.CheckInvariant();
  EXPECT_EQ(map.Size(), 2u);
  EXPECT_EQ(map.Height(), 1u);
  EXPECT_LE(map.BytesUsed(), 1024u);
}

TEST(IntervalMap, IntervalsThatGoOneByOneGiveTheirMemoryBack) {
  Map map;
  for (uint32_t i = 0; i < kMany; ++i) Set(map, 16 * i, 16 * i + 8, i + 1);
  for (uint32_t i = 0; i < kMany; ++i) {
    const uintptr_t at = 16 * ((i * 7919) % kMany);
    Set(map, at, at + 8, 0);
    if (i % 5'000 == 0) map.CheckInvariant();
  }
  EXPECT_EQ(map.Size(), 1u);
  EXPECT_LE(map.BytesUsed(), 1024u);
}

TEST(IntervalMap, ARangeWhereNothingChangesMakesNoNodes) {
  Map map;
  for (uint32_t i = 0; i < kMany; ++i) Set(map, 16 * i, 16 * i + 8, i + 1);
  const size_t bytes = map.BytesUsed();
  size_t parts = 0;
  map.Update(3, 16 * kMany - 3, [&](uintptr_t, uintptr_t, const Value& value) {
    ++parts;
    return value;
  });
  EXPECT_EQ(parts, 2 * kMany);
  EXPECT_EQ(map.BytesUsed(), bytes);
  map.CheckInvariant();
}

// Whatever leaves the two lie in, and however full those are.
TEST(IntervalMap, AnIntervalThatBecomesLikeTheNextJoinsItThoughMoreFollows) {
  constexpr uint32_t kSize = 4;
  for (uint32_t intervals = 60; intervals < 140; ++intervals) {
    for (uint32_t changed = 45; changed + 4 < intervals; ++changed) {
      Map map;
      for (uint32_t i = 0; i < intervals; ++i) Set(map, kSize * i, kSize * (i + 1), i + 1);
      const uint32_t late = intervals - 2;
      map.Update(kSize * changed, kSize * late + 2,
                 [=](uintptr_t first, uintptr_t, const Value& v) {
                   if (first == kSize * changed) return Value{v.a + 1, 0};
                   return first == kSize * late ? Value{v.a + 1'000, 0} : v;
                 });
      map.CheckInvariant();
      ASSERT_EQ(map.Size(), intervals + 1) << "one less, one more, and nothing at the end";
      ASSERT_EQ(map.At(kSize * changed).a, changed + 2);
      ASSERT_EQ(map.At(kSize * late).a, late + 1'001);
      ASSERT_EQ(map.At(kSize * late + 2).a, late + 1);
    }
  }
}

// A plain array beside the map.
class Compared {
 public:
  explicit Compared(size_t bytes) : bytes_(bytes) {}

  // kind 0: one value for all of it; 1: all of it changes; 2: only what is there changes;
  // 3: one value becomes another; 4: forgotten.
  void Update(unsigned kind, uintptr_t first, uintptr_t end, uint32_t a) {
    const auto become = [=](const Value& v) -> Value {
      if (kind == 0) return {a, 0};
      if (kind == 1) return {v.a, a};
      if (kind == 2) return v.a == 0 ? v : Value{(v.a + a) % 3, v.b};
      if (kind == 3) return v.a == a ? Value{a + 1, v.b} : v;
      return {};
    };
    uintptr_t next = first;
    map_.Update(first, end, [&](uintptr_t from, uintptr_t to, const Value& v) {
      RC_ASSERT(from == next);
      RC_ASSERT(to > from && to <= end);
      RC_ASSERT(std::all_of(bytes_.begin() + from, bytes_.begin() + to,
                            [&](const Value& byte) { return byte == v; }));
      next = to;
      return become(v);
    });
    RC_ASSERT(next == std::max(first, end));
    for (uintptr_t i = first; i < end; ++i) bytes_[i] = become(bytes_[i]);
  }

  void Check() const {
    map_.CheckInvariant();
    std::vector<Value> said(bytes_.size());
    map_.ForEach([&](uintptr_t first, uintptr_t end, const Value& value) {
      for (uintptr_t i = first; i < end; ++i) said.at(i) = value;
    });
    RC_ASSERT(said == bytes_);
    for (size_t i = 0; i < bytes_.size(); i += 37) RC_ASSERT(map_.At(i) == bytes_[i]);
  }

 private:
  Map map_;
  std::vector<Value> bytes_;
};

TEST(IntervalMap, AgreesWithBytesOnFewIntervals) {
  EXPECT_TRUE(rc::check([] {
    Compared compared(40);
    const auto count = *rc::gen::inRange(1, 60);
    for (int i = 0; i < count; ++i) {
      const auto first = *rc::gen::inRange<uintptr_t>(0, 40);
      const auto end = *rc::gen::inRange<uintptr_t>(first, 41);
      compared.Update(*rc::gen::inRange(0u, 5u), first, end, *rc::gen::inRange(0u, 4u));
      compared.Check();
    }
  }));
}

// Thousands of intervals, then long ranges over them: nodes of all levels split and are joined.
TEST(IntervalMap, AgreesWithBytesOnManyIntervals) {
  EXPECT_TRUE(rc::check([] {
    constexpr uintptr_t kBytes = 30'000;
    Compared compared(kBytes);
    const auto seed = *rc::gen::arbitrary<uint32_t>();
    uint32_t state = seed;
    const auto random = [&](uint32_t below) {
      state = state * 1664525 + 1013904223;
      return static_cast<uint32_t>((uint64_t{state} * below) >> 32);
    };
    for (int phase = 0; phase < 6; ++phase) {
      const bool ascending = random(2) == 0;
      const uint32_t longest = random(2) == 0 ? 4 : random(3) == 0 ? 2'000 : 40;
      const uint32_t updates = longest > 1'000 ? 60 : 5'000;
      const uint32_t values = random(2) == 0 ? 4 : 1'000;
      uintptr_t at = 0;
      for (uint32_t i = 0; i < updates; ++i) {
        const uintptr_t size = 1 + random(longest);
        at = ascending ? at + random(5) : random(kBytes);
        if (at + size > kBytes) at = 0;
        const unsigned kind = longest > 1'000 ? random(5) : random(4);
        compared.Update(kind, at, at + size, random(kind == 0 ? values : 3));
        at += ascending ? size : 0;
      }
      compared.Check();
    }
  }));
}

}  // namespace
}  // namespace taskrace
