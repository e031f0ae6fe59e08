// What is folded and what takes a number, and how the sets grow on the shapes of programs with many
// futures. Whether the answers are right is for the oracle to say.
#include "detect/reach/donesets.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "test/detect/general_futures_events.h"

namespace taskrace {
namespace {

class DoneSetsState : public testing::Test {
 protected:
  bool InOneClass(StrandId u, StrandId v) {
    return events.engine.ReaderClass(u) == events.engine.ReaderClass(v);
  }
  bool Precedes(StrandId u) { return events.engine.Precedes(u); }
  StrandId Now() const { return events.Now(); }
  bool HasNoSets() const { return events.engine.Sets().BytesUsed() == 0; }

  Events<DoneSets> events;
};

TEST_F(DoneSetsState, ChildrenOfOneScopeAreOneClassAndThenThatOfTheStrandThatJoinsThem) {
  events.Future();
  events.End();
  const GroupId scope = events.NewGroup();
  events.Spawn(scope);
  const StrandId first = Now();
  events.End();
  const StrandId between = Now();
  events.Spawn(scope);
  const StrandId second = Now();
  events.End();
  EXPECT_TRUE(InOneClass(first, second));
  EXPECT_FALSE(InOneClass(first, between));
  EXPECT_FALSE(Precedes(second));
  events.Sync(scope);
  EXPECT_TRUE(InOneClass(first, Now()));
  EXPECT_TRUE(Precedes(first));
  EXPECT_TRUE(Precedes(second));
  EXPECT_TRUE(HasNoSets());
}

TEST_F(DoneSetsState, AsyncsOfAsyncsFoldWithTheFinishThatJoinsThem) {
  events.Open();
  events.Async();
  events.Async();
  const StrandId inner = Now();
  events.End();
  const StrandId outer = Now();
  events.End();
  EXPECT_TRUE(InOneClass(inner, outer));
  EXPECT_FALSE(Precedes(inner));
  events.Finish();
  EXPECT_TRUE(Precedes(inner));
  EXPECT_TRUE(HasNoSets());
}

TEST_F(DoneSetsState, ATaskThatMadeAFutureTakesANumber) {
  const GroupId scope = events.NewGroup();
  events.Spawn(scope);
  const StrandId before = Now();
  const TaskId future = events.Future();
  events.End();
  const StrandId after = Now();
  events.End();
  events.Spawn(scope);
  EXPECT_FALSE(InOneClass(before, after));
  EXPECT_FALSE(Precedes(before));
  events.Get(future);
  EXPECT_TRUE(Precedes(before));
  EXPECT_FALSE(Precedes(after));
  events.End();
  events.Sync(scope);
  EXPECT_TRUE(Precedes(after));
}

TEST_F(DoneSetsState, AnAsyncThatOutlivesAScopeFoldsAndSoDoesWhoMadeIt) {
  events.Open();
  const GroupId scope = events.NewGroup();
  events.Spawn(scope);
  const StrandId spawned = Now();
  events.Async();
  const StrandId async = Now();
  events.End();
  events.End();
  events.Sync(scope);
  EXPECT_TRUE(Precedes(spawned));
  EXPECT_FALSE(Precedes(async));
  EXPECT_FALSE(InOneClass(spawned, async));
  events.Finish();
  EXPECT_TRUE(Precedes(async));
  EXPECT_TRUE(HasNoSets());
}

TEST_F(DoneSetsState, AForkIsAFutureBecauseAnyoneMayJoinIt) {
  const TaskId fork = events.Create(How::kFork, GroupId{1});
  const StrandId forked = Now();
  events.End();
  const GroupId scope = events.NewGroup();
  for (int i = 0; i < 2; ++i) {
    events.Spawn(scope);
    EXPECT_FALSE(Precedes(forked));
    events.Get(fork);
    EXPECT_TRUE(Precedes(forked));
    events.End();
    EXPECT_FALSE(Precedes(forked));
  }
}

TEST_F(DoneSetsState, ScopesOfOneTaskMayBeSyncedInAnyOrder) {
  const GroupId a = events.NewGroup();
  const GroupId b = events.NewGroup();
  const GroupId c = events.NewGroup();
  std::vector<StrandId> strands;
  for (GroupId scope : {a, b, c, a}) {
    events.Spawn(scope);
    strands.push_back(Now());
    events.End();
  }
  events.Sync(b);
  EXPECT_FALSE(Precedes(strands[0]));
  EXPECT_TRUE(Precedes(strands[1]));
  EXPECT_FALSE(Precedes(strands[2]));
  events.Sync(c);
  EXPECT_TRUE(Precedes(strands[2]));
  EXPECT_FALSE(Precedes(strands[3]));
  events.Sync(a);
  EXPECT_TRUE(Precedes(strands[0]));
  EXPECT_TRUE(Precedes(strands[3]));
}

TEST_F(DoneSetsState, AGetOfATaskThatHasNotEndedLeavesTheClass) {
  const TaskId future = events.Future();
  events.Get(future);
  EXPECT_EQ(events.Outside(), &reasons::kBlocks);
}

TEST(DoneSets, AMillionSpawnsEachWithItsSyncTakeSixteenBytesAStrand) {
  constexpr uint32_t kSpawns = 1'000'000;
  Events<DoneSets> events;
  for (uint32_t i = 0; i < kSpawns; ++i) {
    const GroupId scope = events.NewGroup();
    events.Spawn(scope);
    events.End();
    events.Sync(scope);
  }
  EXPECT_TRUE(events.engine.Precedes(StrandId{2}));
  EXPECT_LE(events.engine.BytesUsed(), 16u * 3 * kSpawns);
}

TEST(DoneSets, AHundredThousandNestedSpawnsFoldIntoTheRoot) {
  constexpr uint32_t kDepth = 100'000;
  Events<DoneSets> events;
  std::vector<GroupId> scopes;
  for (uint32_t i = 0; i < kDepth; ++i) {
    scopes.push_back(events.NewGroup());
    events.Spawn(scopes.back());
  }
  const StrandId deepest = events.Now();
  for (uint32_t i = 0; i < kDepth; ++i) {
    events.End();
    events.Sync(scopes.back());
    scopes.pop_back();
  }
  EXPECT_TRUE(events.engine.Precedes(deepest));
  EXPECT_EQ(events.engine.ReaderClass(deepest), events.engine.ReaderClass(events.Now()));
}

// Which earlier futures the future i of k gets.
using Gets = std::vector<uint32_t>;
struct Shape {
  const char* name;
  Gets (*gets)(uint32_t i, uint32_t k, std::mt19937_64& rng);
  size_t most_bytes;  // a future, at k = 10 000
  size_t most_steps;  // a get
};

// Four stages an item: two in order, one in parallel, one in order.
Gets Dedup(uint32_t i, uint32_t, std::mt19937_64&) {
  Gets gets;
  if (i % 4 != 0) gets.push_back(i - 1);
  if (i >= 4 && i % 4 != 2) gets.push_back(i - 4);
  return gets;
}
// A square of blocks, each behind the one above and the one to the left.
Gets Wavefront(uint32_t i, uint32_t k, std::mt19937_64&) {
  uint32_t side = 1;
  while ((side + 1) * (side + 1) <= k) ++side;
  Gets gets;
  if (i >= side) gets.push_back(i - side);
  if (i % side != 0) gets.push_back(i - 1);
  return gets;
}
Gets TwoOf(uint32_t first, uint32_t count, std::mt19937_64& rng) {
  if (count == 0) return {};
  return {first + static_cast<uint32_t>(rng() % count),
          first + static_cast<uint32_t>(rng() % count)};
}
Gets RandomNear(uint32_t i, uint32_t, std::mt19937_64& rng) {
  const uint32_t count = std::min(i, 100u);
  return TwoOf(i - count, count, rng);
}
Gets RandomFar(uint32_t i, uint32_t, std::mt19937_64& rng) { return TwoOf(0, i, rng); }
// Twenty layers, two of the layer before: the bad case.
Gets Layers(uint32_t i, uint32_t k, std::mt19937_64& rng) {
  const uint32_t wide = k / 20;
  return i < wide ? Gets{} : TwoOf(i / wide * wide - wide, wide, rng);
}
Gets Alone(uint32_t, uint32_t, std::mt19937_64&) { return {}; }

class Growth : public testing::TestWithParam<Shape> {};

// The bounds are a fifth above what was measured.
TEST_P(Growth, OfTheSetsStaysWithinItsBoundsAtTenThousandFutures) {
  constexpr uint32_t kFutures = 10'000;
  std::mt19937_64 rng(kFutures);
  Events<DoneSets> events;
  size_t gets = 1;
  for (uint32_t i = 0; i < kFutures; ++i) {
    events.Future();
    for (uint32_t earlier : GetParam().gets(i, kFutures, rng)) {
      events.Get(TaskId{earlier + 1});
      ++gets;
    }
    events.End();
  }
  EXPECT_LE(events.engine.Sets().BytesUsed() / kFutures, GetParam().most_bytes);
  EXPECT_LE(events.engine.Sets().Steps() / gets, GetParam().most_steps);
  events.Finish();
  for (uint32_t u = 1; u <= Index(events.Now()); u += 7) {
    ASSERT_TRUE(events.engine.Precedes(StrandId{u})) << "the finish has joined all";
  }
}
INSTANTIATE_TEST_SUITE_P(
    Shapes, Growth,
    testing::Values(Shape{"Dedup", Dedup, 125, 4}, Shape{"Wavefront", Wavefront, 200, 13},
                    Shape{"RandomNear", RandomNear, 315, 13}, Shape{"RandomFar", RandomFar, 305, 6},
                    Shape{"Layers", Layers, 1320, 35}, Shape{"Alone", Alone, 0, 0}),
    [](const auto& shape) { return std::string(shape.param.name); });

TEST(DoneSets, APipelineOfFourHundredThousandFuturesTakesAHundredMegabytes) {
  constexpr uint32_t kFutures = 400'000;
  std::mt19937_64 rng(1);
  Events<DoneSets> events;
  for (uint32_t i = 0; i < kFutures; ++i) {
    events.Future();
    for (uint32_t earlier : Dedup(i, kFutures, rng)) events.Get(TaskId{earlier + 1});
    events.End();
  }
  EXPECT_LE(events.engine.BytesUsed(), size_t{100} << 20);
  EXPECT_LE(events.engine.Sets().Steps() / kFutures, 10u);
}

}  // namespace
}  // namespace taskrace
