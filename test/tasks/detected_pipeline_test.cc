// The pipeline of the detection build is a two-dimensional lattice: on a fake runtime, every join is
// one of the left neighbour, and orders exactly what the stages promise.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

#include "test/tasks/fake_runtime.h"

namespace {

using taskrace::parallel;
using taskrace::serial;

// A source of the numbers 0, 1, ... below `end`.
auto Numbers(int end) {
  return [end, next = 0]() mutable {
    return next == end ? std::optional<int>() : std::optional<int>(next++);
  };
}

const auto same = [](int i) { return i; };

struct Counts {
  int joins;
  int joins_of_others;
};

// What a pipeline with `items` items does.
template <class... Stages>
Counts RunPipeline(int items, Stages... stages) {
  fake::joins = fake::joins_of_others = 0;
  const int before = fake::live_storages;
  fake::events.clear();
  taskrace::pipeline(Numbers(items), stages...);
  EXPECT_EQ(before, fake::live_storages);
  return {fake::joins, fake::joins_of_others};
}

// Every task is joined once, and as the left neighbour.
template <class... Stages>
void ExpectLattice(Stages... stages) {
  for (int items : {0, 1, 2, 3, 10}) {
    const Counts counts = RunPipeline(items, stages...);
    EXPECT_EQ(items * static_cast<int>(sizeof...(Stages)), counts.joins) << items << " items";
    EXPECT_EQ(0, counts.joins_of_others) << items << " items";
  }
}

TEST(DetectedPipeline, JoinsLeftNeighboursInStagesS) { ExpectLattice(serial(same)); }
TEST(DetectedPipeline, JoinsLeftNeighboursInStagesP) { ExpectLattice(parallel(same)); }
TEST(DetectedPipeline, JoinsLeftNeighboursInStagesSSS) {
  ExpectLattice(serial(same), serial(same), serial(same));
}
TEST(DetectedPipeline, JoinsLeftNeighboursInStagesSPS) {
  ExpectLattice(serial(same), parallel(same), serial(same));
}
TEST(DetectedPipeline, JoinsLeftNeighboursInStagesPPS) {
  ExpectLattice(parallel(same), parallel(same), serial(same));
}
TEST(DetectedPipeline, JoinsLeftNeighboursInStagesSPP) {
  ExpectLattice(serial(same), parallel(same), parallel(same));
}
TEST(DetectedPipeline, JoinsLeftNeighboursInStagesPSP) {
  ExpectLattice(parallel(same), serial(same), parallel(same));
}
TEST(DetectedPipeline, JoinsLeftNeighboursInStagesPPP) {
  ExpectLattice(parallel(same), parallel(same), parallel(same));
}
TEST(DetectedPipeline, JoinsLeftNeighboursInStagesSPPSPSP) {
  ExpectLattice(serial(same), parallel(same), parallel(same), serial(same), parallel(same),
                serial(same), parallel(same));
}

TEST(DetectedPipeline, KeepsTheLatticeWhenAStageThrows) {
  for (int stage = 0; stage < 4; ++stage) {
    const auto fails = [stage](int here) {
      return [stage, here](int i) {
        if (here == stage && i == 2) throw i;
        return i;
      };
    };
    EXPECT_THROW(
        RunPipeline(9, serial(fails(0)), parallel(fails(1)), serial(fails(2)), parallel(fails(3))),
        int);
    EXPECT_EQ(3 * 4, fake::joins) << "the items 0, 1 and 2 are joined, no other begins";
    EXPECT_EQ(0, fake::joins_of_others);
  }
}

TEST(DetectedPipeline, ForksTheNextStageAsItsLastAct) {
  struct Item {
    Item() = default;
    Item(Item&& other) noexcept : live(std::exchange(other.live, false)) {}
    ~Item() {
      if (live) fake::events.push_back("destroy");
    }
    bool live = true;
  };
  const auto stage = [](const char* name) {
    return [name](Item item) {
      fake::events.push_back(name);
      (void)item;
      return Item();
    };
  };
  fake::events.clear();
  int items = 1;
  taskrace::pipeline(
      [&items]() { return items-- == 0 ? std::nullopt : std::optional<Item>(std::in_place); },
      serial(stage("one")), serial(stage("two")));
  EXPECT_EQ((std::vector<std::string>{"storage", "fork", "one", "destroy", "storage", "fork", "two",
                                      "destroy", "destroy", "end", "end", "join", "join"}),
            fake::events);
}

TEST(DetectedPipeline, OfSerialStagesKeepsAShortLine) {
  fake::longest_line = 0;
  RunPipeline(1000, serial(same), parallel(same), serial(same));
  const size_t with_few = fake::longest_line;
  RunPipeline(5000, serial(same), parallel(same), serial(same));
  EXPECT_EQ(with_few, fake::longest_line);
}

}  // namespace
