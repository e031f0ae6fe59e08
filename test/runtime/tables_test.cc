// The runtime's tables: heap blocks, held locks, declared edges, live stack variables, ignored pages.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "runtime/blocks.h"
#include "runtime/edges.h"
#include "runtime/holdings.h"
#include "runtime/page_filter.h"
#include "runtime/variables.h"

namespace taskrace {
namespace {

TEST(PageFilter, ARangeOnTheHeapAndOneInALibraryDoNotConcernTheHeapBetween) {
  PageFilter filter;
  EXPECT_FALSE(filter.MayMeet(0, SIZE_MAX));
  const PageFilter::Range heap{0x555555560010, 40}, library{0x7ffff7e04780, 224};
  filter.Add(heap);
  filter.Add(library);
  EXPECT_TRUE(filter.MayMeet(heap.first + 39, 1));
  EXPECT_TRUE(filter.MayMeet(heap.first - 8192, 16384));
  EXPECT_TRUE(filter.MayMeet(library.first, 8));
  size_t met = 0;
  for (uintptr_t block = 0x555555570000; block < 0x555555970000; block += 64) {
    met += filter.MayMeet(block, 64);
  }
  EXPECT_EQ(met, 0u);
  filter.Set({&heap, 1});
  EXPECT_FALSE(filter.MayMeet(library.first, 8));
  EXPECT_TRUE(filter.MayMeet(heap.first, 1));
}

TEST(PageFilter, ALargeRangeIsEverywhereInside) {
  PageFilter filter;
  filter.Add({size_t{1} << 30, size_t{1} << 30});
  for (uintptr_t at = size_t{1} << 30; at < size_t{2} << 30; at += 12345678) {
    EXPECT_TRUE(filter.MayMeet(at, 1));
  }
}

TEST(Blocks, AgreeWithAMapUnderRandomAddsAndRemoves) {
  std::mt19937 random(1);
  Blocks blocks;
  std::map<uintptr_t, size_t> model;
  for (int step = 0; step < 200000; ++step) {
    const uintptr_t first = 16 * (1 + random() % 5000);
    if (random() % 2 == 0) {
      blocks.Add(first, step + 1, kNowhere);
      model[first] = step + 1;
    } else {
      blocks.Remove(first);
      model.erase(first);
    }
    const uintptr_t asked = 16 * (1 + random() % 5000);
    const auto found = model.find(asked);
    ASSERT_EQ(blocks.At(asked).first, found == model.end() ? 0 : asked) << "step " << step;
    if (found != model.end()) {
      ASSERT_EQ(blocks.At(asked).size, found->second);
    }
    ASSERT_EQ(blocks.Size(), model.size());
  }
}

TEST(Blocks, FindTheBlockAroundAnAddressAndNothingBesideIt) {
  Blocks blocks;
  blocks.Add(1000, 24, Where{7});
  EXPECT_EQ(blocks.Containing(1000).first, 1000u);
  EXPECT_EQ(blocks.Containing(1023).allocated_at, Where{7});
  EXPECT_EQ(blocks.Containing(1024).first, 0u);
  EXPECT_EQ(blocks.Containing(999).first, 0u);
}

std::vector<PromiseId> SetsOf(Edges& edges, uintptr_t tag) {
  std::vector<PromiseId> sets;
  edges.ForEach(tag, [&](PromiseId promise, StrandId) { sets.push_back(promise); });
  return sets;
}

TEST(Edges, AgreeWithAListPerTagUnderRandomSets) {
  std::mt19937 random(1);
  Edges edges;
  struct Set {
    PromiseId promise;
    StrandId strand;
  };
  std::map<uintptr_t, std::vector<Set>> model;
  for (uint32_t step = 1; step <= 20000; ++step) {
    const uintptr_t tag = random() % 50;
    const uint32_t modulus = 2 + random() % 3;
    const auto precedes = [&](StrandId strand) { return Index(strand) % modulus == 0; };
    edges.Add(tag, PromiseId{step}, StrandId{step}, precedes);
    std::erase_if(model[tag], [&](const Set& set) { return precedes(set.strand); });
    model[tag].push_back({PromiseId{step}, StrandId{step}});
    if (random() % 16 == 0) {
      edges.Forget(tag);
      model[tag].clear();
    }
    const uintptr_t asked = random() % 50;
    std::vector<PromiseId> expected;
    for (const Set& set : model[asked]) expected.push_back(set.promise);
    ASSERT_EQ(SetsOf(edges, asked), expected) << "step " << step;
  }
}

TEST(Edges, OfAMillionTagsAreEachFoundAtOnce) {
  Edges edges;
  constexpr uint32_t kTags = 1'000'000;
  for (uint32_t tag = 1; tag <= kTags; ++tag) {
    edges.Add(tag, PromiseId{tag}, StrandId{tag}, [](StrandId) { return false; });
  }
  for (uint32_t tag = 1; tag <= kTags; ++tag) {
    ASSERT_EQ(SetsOf(edges, tag), std::vector{PromiseId{tag}});
  }
}

TEST(Holdings, OfAWaitingCreatorAreToldFromTheTasksOwn) {
  Holdings holdings;
  const TaskId creator{1}, child{2};
  holdings.Add(10, creator, /*really=*/true);
  EXPECT_EQ(holdings.HolderOf(10, creator), Holder::kThisTask);
  EXPECT_EQ(holdings.HolderOf(10, child), Holder::kWaitingTask);
  EXPECT_EQ(holdings.HolderOf(11, child), Holder::kNobody);
}

TEST(Holdings, AreGivenBackYoungestFirstAndOnlyTheFirstIsReal) {
  Holdings holdings;
  const TaskId creator{1}, child{2};
  holdings.Add(10, creator, /*really=*/true);
  holdings.Add(10, child, /*really=*/false);
  EXPECT_FALSE(holdings.Remove(10, child).really);
  EXPECT_TRUE(holdings.Remove(10, creator).really);
}

TEST(Holdings, OfARecursiveLockLastUntilItsLastRelease) {
  Holdings holdings;
  const TaskId task{1};
  holdings.Add(10, task, true);
  holdings.Add(10, task, true);
  EXPECT_TRUE(holdings.Remove(10, task).still_held);
  EXPECT_FALSE(holdings.Remove(10, task).still_held);
}

TEST(Variables, OfOneStackDoNotHideThoseOfAnother) {
  Variables variables;
  static const __taskrace_variable kHere{"here", "f", "f.cc", 1};
  static const __taskrace_variable kThere{"there", "g", "f.cc", 2};
  variables.Begin(9000, 8, &kHere, /*stack_low=*/1000, /*stack_pointer=*/8900);
  variables.Begin(59000, 8, &kThere, 51000, 58900);
  variables.End(9000, 1000);
  EXPECT_FALSE(variables.Containing(9004));
  EXPECT_EQ(variables.Containing(59004)->variable, &kThere);
  variables.Begin(8000, 8, &kHere, 1000, 7900);
  variables.End(59000, 51000);
  EXPECT_EQ(variables.Containing(8000)->variable, &kHere);
  EXPECT_FALSE(variables.Containing(59000));
}

TEST(Variables, CanBeSearchedWhileTheirThreadMakesMore) {
  constexpr uintptr_t kVariables = 300'000;
  Variables variables;
  const __taskrace_variable kHere{"here", "f", "f.cc", 1};
  std::atomic<bool> stop{false};
  std::thread reporter([&] {
    while (!stop) {
      if (const auto live = variables.Containing(16 * (kVariables - 1))) {
        EXPECT_EQ(live->size, 8u);
      }
    }
  });
  for (uintptr_t i = kVariables; i-- > 1;) variables.Begin(16 * i, 8, &kHere, 8, 16 * i);
  stop = true;
  reporter.join();
}
TEST(Variables, ThatAThrowHasSkippedGoWhenTheNextOneComes) {
  Variables variables;
  static constexpr __taskrace_variable kOuter{"outer", "f", "f.cc", 1},
      kSkipped{"skipped", "g", "g.cc", 2}, kNext{"next", "h", "h.cc", 3};
  variables.Begin(9000, 8, &kOuter, /*stack_low=*/1000, /*stack_pointer=*/8900);
  variables.Begin(8000, 8, &kSkipped, 1000, 7900);
  variables.Begin(8800, 8, &kNext, 1000, 8700);  // g has been left without an end of `skipped`
  EXPECT_FALSE(variables.Containing(8004));
  EXPECT_EQ(variables.Containing(8807)->variable, &kNext);
  variables.End(8800, 1000);
  EXPECT_FALSE(variables.Containing(8800));
  EXPECT_EQ(variables.Containing(9000)->variable, &kOuter);
}

}  // namespace
}  // namespace taskrace
