// A recursion whose tasks wait for promises or futures needs few stacks at once in the ordinary
// build: some for each level and thread, not one a task.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

namespace {

using taskrace::make_future;
using taskrace::promise;
using taskrace::shared_future;

// Room for some 250 of oneTBB's stacks; a run that wants more crashes.
class LittleAddressSpace {
 public:
  LittleAddressSpace() {
    getrlimit(RLIMIT_AS, &found_);
    rlimit little = found_;
    little.rlim_cur = Mapped() + (std::size_t{1} << 30);
    setrlimit(RLIMIT_AS, &little);
  }
  ~LittleAddressSpace() { setrlimit(RLIMIT_AS, &found_); }
  LittleAddressSpace(const LittleAddressSpace&) = delete;
  LittleAddressSpace& operator=(const LittleAddressSpace&) = delete;

 private:
  static std::size_t Mapped() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  rlimit found_;
};

// Starts an async that sets a promise to what the function returns.
template <class Function>
shared_future<long> Start(Function function) {
  promise<long> result;
  shared_future<long> future = result.get_future();
  taskrace::async(
      [function, result = std::move(result)]() mutable { result.set_value(function()); });
  return future;
}

constexpr int kDepth = 21;
constexpr long kFibonacci = 10946;

// Both calls are tasks; gets the first one first, or the second.
long ByPromises(int n, bool newest_first) {
  if (n < 2) return n;
  std::array<shared_future<long>, 2> calls;
  for (int i = 0; i < 2; ++i) {
    calls[static_cast<std::size_t>(i)] =
        Start([n, i, newest_first] { return ByPromises(n - 1 - i, newest_first); });
  }
  if (newest_first) std::swap(calls[0], calls[1]);
  const long first = calls[0].get();
  return first + calls[1].get();
}

TEST(Recursion, ByPromisesThatAreGotInOrderNeedsFewStacks) {
  LittleAddressSpace limited;
  taskrace::finish([] { EXPECT_EQ(kFibonacci, ByPromises(kDepth, false)); });
}

TEST(Recursion, ByPromisesThatAreGotInReverseNeedsFewStacks) {
  LittleAddressSpace limited;
  taskrace::finish([] { EXPECT_EQ(kFibonacci, ByPromises(kDepth, true)); });
}

long ByOnePromise(int n) {
  if (n < 2) return n;
  const shared_future<long> left = Start([n] { return ByOnePromise(n - 1); });
  const long right = ByOnePromise(n - 2);
  return left.get() + right;
}

TEST(Recursion, ByAPromiseAndACallNeedsFewStacks) {
  LittleAddressSpace limited;
  taskrace::finish([] { EXPECT_EQ(kFibonacci, ByOnePromise(kDepth)); });
}

long ByFutures(int n) {
  if (n < 2) return n;
  auto left = make_future([n] { return ByFutures(n - 1); });
  auto right = make_future([n] { return ByFutures(n - 2); });
  return left.get() + right.get();
}

TEST(Recursion, ByFuturesNeedsFewStacks) {
  LittleAddressSpace limited;
  taskrace::finish([] { EXPECT_EQ(kFibonacci, ByFutures(kDepth)); });
}

// Promises, futures, scopes and finishes in turn: each level waits in another way.
long ByAllInTurn(int n) {
  if (n < 2) return n;
  const auto left = [n] { return ByAllInTurn(n - 1); };
  const auto right = [n] { return ByAllInTurn(n - 2); };
  switch (n % 4) {
    case 0: {
      const auto first = Start(left);
      const auto second = Start(right);
      return first.get() + second.get();
    }
    case 1: {
      auto first = make_future(left);
      const auto second = Start(right);
      return first.get() + second.get();
    }
    case 2: {
      long first = 0, second = 0;
      taskrace::scope tasks;
      tasks.spawn([&] { first = left(); });
      tasks.spawn([&] { second = right(); });
      tasks.sync();
      return first + second;
    }
    default: {
      long first = 0, second = 0;
      taskrace::finish([&] {
        taskrace::async([&] { first = left(); });
        taskrace::async([&] { second = right(); });
      });
      return first + second;
    }
  }
}

TEST(Recursion, ByAllConstructsInTurnNeedsFewStacks) {
  LittleAddressSpace limited;
  taskrace::finish([] { EXPECT_EQ(kFibonacci, ByAllInTurn(kDepth)); });
}

// Many tasks a level, of which most wait.
long OfManyChildren(int depth) {
  if (depth == 0) return 1;
  std::vector<shared_future<long>> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(Start([depth] { return OfManyChildren(depth - 1); }));
  }
  long sum = 0;
  for (const auto& child : children) sum += child.get();
  return sum;
}

TEST(Recursion, OfEightChildrenALevelNeedsFewStacks) {
  LittleAddressSpace limited;
  taskrace::finish([] { EXPECT_EQ(32768, OfManyChildren(5)); });
}

}  // namespace
