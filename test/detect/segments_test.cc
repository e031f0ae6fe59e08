// Segments: whose a strand is after the newest segments were dropped.
#include "detect/reach/segments.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace taskrace {
namespace {

struct Segment {
  StrandId first;
  uint32_t name;
};

TEST(Segments, AStrandBelongsToTheSegmentThatItEntered) {
  Segments<Segment> segments;
  const uint32_t a = segments.Begin({StrandId{5}, 1});
  segments.Enter(StrandId{5}, a, kRootTask);
  const uint32_t b = segments.Begin({StrandId{6}, 2});
  segments.Enter(StrandId{6}, b, kRootTask);
  segments.Enter(StrandId{7}, a, kRootTask);
  EXPECT_EQ(segments.Of(StrandId{5}).name, 1u);
  EXPECT_EQ(segments.Of(StrandId{6}).name, 2u);
  EXPECT_EQ(segments.Of(StrandId{7}).name, 1u);
}

TEST(Segments, StrandsOfDroppedSegmentsBelongToTheNewestThatIsLeft) {
  Segments<Segment> segments;
  const uint32_t a = segments.Begin({StrandId{1}, 1});
  segments.Enter(StrandId{1}, a, kRootTask);
  segments.Enter(StrandId{2}, segments.Begin({StrandId{2}, 2}), TaskId{7});
  segments.Drop(1);
  EXPECT_EQ(segments.Of(StrandId{2}).name, 1u) << "its number is too large";
  EXPECT_EQ(segments.TaskOf(StrandId{2}), TaskId{7}) << "it is not of another task";
  segments.Enter(StrandId{3}, segments.Begin({StrandId{3}, 3}), kRootTask);
  segments.Drop(1);
  segments.Enter(StrandId{4}, segments.Begin({StrandId{4}, 4}), kRootTask);
  EXPECT_EQ(segments.Of(StrandId{3}).name, 1u) << "its number is another one's by now";
  EXPECT_EQ(segments.Of(StrandId{4}).name, 4u);
}

TEST(Segments, AStrandThatWasMovedStaysThereUntilThatIsDropped) {
  Segments<Segment> segments;
  segments.Enter(StrandId{1}, segments.Begin({StrandId{1}, 1}), kRootTask);
  const uint32_t b = segments.Begin({StrandId{1}, 2});
  segments.Enter(StrandId{2}, segments.Begin({StrandId{2}, 3}), kRootTask);
  segments.Move(StrandId{2}, b);
  segments.Drop(2);
  EXPECT_EQ(segments.Of(StrandId{2}).name, 2u);
  segments.Drop(1);
  EXPECT_EQ(segments.Of(StrandId{2}).name, 1u);
}

TEST(Segments, BehavesLikeAMapThatIsRewrittenAtEveryDrop) {
  std::mt19937 rng(1);
  for (int run = 0; run < 100; ++run) {
    Segments<Segment> segments;
    std::vector<uint32_t> names{0};  // by segment
    std::vector<uint32_t> of;        // by strand, the segment
    segments.Begin({StrandId{1}, 0});
    for (uint32_t strand = 1; strand < 200; ++strand) {
      if (rng() % 3 == 0) {
        segments.Begin({StrandId{strand}, strand});
        names.push_back(strand);
      }
      const uint32_t index = static_cast<uint32_t>(rng() % names.size());
      segments.Enter(StrandId{strand}, index, kRootTask);
      of.push_back(index);
      if (rng() % 8 == 0) {
        const size_t left = 1 + rng() % names.size();
        segments.Drop(left);
        names.resize(left);
        // Whoever has lost its segment ran after all that are left began.
        for (uint32_t& segment : of) segment = std::min<uint32_t>(segment, left - 1);
      }
      const uint32_t asked = 1 + static_cast<uint32_t>(rng() % strand);
      ASSERT_EQ(segments.Of(StrandId{asked}).name, names[of[asked - 1]]);
    }
  }
}

TEST(Segments, TakesEightBytesAStrandAndForgetsThem) {
  Segments<Segment> segments;
  const uint32_t only = segments.Begin({StrandId{1}, 1});
  for (uint32_t i = 1; i <= 1000; ++i) segments.Enter(StrandId{i}, only, kRootTask);
  EXPECT_EQ(segments.BytesUsed(), 8 * 1000 + sizeof(Segment));
  segments.ForgetStrands();
  segments.Enter(StrandId{1001}, only, kRootTask);
  EXPECT_EQ(segments.Of(StrandId{1001}).name, 1u);
  EXPECT_EQ(segments.BytesUsed(), 8 + sizeof(Segment));
}

}  // namespace
}  // namespace taskrace
