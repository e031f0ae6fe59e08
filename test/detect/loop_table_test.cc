#include "detect/loop_table.h"

#include <gtest/gtest.h>

namespace taskrace {
namespace {

StrandId Iteration(uint32_t n) { return StrandId{Index(kFirstIteration) + n}; }

TEST(LoopTable, IterationsOfALoopStandBehindItsStrand) {
  LoopTable loops;
  const uint32_t loop = loops.Add({StrandId{5}, TaskId{1}, 0, 3});
  for (uint64_t k = 0; k < 3; ++k) EXPECT_EQ(loops.Take(loop, k, 1), Iteration(k));
  for (uint32_t k = 0; k < 3; ++k) {
    EXPECT_EQ(loops.EngineStrand(Iteration(k)), StrandId{5});
    EXPECT_EQ(loops.TaskOf(Iteration(k)), TaskId{1});
    EXPECT_EQ(loops.NumberOf(Iteration(k)), int64_t{k});
  }
}

TEST(LoopTable, AnIterationThatBecomesATaskStandsForItselfAndKeepsItsNumber) {
  LoopTable loops;
  const uint32_t loop = loops.Add({StrandId{5}, TaskId{1}, -1, 3});
  loops.Take(loop, 0, 3);
  loops.BecomesTask(Iteration(1), StrandId{7}, TaskId{2});
  EXPECT_EQ(loops.EngineStrand(Iteration(0)), StrandId{5});
  EXPECT_EQ(loops.EngineStrand(Iteration(1)), StrandId{7});
  EXPECT_EQ(loops.EngineStrand(Iteration(2)), StrandId{5});
  EXPECT_EQ(loops.TaskOf(Iteration(1)), TaskId{2});
  EXPECT_EQ(loops.NumberOf(Iteration(1)), 0);
  int64_t number = 9;
  EXPECT_TRUE(loops.NumberOf(TaskId{2}, number));
  EXPECT_EQ(number, 0);
  EXPECT_FALSE(loops.NumberOf(TaskId{1}, number));
  EXPECT_FALSE(loops.NumberOf(TaskId{3}, number));
}

// The second iteration of the outer loop has the inner one, twice: numbers of the outer one come in pieces.
TEST(LoopTable, ALoopInALoopHasNumbersOfItsOwn) {
  LoopTable loops;
  const uint32_t outer = loops.Add({StrandId{2}, TaskId{1}, 100, 3});
  loops.Take(outer, 0, 1);
  loops.Take(outer, 1, 1);
  loops.BecomesTask(Iteration(1), StrandId{4}, TaskId{2});
  for (int again = 0; again < 2; ++again) {
    const uint32_t inner =
        loops.Add({StrandId{5u + again}, TaskId{3u + static_cast<uint32_t>(again)}, 10, 2});
    loops.Take(inner, 0, 1);
    loops.Take(inner, 1, 1);
  }
  loops.Take(outer, 2, 1);
  const int64_t numbers[] = {100, 101, 10, 11, 10, 11, 102};
  const uint32_t strands[] = {2, 4, 5, 5, 6, 6, 2};
  for (uint32_t i = 0; i < 7; ++i) {
    EXPECT_EQ(loops.NumberOf(Iteration(i)), numbers[i]) << i;
    EXPECT_EQ(loops.EngineStrand(Iteration(i)), StrandId{strands[i]}) << i;
  }
  // In any order, for the piece that was asked for last is kept.
  for (uint32_t i = 7; i-- > 0;) EXPECT_EQ(loops.EngineStrand(Iteration(i)), StrandId{strands[i]});
}

TEST(LoopTable, APieceThatGrowsIsFoundToItsEnd) {
  LoopTable loops;
  const uint32_t loop = loops.Add({StrandId{5}, TaskId{1}, 0, 4});
  loops.Take(loop, 0, 1);
  EXPECT_EQ(loops.EngineStrand(Iteration(0)), StrandId{5});
  loops.Take(loop, 1, 1);
  EXPECT_EQ(loops.EngineStrand(Iteration(1)), StrandId{5});
  const uint32_t next = loops.Add({StrandId{9}, TaskId{2}, 0, 1});
  loops.Take(next, 0, 1);
  EXPECT_EQ(loops.EngineStrand(Iteration(2)), StrandId{9});
  EXPECT_EQ(loops.EngineStrand(Iteration(1)), StrandId{5});
}

TEST(LoopTable, WhatIsForgottenPrecedesAndNumbersAreNotUsedAgain) {
  LoopTable loops;
  loops.Take(loops.Add({StrandId{5}, TaskId{1}, 0, 2}), 0, 2);
  loops.BecomesTask(Iteration(1), StrandId{6}, TaskId{2});
  loops.Forget();
  EXPECT_TRUE(loops.IsForgotten(Iteration(1)));
  int64_t number;
  EXPECT_FALSE(loops.NumberOf(TaskId{2}, number));
  const uint32_t loop = loops.Add({StrandId{9}, TaskId{3}, 0, 1});
  EXPECT_EQ(loops.Take(loop, 0, 1), Iteration(2));
  EXPECT_FALSE(loops.IsForgotten(Iteration(2)));
  EXPECT_EQ(loops.EngineStrand(Iteration(2)), StrandId{9});
  EXPECT_EQ(loops.LoopsEver(), 2u);
  EXPECT_EQ(loops.IterationsEver(), 3u);
  EXPECT_EQ(loops.TasksEver(), 1u);
}

TEST(LoopTable, ForgetsLoopsThatHaveEndedAndOfWhichNoIterationIsKept) {
  LoopTable loops;
  constexpr uint32_t kLoops = 2000;
  const uint32_t outer = loops.Add({StrandId{1}, TaskId{1}, 100, 2});
  loops.Take(outer, 0, 1);
  loops.BecomesTask(Iteration(0), StrandId{2}, TaskId{2});
  for (uint32_t i = 1; i < kLoops; ++i) {
    const uint32_t loop = loops.Add({StrandId{10 + i}, TaskId{10 + i}, i, 1});
    loops.Take(loop, 0, 1);
    loops.End(loop);
  }
  const size_t before = loops.BytesUsed();
  loops.Keep(Iteration(1234));
  loops.ForgetOthers([](TaskId task) { return task == TaskId{2}; });
  EXPECT_LT(loops.BytesUsed(), before / 4);
  EXPECT_EQ(loops.EngineStrand(Iteration(1234)), StrandId{10 + 1234});
  EXPECT_EQ(loops.NumberOf(Iteration(1234)), 1234);
  EXPECT_EQ(loops.EngineStrand(Iteration(kLoops - 1)), StrandId{10 + kLoops - 1});
  EXPECT_EQ(loops[outer].task, TaskId{1});
  int64_t number = 0;
  EXPECT_TRUE(loops.NumberOf(TaskId{2}, number));
  EXPECT_EQ(number, 100);
  EXPECT_EQ(loops.Take(outer, 1, 1), Iteration(kLoops));
  EXPECT_EQ(loops.NumberOf(Iteration(kLoops)), 101);
  loops.ForgetOthers([](TaskId) { return false; });
  EXPECT_FALSE(loops.NumberOf(TaskId{2}, number));
  EXPECT_EQ(loops.EngineStrand(Iteration(kLoops)), StrandId{1});
}

TEST(LoopTable, KnowsHowManyNumbersAreLeft) {
  LoopTable loops;
  const uint64_t all = uint64_t{Index(kLastStrand)} - Index(kFirstIteration) + 1;
  EXPECT_EQ(loops.Left(), all);
  loops.Take(loops.Add({StrandId{5}, TaskId{1}, 0, all}), 0, all);
  EXPECT_EQ(loops.Left(), 0u);
  EXPECT_EQ(loops.NumberOf(kLastStrand), static_cast<int64_t>(all) - 1);
}

}  // namespace
}  // namespace taskrace
