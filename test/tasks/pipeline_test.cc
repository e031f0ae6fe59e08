// What a pipeline promises in every build: compiled once for each.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

namespace {

using taskrace::parallel;
using taskrace::pipeline;
using taskrace::serial;

// A source of the numbers 0, 1, ... below `end`.
auto Numbers(int end) {
  return [end, next = 0]() mutable {
    return next == end ? std::optional<int>() : std::optional<int>(next++);
  };
}

std::vector<int> Sequence(int end) {
  std::vector<int> sequence(static_cast<size_t>(end));
  std::iota(sequence.begin(), sequence.end(), 0);
  return sequence;
}

TEST(Pipeline, SerialStageTakesItemsInOrder) {
  std::vector<int> first, last;
  pipeline(Numbers(500), serial([&first](int i) {
             first.push_back(i);
             return i;
           }),
           parallel([](int i) { return i; }), serial([&last](int i) { last.push_back(i); }));
  EXPECT_EQ(Sequence(500), first);
  EXPECT_EQ(Sequence(500), last);
}

TEST(Pipeline, ParallelStageTakesEveryItemOnce) {
  std::mutex mutex;
  std::multiset<int> seen;
  pipeline(Numbers(300), parallel([&](int i) {
             std::lock_guard<std::mutex> lock(mutex);
             seen.insert(i);
           }));
  EXPECT_EQ(std::multiset<int>([] {
              const std::vector<int> all = Sequence(300);
              return std::multiset<int>(all.begin(), all.end());
            }()),
            seen);
}

TEST(Pipeline, MovesItemsOfDifferentTypes) {
  std::vector<std::string> out;
  int next = 0;
  pipeline(
      [&next]() -> std::optional<std::unique_ptr<int>> {
        if (next == 20) return std::nullopt;
        return std::make_unique<int>(next++);
      },
      parallel([](std::unique_ptr<int> item) { return *item * 0.5; }),
      serial([](double&& half) { return std::to_string(half); }),
      serial([&out](std::string text) { out.push_back(std::move(text)); }));
  ASSERT_EQ(20u, out.size());
  EXPECT_EQ("9.500000", out.back());
}

TEST(Pipeline, WithoutItemsCallsNoStage) {
  pipeline(Numbers(0), serial([](int) -> int { throw 1; }), parallel([](int) { throw 2; }));
}

TEST(Pipeline, IgnoresWhatTheLastStageReturns) {
  int calls = 0;
  pipeline(Numbers(5), serial([&calls](int) { return std::make_unique<int>(++calls); }));
  EXPECT_EQ(5, calls);
}

TEST(Pipeline, SerialStageMayHaveStateOfItsOwn) {
  std::vector<int> sums;
  pipeline(Numbers(5), serial([sum = 0](int i) mutable { return sum += i; }),
           serial([&sums](int sum) { sums.push_back(sum); }));
  EXPECT_EQ((std::vector<int>{0, 1, 3, 6, 10}), sums);
}

TEST(Pipeline, SerialStageRunsOneItemAtATime) {
  std::atomic<int> inside{0}, most{0};
  pipeline(Numbers(300), parallel([](int i) { return i; }), serial([&](int i) {
             if (++inside > most) most = inside.load();
             --inside;
             return i;
           }),
           parallel([](int) {}));
  EXPECT_EQ(1, most);
}

// Destroys what it holds once.
struct CountedItem {
  explicit CountedItem(std::atomic<int>* alive) : alive(alive) { ++*alive; }
  CountedItem(CountedItem&& other) noexcept : alive(other.alive) { ++*alive; }
  ~CountedItem() { --*alive; }
  std::atomic<int>* alive;
};

TEST(Pipeline, DestroysEveryItem) {
  std::atomic<int> alive{0};
  int next = 0;
  pipeline(
      [&]() -> std::optional<CountedItem> {
        if (next++ == 50) return std::nullopt;
        return CountedItem(&alive);
      },
      parallel([](CountedItem item) { return item; }), serial([](CountedItem) {}));
  EXPECT_EQ(0, alive);
}

TEST(Pipeline, HasForkJoinInsideItsStages) {
  std::vector<long> sums;
  pipeline(Numbers(40), parallel([](int i) {
             return taskrace::parallel_reduce(
                 0, i + 1, 1, 0L,
                 [](int a, int b, long sum) {
                   for (int k = a; k < b; ++k) sum += k;
                   return sum;
                 },
                 [](long a, long b) { return a + b; });
           }),
           serial([&sums](long sum) { sums.push_back(sum); }));
  ASSERT_EQ(40u, sums.size());
  for (long i = 0; i < 40; ++i) EXPECT_EQ(i * (i + 1) / 2, sums[static_cast<size_t>(i)]);
}

TEST(Pipeline, NestsInAStageOfAnother) {
  long total = 0;
  pipeline(Numbers(10), parallel([](int i) {
             long sum = 0;
             pipeline(Numbers(i), parallel([](int k) { return k; }),
                      serial([&sum](int k) { sum += k; }));
             return sum;
           }),
           serial([&total](long sum) { total += sum; }));
  EXPECT_EQ(120, total);
}

TEST(Pipeline, HasFuturesInsideItsStages) {
  std::vector<int> out;
  pipeline(Numbers(100), serial([](int i) { return taskrace::make_future([i] { return 2 * i; }); }),
           parallel([](taskrace::future<int> value) { return value.get(); }),
           serial([&out](int twice) { out.push_back(twice); }));
  ASSERT_EQ(100u, out.size());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(2 * i, out[static_cast<size_t>(i)]);
}

TEST(Pipeline, IsInsideTheFinishOfItsCaller) {
  std::atomic<int> done{0};
  taskrace::finish([&done] {
    pipeline(Numbers(30), parallel([&done](int) { taskrace::async([&done] { ++done; }); }));
  });
  EXPECT_EQ(30, done);
}

TEST(Pipeline, OfAMillionItemsGetsThrough) {
  long sum = 0;
  pipeline(Numbers(1000000), serial([](int i) { return i; }), serial([&sum](int i) { sum += i; }));
  EXPECT_EQ(499999500000, sum);
}

}  // namespace
