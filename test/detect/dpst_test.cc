#include "detect/reach/dpst.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace taskrace {
namespace {

using Node = Dpst::Node;
using Kind = Dpst::Kind;
using Step = Dpst::Step;

// Theorem 1 of the paper: a, which lies to the left of b, precedes it.
bool Precedes(const Dpst& tree, Step a, Step b) {
  const Dpst::Branches below = tree.BelowLca(a, b);
  if (!tree.IsLeft(a, b, below)) return false;
  return below.a == Dpst::kNoNode || tree.KindOf(below.a) != Kind::kAsync;
}
bool MayHappenInParallel(const Dpst& tree, Step a, Step b) {
  return !Precedes(tree, a, b) && !Precedes(tree, b, a);
}

TEST(Dpst, OrdersTheStepsOfFigure1OfThePaper) {
  Dpst tree;
  const Node f1 = tree.Add(Dpst::kRoot, Kind::kFinish, StrandId{1});
  const Step step1{f1, StrandId{1}};
  const Node a1 = tree.Add(f1, Kind::kAsync, StrandId{2});
  const Step step2{a1, StrandId{2}};
  const Node a2 = tree.Add(a1, Kind::kAsync, StrandId{3});
  const Step step3{a2, StrandId{3}};
  const Step step4{a1, StrandId{4}};
  const Step step5{f1, StrandId{5}};
  const Node a3 = tree.Add(f1, Kind::kAsync, StrandId{6});
  const Step step6{a3, StrandId{6}};

  EXPECT_TRUE(MayHappenInParallel(tree, step2, step5));
  EXPECT_FALSE(MayHappenInParallel(tree, step6, step5));
  EXPECT_TRUE(Precedes(tree, step5, step6));
  EXPECT_FALSE(Precedes(tree, step6, step5));
  EXPECT_TRUE(MayHappenInParallel(tree, step3, step4));
  EXPECT_TRUE(MayHappenInParallel(tree, step3, step6));
  EXPECT_TRUE(Precedes(tree, step2, step3));
  for (Step step : {step2, step3, step4, step5, step6}) EXPECT_TRUE(Precedes(tree, step1, step));
}

TEST(Dpst, WhatAFinishHoldsPrecedesItsRightSiblings) {
  Dpst tree;
  const Node root = tree.Add(Dpst::kRoot, Kind::kFinish, StrandId{1});
  const Node finish = tree.Add(root, Kind::kFinish, StrandId{2});
  const Node async = tree.Add(finish, Kind::kAsync, StrandId{3});
  const Step inside{async, StrandId{3}};
  EXPECT_FALSE(Precedes(tree, inside, {finish, StrandId{4}}));
  EXPECT_TRUE(Precedes(tree, inside, {root, StrandId{5}}));
}

// The children of the LCA by walking up.
Dpst::Branches BelowLcaByWalking(const Dpst& tree, Step a, Step b) {
  Dpst::Branches below{Dpst::kNoNode, Dpst::kNoNode};
  Node x = a.node;
  Node y = b.node;
  while (x != y) {
    if (tree.Depth(x) >= tree.Depth(y)) {
      below.a = x;
      x = tree.Parent(x);
    } else {
      below.b = y;
      y = tree.Parent(y);
    }
  }
  return below;
}

// Random trees, from bushy (new nodes anywhere) to long (below one of the last few).
TEST(Dpst, JumpsLeadToTheSameAncestorAsAWalk) {
  std::mt19937 rng(1);
  for (uint32_t reach : {1u, 2u, 5u, 100u, 3000u}) {
    Dpst tree;
    std::vector<Node> nodes = {tree.Add(Dpst::kRoot, Kind::kFinish, StrandId{1})};
    for (uint32_t i = 2; i <= 3000; ++i) {
      const size_t back = rng() % std::min<size_t>(reach, nodes.size());
      nodes.push_back(tree.Add(nodes[nodes.size() - 1 - back], Kind::kAsync, StrandId{i}));
    }
    for (uint32_t i = 0; i < 20'000; ++i) {
      const Step a{nodes[rng() % nodes.size()], StrandId{4000}};
      const Step b{nodes[rng() % nodes.size()], StrandId{4001}};
      const Dpst::Branches expected = BelowLcaByWalking(tree, a, b);
      const Dpst::Branches below = tree.BelowLca(a, b);
      ASSERT_EQ(below.a, expected.a) << "reach " << reach;
      ASSERT_EQ(below.b, expected.b) << "reach " << reach;
    }
  }
}

// By walking it would take 10^12 steps.
TEST(Dpst, AMillionNestedNodesAreAskedAMillionTimes) {
  constexpr uint32_t kDepth = 1'000'000;
  Dpst tree;
  Node deepest = tree.Add(Dpst::kRoot, Kind::kFinish, StrandId{1});
  for (uint32_t i = 2; i <= kDepth; ++i) deepest = tree.Add(deepest, Kind::kAsync, StrandId{i});
  EXPECT_EQ(tree.Depth(deepest), kDepth - 1);
  for (uint32_t i = 0; i < kDepth; ++i) {
    const Dpst::Branches below =
        tree.BelowLca({deepest, StrandId{kDepth}}, {Dpst::kRoot, StrandId{kDepth + i + 1}});
    ASSERT_EQ(tree.Parent(below.a), Dpst::kRoot);
  }
  EXPECT_EQ(tree.BytesUsed(), size_t{16} * kDepth);
}

}  // namespace
}  // namespace taskrace
