// Tasks of the ordinary build in several arenas of oneTBB: each goes on without the others.
#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <memory>
#include <taskrace/tasks.hpp>
#include <thread>
#include <vector>

namespace {

using taskrace::async;
using taskrace::finish;
using taskrace::make_future;
using taskrace::promise;

// Tasks that wait for each other, and for a promise that only a task made here sets.
int SomeTasks() {
  std::atomic<int> sum{0};
  finish([&sum] {
    auto gate = std::make_shared<promise<int>>();
    async([gate] { gate->set_value(1); });
    for (int i = 0; i < 10; ++i) async([&sum, gate] { sum += gate->get_future().get(); });
    sum += make_future([] { return make_future([] { return 1; }).get(); }).get();
  });
  return sum;
}

// A task of the outer arena can go on, but its only thread may be busy in the inner one.
TEST(Arenas, ATaskInsideAnotherOneDoesNotWaitForTheOuterOne) {
  promise<void> gate;
  bool woken = false;
  int inner_sum = 0;
  finish([&] {
    async([&] {
      gate.set_value();
      tbb::task_arena inner(1);
      inner.execute([&] { inner_sum = SomeTasks(); });
    });
    async([&] {
      gate.get_future().get();
      woken = true;
    });
  });
  EXPECT_TRUE(woken);
  EXPECT_EQ(11, inner_sum);
}

TEST(Arenas, ATaskOfOneIsWaitedForInAnother) {
  tbb::task_arena inner(1);
  std::atomic<int> sum{0};
  finish([&] {
    async([&] {
      auto outside = make_future([] { return SomeTasks(); });
      inner.execute([&] { sum += outside.get() + SomeTasks(); });
    });
    for (int i = 0; i < 10; ++i) async([&sum] { sum += SomeTasks(); });
  });
  EXPECT_EQ(12 * 11, sum);
}

TEST(Arenas, OfThreadsDoNotWaitForEachOther) {
  promise<void> gate;
  bool woken = false;
  finish([&] {
    async([&] {
      gate.set_value();
      // Nobody goes on with what the set woke up until this thread is over.
      std::thread([] { EXPECT_EQ(11, SomeTasks()); }).join();
    });
    async([&] {
      gate.get_future().get();
      woken = true;
    });
  });
  EXPECT_TRUE(woken);
}

TEST(Arenas, OfManyThreadsShareAPromise) {
  promise<int> value;
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      finish([&] {
        for (int k = 0; k < 10; ++k) async([&] { sum += value.get_future().get(); });
      });
      sum += SomeTasks();
    });
  }
  value.set_value(1);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(4 * (10 + 11), sum);
}

TEST(Arenas, AnAlgorithmOfOneTbbMayUseTasks) {
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 20, [&sum](int) { sum += SomeTasks(); });
  EXPECT_EQ(20 * 11, sum);
}

}  // namespace
