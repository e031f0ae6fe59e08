// What <taskrace/tasks.hpp> promises in every build: compiled once for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

namespace {

long Fib(int n) {
  if (n < 2) return n;
  long left = 0;
  taskrace::scope tasks;
  tasks.spawn([&left, n] { left = Fib(n - 1); });
  const long right = Fib(n - 2);
  tasks.sync();
  return left + right;
}

TEST(Scope, TasksAreOverAfterSync) {
  std::vector<int> done(100, 0);
  taskrace::scope tasks;
  for (int& flag : done) tasks.spawn([&flag] { flag = 1; });
  tasks.sync();
  EXPECT_EQ(100, std::accumulate(done.begin(), done.end(), 0));
}

TEST(Scope, TasksAreOverAfterTheDestructor) {
  std::atomic<int> done{0};
  {
    taskrace::scope tasks;
    for (int i = 0; i < 100; ++i) tasks.spawn([&done] { ++done; });
  }
  EXPECT_EQ(100, done);
}

TEST(Scope, CanBeUsedAgainAfterSync) {
  taskrace::scope tasks;
  int value = 0;
  for (int round = 0; round < 10; ++round) {
    tasks.spawn([&value] { ++value; });
    tasks.sync();
    ASSERT_EQ(round + 1, value);
  }
}

TEST(Scope, NestsThroughRecursion) { EXPECT_EQ(6765, Fib(20)); }

TEST(Scope, TwoOfATaskAreWaitedForOneByOne) {
  int first = 0, second = 0;
  taskrace::scope one, two;
  one.spawn([&first] { first = 1; });
  two.spawn([&second] { second = 1; });
  one.sync();
  EXPECT_EQ(1, first);
  two.sync();
  EXPECT_EQ(1, second);
}

TEST(Callable, MayOwnWhatCannotBeCopied) {
  int seen = 0;
  taskrace::scope tasks;
  tasks.spawn([&seen, owned = std::make_unique<int>(7)]() mutable { seen = ++*owned; });
  tasks.sync();
  EXPECT_EQ(8, seen);
  taskrace::finish(
      [&seen] { taskrace::async([&seen, owned = std::make_unique<int>(9)] { seen = *owned; }); });
  EXPECT_EQ(9, seen);
}

TEST(Callable, IsCopiedWhenItIsAnLvalue) {
  struct Counter {
    int calls = 0;
    std::atomic<int>* seen;
    void operator()() { *seen += ++calls; }
  };
  std::atomic<int> seen{0};
  Counter counter{0, &seen};
  {
    taskrace::scope tasks;
    for (int i = 0; i < 3; ++i) tasks.spawn(counter);
  }
  taskrace::finish([&] { taskrace::async(counter); });
  EXPECT_EQ(4, seen);
  EXPECT_EQ(0, counter.calls);
}

void CountACall(std::atomic<int>* calls) { ++*calls; }
std::atomic<int> plain_calls{0};
void PlainFunction() { ++plain_calls; }

TEST(Callable, MayBeAFunctionOrABoundOne) {
  std::atomic<int> calls{0};
  taskrace::scope tasks;
  tasks.spawn(PlainFunction);
  tasks.spawn(&PlainFunction);
  tasks.spawn(std::bind(CountACall, &calls));
  tasks.spawn(std::function<void()>([&calls] { ++calls; }));
  tasks.sync();
  EXPECT_EQ(2, plain_calls);
  EXPECT_EQ(2, calls);
}

// Counts how many of it are alive.
struct Counted {
  explicit Counted(std::atomic<int>* alive) : alive(alive) { ++*alive; }
  Counted(const Counted& other) : alive(other.alive) { ++*alive; }
  ~Counted() { --*alive; }
  std::atomic<int>* alive;
};

TEST(Callable, IsDestroyedExactlyOnce) {
  std::atomic<int> alive{0};
  {
    Counted counted(&alive);
    taskrace::scope tasks;
    for (int i = 0; i < 10; ++i) tasks.spawn([counted] {});
    tasks.sync();
    EXPECT_EQ(1, alive);
    taskrace::finish([&] {
      for (int i = 0; i < 10; ++i) taskrace::async([counted] {});
    });
    EXPECT_EQ(1, alive);
  }
  EXPECT_EQ(0, alive);
}

TEST(Callable, KeepsTheAlignmentItNeeds) {
  struct alignas(128) Wide {
    char bytes[128] = {};
  };
  Wide wide;
  std::atomic<int> aligned{0};
  const auto check = [wide, &aligned] {
    if (reinterpret_cast<uintptr_t>(&wide) % alignof(Wide) == 0) ++aligned;
  };
  {
    taskrace::scope tasks;
    for (int i = 0; i < 5; ++i) tasks.spawn(check);
  }
  taskrace::finish([&] {
    for (int i = 0; i < 5; ++i) taskrace::async(check);
  });
  EXPECT_EQ(10, aligned);
}

void AsyncTree(int depth, std::atomic<int>* done) {
  ++*done;
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) taskrace::async([=] { AsyncTree(depth - 1, done); });
}

TEST(Finish, WaitsForAsyncsOfAsyncs) {
  std::atomic<int> done{0};
  taskrace::finish([&done] { AsyncTree(10, &done); });
  EXPECT_EQ((1 << 11) - 1, done);
}

TEST(Finish, InnerOneIsOverBeforeTheOuterGoesOn) {
  std::atomic<int> inner{0}, outer{0};
  taskrace::finish([&] {
    taskrace::async([&] { ++outer; });
    taskrace::finish([&] { AsyncTree(6, &inner); });
    EXPECT_EQ((1 << 7) - 1, inner);
    taskrace::async([&] { ++outer; });
  });
  EXPECT_EQ(2, outer);
}

TEST(Finish, WaitsForAnAsyncMadeInASpawnedTask) {
  std::atomic<int> done{0};
  taskrace::finish([&] {
    taskrace::scope tasks;
    for (int i = 0; i < 20; ++i)
      tasks.spawn([&] { taskrace::async([&] { AsyncTree(3, &done); }); });
  });
  EXPECT_EQ(20 * 15, done);
}

TEST(Finish, WaitsForAnAsyncMadeInALoop) {
  std::atomic<int> done{0};
  taskrace::finish([&] {
    taskrace::parallel_for(0, 50, [&](int) { taskrace::async([&] { ++done; }); });
    taskrace::parallel_for(0, 50, 7, [&](int) { taskrace::async([&] { ++done; }); });
  });
  EXPECT_EQ(100, done);
}

// A random tree of all constructs; each finish checks that its own tasks are over when it returns.
// Waiting threads run tasks of other finishes in between: an async must not end up with those.
class Nest {
 public:
  static void Grow(uint32_t seed, int depth, std::atomic<int>* started, std::atomic<int>* ended) {
    ++*started;
    for (uint32_t i = 0; depth > 0 && i < 3; ++i) {
      const uint32_t next = seed * 1664525u + 1013904223u * (i + 1);
      switch (next >> 30) {
        case 0:
          taskrace::async([=] { Grow(next, depth - 1, started, ended); });
          break;
        case 1: {
          taskrace::scope tasks;
          for (uint32_t k = 0; k < 2; ++k) {
            tasks.spawn([=] { Grow(next + k, depth - 1, started, ended); });
          }
          break;
        }
        case 2:
          FinishOfItsOwn(next, depth - 1);
          break;
        default:
          taskrace::parallel_for(0u, 2u,
                                 [=](uint32_t k) { Grow(next + k, depth - 1, started, ended); });
      }
    }
    ++*ended;
  }
  static void FinishOfItsOwn(uint32_t seed, int depth) {
    auto started = std::make_unique<std::atomic<int>>(0),
         ended = std::make_unique<std::atomic<int>>(0);
    taskrace::finish([&] { Grow(seed, depth, started.get(), ended.get()); });
    if (*started != *ended) ++unfinished;
  }
  static inline std::atomic<int> unfinished{0};
};

TEST(Finish, WaitsForExactlyItsOwnUnderStealing) {
  for (uint32_t seed = 0; seed < 30; ++seed) Nest::FinishOfItsOwn(seed * 7919, 6);
  EXPECT_EQ(0, Nest::unfinished);
}

// The indices a loop calls its body with, sorted by how often.
template <class Index, class... Grain>
std::vector<Index> Visited(Index first, Index last, Grain... grain) {
  std::mutex mutex;
  std::vector<Index> visited;
  taskrace::parallel_for(first, last, grain..., [&](Index i) {
    std::lock_guard<std::mutex> lock(mutex);
    visited.push_back(i);
  });
  std::sort(visited.begin(), visited.end());
  return visited;
}

template <class Index>
std::vector<Index> Sequence(Index first, Index last) {
  std::vector<Index> expected;
  for (Index i = first; i < last; ++i) expected.push_back(i);
  return expected;
}

TEST(ParallelFor, VisitsEveryIndexOnce) {
  EXPECT_EQ(Sequence(0, 1000), Visited(0, 1000));
  EXPECT_EQ(Sequence(-20, 20), Visited(-20, 20));
  EXPECT_EQ(Sequence<int8_t>(-128, 127), Visited<int8_t>(-128, 127));
  EXPECT_EQ(Sequence<uint16_t>(60000, 65535), Visited<uint16_t>(60000, 65535));
  EXPECT_EQ(Sequence(UINT_MAX - 5, UINT_MAX), Visited(UINT_MAX - 5, UINT_MAX));
  EXPECT_EQ(Sequence(INT64_MIN, INT64_MIN + 9), Visited(INT64_MIN, INT64_MIN + 9));
}

TEST(ParallelFor, VisitsEveryIndexOnceWithAGrain) {
  for (size_t grain : {size_t{0}, size_t{1}, size_t{3}, size_t{10}, size_t{100}, SIZE_MAX}) {
    EXPECT_EQ(Sequence(0, 100), Visited(0, 100, grain)) << grain;
    EXPECT_EQ(Sequence(-7, 8), Visited(-7, 8, grain)) << grain;
    EXPECT_EQ(Sequence(UINT_MAX - 5, UINT_MAX), Visited(UINT_MAX - 5, UINT_MAX, grain)) << grain;
  }
}

TEST(ParallelFor, DoesNothingForAnEmptyOrReversedRange) {
  EXPECT_TRUE(Visited(5, 5).empty());
  EXPECT_TRUE(Visited(5, -5).empty());
  EXPECT_TRUE(Visited(5u, 4u).empty());
  EXPECT_TRUE(Visited(5u, 4u, size_t{3}).empty());
}

TEST(ParallelFor, CountsALengthThatTheTypeItselfCannotHold) {
  std::atomic<int> visited{0};
  const auto until_fourth = [&](int i) {
    if (i == INT_MIN + 3) throw i;
    ++visited;
  };
  EXPECT_THROW(taskrace::parallel_for(INT_MIN, INT_MAX, SIZE_MAX / 2, until_fourth), int);
  EXPECT_EQ(3, visited);
}

TEST(ParallelFor, HandsOnIteratorsAndPointers) {
  std::vector<int> values(100, 1);
  taskrace::parallel_for(values.begin(), values.end(),
                         [](std::vector<int>::iterator at) { *at += 1; });
  taskrace::parallel_for(values.data(), values.data() + 50, 8, [](int* at) { *at += 1; });
  EXPECT_EQ(100 * 2 + 50, std::accumulate(values.begin(), values.end(), 0));
}

TEST(ParallelFor, ConvertsEndsOfDifferentTypes) {
  std::vector<int> values(10, 0);
  taskrace::parallel_for(0, values.size(), [&](size_t i) { values[i] = 1; });
  taskrace::parallel_for(values.cbegin(), values.end(), [&](std::vector<int>::const_iterator at) {
    values[static_cast<size_t>(at - values.cbegin())] += 1;
  });
  EXPECT_EQ(20, std::accumulate(values.begin(), values.end(), 0));
}

TEST(ParallelInvoke, CallsEachFunctionOnce) {
  int a = 0, b = 0, c = 0;
  taskrace::parallel_invoke();
  taskrace::parallel_invoke([&] { ++a; });
  taskrace::parallel_invoke([&] { ++a; }, [&] { ++b; }, [&]() mutable { ++c; });
  EXPECT_EQ(2, a);
  EXPECT_EQ(1, b);
  EXPECT_EQ(1, c);
}

// The documented tree, by hand.
float SumOfTree(const float* values, size_t count, size_t grain) {
  if (count <= grain) return std::accumulate(values, values + count, 0.0f);
  const size_t half = count / 2;
  return SumOfTree(values, half, grain) + SumOfTree(values + half, count - half, grain);
}

TEST(ParallelReduce, AddsFloatsInTheDocumentedOrder) {
  std::vector<float> values(10007);
  float next = 1.0f;
  for (float& value : values) value = next = next * 1.7f > 1e6f ? 1e-3f : next * 1.7f;
  const auto add = [](const float* a, const float* b, float sum) {
    return std::accumulate(a, b, sum);
  };
  const float* first = values.data();
  for (size_t grain : {size_t{1}, size_t{10}, size_t{4096}, values.size()}) {
    EXPECT_EQ(
        SumOfTree(first, values.size(), grain),
        taskrace::parallel_reduce(first, first + values.size(), grain, 0.0f, add, std::plus<>()));
  }
  EXPECT_EQ(SumOfTree(first, values.size(), (values.size() + 511) / 512),
            taskrace::parallel_reduce(first, first + values.size(), 0.0f, add, std::plus<>()));
  EXPECT_NE(SumOfTree(first, values.size(), 1), SumOfTree(first, values.size(), values.size()))
      << "the values do not tell one order from another";
}

TEST(ParallelReduce, KeepsTheOrderOfWhatDoesNotCommute) {
  const auto letters = [](int a, int b, std::string text) {
    for (int i = a; i < b; ++i) text += static_cast<char>('a' + i);
    return text;
  };
  for (size_t grain : {1, 2, 3, 26}) {
    EXPECT_EQ("abcdefghijklmnopqrstuvwxyz",
              taskrace::parallel_reduce(0, 26, grain, std::string(), letters, std::plus<>()));
  }
}

TEST(ParallelReduce, GivesTheIdentityForAnEmptyRange) {
  const auto fail = [](int, int, long) -> long { throw 1; };
  EXPECT_EQ(42, taskrace::parallel_reduce(3, 3, 42L, fail, std::plus<>()));
  EXPECT_EQ(42, taskrace::parallel_reduce(3, 2, 8, 42L, fail, std::plus<>()));
}

TEST(ParallelReduce, NeedsNoDefaultConstructor) {
  struct Sum {
    explicit Sum(long value) : value(value) {}
    long value;
  };
  const Sum sum = taskrace::parallel_reduce(
      0, 1000, 1, Sum(0),
      [](int a, int b, Sum start) {
        for (int i = a; i < b; ++i) start.value += i;
        return start;
      },
      [](Sum a, Sum b) { return Sum(a.value + b.value); });
  EXPECT_EQ(499500, sum.value);
}

TEST(ParallelFor, VisitsEveryIndexOnceInPartsOfAtMostAGrain) {
  for (size_t grain : {0, 1, 7, 1000, 5000}) {
    std::vector<std::atomic<int>> visits(1000);
    taskrace::parallel_for(0, 1000, taskrace::at_most(grain), [&](int i) { ++visits[i]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
  taskrace::parallel_for(3, 3, taskrace::at_most(2), [](int) { FAIL(); });
}

TEST(Workers, ASlotForEachIsOrdinaryMemory) {
  std::vector<long> sums(taskrace::max_workers());
  taskrace::parallel_for(0, 10000, taskrace::at_most(16), [&](int i) {
    const size_t worker = taskrace::this_worker();
    ASSERT_LT(worker, sums.size());
    sums[worker] += i;
  });
  long sum = 0;
  for (long part : sums) sum += part;
  EXPECT_EQ(sum, 49995000);
}

}  // namespace
