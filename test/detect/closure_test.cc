#include "detect/ds/closure.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace taskrace {
namespace {

TEST(Closure, ALateArcIsTakenToAllThatFollowsItsTarget) {
  Closure closure;
  const Closure::Node s = closure.Add();
  const Closure::Node t = closure.AddBehind(s);
  const Closure::Node apart = closure.Add();
  const Closure::Node before_f = closure.Add();
  const Closure::Node f = closure.AddBehind(before_f);
  closure.Arc(f, s);
  EXPECT_TRUE(closure.Reaches(f, t));
  EXPECT_TRUE(closure.Reaches(before_f, t));
  EXPECT_FALSE(closure.Reaches(f, apart));
  EXPECT_FALSE(closure.Reaches(t, f));
}

// The naive one: a matrix, and Warshall's three loops.
TEST(Closure, AgreesWithAllPathsOfRandomDags) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 rng(seed);
    constexpr size_t kNodes = 150;
    std::vector<std::vector<bool>> paths(kNodes, std::vector<bool>(kNodes));
    std::vector<uint64_t> order;  // a topological one that is not that of creation
    Closure closure;
    for (size_t node = 0; node < kNodes; ++node) {
      closure.Add();
      order.push_back(rng());
      paths[node][node] = true;
      for (int arcs = 0; arcs < 2; ++arcs) {
        Closure::Node a = static_cast<Closure::Node>(rng() % (node + 1));
        Closure::Node b = static_cast<Closure::Node>(rng() % 2 == 0 ? node : rng() % (node + 1));
        if (order[a] > order[b]) std::swap(a, b);
        if (a == b) continue;
        closure.Arc(a, b);
        paths[a][b] = true;
      }
    }
    for (size_t k = 0; k < kNodes; ++k) {
      for (size_t i = 0; i < kNodes; ++i) {
        for (size_t j = 0; j < kNodes && paths[i][k]; ++j) paths[i][j] = paths[i][j] || paths[k][j];
      }
    }
    for (Closure::Node a = 0; a < kNodes; ++a) {
      for (Closure::Node b = 0; b < kNodes; ++b) {
        ASSERT_EQ(closure.Reaches(a, b), paths[a][b]) << "seed " << seed << ": " << a << ", " << b;
      }
    }
  }
}

TEST(Closure, AChainTakesHalfOfASquareOfBits) {
  Closure closure;
  constexpr size_t kNodes = 10'000;
  Closure::Node last = closure.Add();
  for (size_t i = 1; i < kNodes; ++i) last = closure.AddBehind(last);
  EXPECT_TRUE(closure.Reaches(0, last));
  EXPECT_LE(closure.BytesUsed(), kNodes * kNodes / 16 + kNodes * 24);
}

TEST(Closure, IsFullBeforeItsRowsAreLargerThanTheLimit) {
  constexpr size_t kLimit = 100'000;
  Closure closure(kLimit);
  Closure::Node last = closure.Add();
  size_t nodes = 1;
  for (; !closure.IsFull(); ++nodes) last = closure.AddBehind(last);
  EXPECT_GT(nodes, 1000u);
  EXPECT_LE(closure.BytesUsed(), kLimit + 16 * nodes);
  for (int i = 0; i < 1000; ++i) closure.Arc(0, closure.Add());
  EXPECT_LT(closure.Size(), nodes);
}

}  // namespace
}  // namespace taskrace
