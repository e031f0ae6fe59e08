// Tasks that wait for what comes later, in the builds that can: none of these shapes deadlocks, with
// any number of threads. A waiting task must not hold its thread, nor lie on top of the one that it
// waits for.
#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

namespace {

using taskrace::async;
using taskrace::finish;
using taskrace::future;
using taskrace::make_future;
using taskrace::promise;
using taskrace::shared_future;

TEST(Waiting, ForAPromiseThatMainSetsLater) {
  promise<int> value;
  std::atomic<int> sum{0};
  finish([&] {
    for (int i = 0; i < 100; ++i) {
      async([&sum, future = value.get_future()] { sum += future.get(); });
    }
    value.set_value(3);
  });
  EXPECT_EQ(300, sum);
}

TEST(Waiting, OfMainForAPromiseThatATaskSets) {
  promise<int> question, answer;
  auto task = make_future([&] { answer.set_value(question.get_future().get() + 1); });
  question.set_value(41);
  EXPECT_EQ(42, answer.get_future().get());
  task.get();
}

TEST(Waiting, OfMainForATaskThatAnotherTaskStarts) {
  promise<int> inner;
  auto outer = make_future([&inner] {
    async([&inner] { inner.set_value(5); });
    return inner.get_future().get();
  });
  EXPECT_EQ(5, outer.get());
}

// Tasks made in the wrong order: each waits for one that is made later.
TEST(Waiting, AlongAChainOfPromisesThatIsMadeBackwards) {
  constexpr size_t kLength = 2000;
  std::vector<promise<size_t>> links(kLength + 1);
  finish([&] {
    for (size_t i = kLength; i != 0; --i) {
      async([&links, i] { links[i].set_value(links[i - 1].get_future().get() + 1); });
    }
    links[0].set_value(0);
  });
  EXPECT_EQ(kLength, links[kLength].get_future().get());
}

TEST(Waiting, AlongAChainOfFutures) {
  constexpr int kLength = 10000;
  shared_future<int> last = make_future([] { return 0; }).share();
  for (int i = 0; i < kLength; ++i) {
    last = make_future([last] { return last.get() + 1; }).share();
  }
  EXPECT_EQ(kLength, last.get());
}

TEST(Waiting, ForTenThousandFuturesInAnyOrder) {
  std::vector<future<int>> values;
  for (int i = 0; i < 10000; ++i) values.push_back(make_future([i] { return i; }));
  long sum = 0;
  for (size_t k = 0; k < values.size(); ++k) sum += values[(k * 7919) % values.size()].get();
  EXPECT_EQ(49995000, sum);
}

// More tasks wait at once than there can be stacks; who sets the promise is made last or first.
class WaitingOfManyTasks : public testing::TestWithParam<bool> {};

TEST_P(WaitingOfManyTasks, EndsWithoutAStackForEach) {
  promise<void> start;
  std::atomic<int> went_on{0};
  const auto set = [&start] { async([&start] { start.set_value(); }); };
  finish([&] {
    if (GetParam()) set();
    for (int i = 0; i < 50000; ++i) {
      async([&went_on, gate = start.get_future()] {
        gate.get();
        ++went_on;
      });
    }
    if (!GetParam()) set();
  });
  EXPECT_EQ(50000, went_on);
}

TEST_P(WaitingOfManyTasks, EndsAlongAChain) {
  std::vector<promise<int>> links(20001);
  const auto set = [&links] { async([&links] { links[0].set_value(0); }); };
  finish([&] {
    if (GetParam()) set();
    for (size_t i = 1; i < links.size(); ++i) {
      async([&links, i] { links[i].set_value(links[i - 1].get_future().get() + 1); });
    }
    if (!GetParam()) set();
  });
  EXPECT_EQ(20000, links.back().get_future().get());
}

INSTANTIATE_TEST_SUITE_P(SetterIsFirst, WaitingOfManyTasks, testing::Bool());

// Cell (i, j) waits for the one above and the one to the left; the rows are made from the last to
// the first.
TEST(Waiting, InAWavefrontOfPromises) {
  constexpr size_t kSide = 60;
  std::vector<promise<long>> cells((kSide + 1) * (kSide + 1));
  const auto at = [&cells](size_t i, size_t j) -> promise<long>& {
    return cells[i * (kSide + 1) + j];
  };
  finish([&] {
    for (size_t i = kSide; i != 0; --i) {
      for (size_t j = kSide; j != 0; --j) {
        async([&at, i, j] {
          at(i, j).set_value((at(i - 1, j).get_future().get() + at(i, j - 1).get_future().get()) %
                             1000003);
        });
      }
    }
    for (size_t k = 0; k <= kSide; ++k) {
      at(k, 0).set_value(1);
      if (k != 0) at(0, k).set_value(1);
    }
  });
  std::vector<long> row(kSide + 1, 1);
  for (size_t i = 1; i <= kSide; ++i) {
    for (size_t j = 1; j <= kSide; ++j) row[j] = (row[j] + row[j - 1]) % 1000003;
  }
  EXPECT_EQ(row[kSide], at(kSide, kSide).get_future().get());
}

// What runs on top of a stack that waits must not wait for what lies below.
TEST(Waiting, ForWhatTheTaskBelowProvides) {
  for (int round = 0; round < 200; ++round) {
    promise<int> first, second;
    taskrace::scope tasks;
    tasks.spawn([&] {
      taskrace::scope inner;
      inner.spawn([] {});
      inner.spawn([] {});
      inner.sync();
      first.set_value(1);
    });
    tasks.spawn([&] { second.set_value(first.get_future().get() + 1); });
    tasks.spawn([&] { EXPECT_EQ(2, second.get_future().get()); });
    tasks.sync();
  }
}

// The newest task waits for the one that made it, which waits for an older one.
TEST(Waiting, ForAPromiseDoesNotRunAnotherTaskOnTop) {
  for (int round = 0; round < 200; ++round) {
    promise<int> first, second;
    int seen = 0;
    finish([&] {
      async([&] { first.set_value(1); });
      async([&] {
        async([&] { seen = second.get_future().get(); });
        second.set_value(first.get_future().get() + 1);
      });
    });
    EXPECT_EQ(2, seen);
  }
}

TEST(Waiting, InAScopeInsideAFuture) {
  promise<int> late;
  auto outer = make_future([&late] {
    int left = 0, right = 0;
    taskrace::scope tasks;
    tasks.spawn([&] { left = late.get_future().get(); });
    tasks.spawn([&] { right = make_future([&late] { return late.get_future().get(); }).get(); });
    tasks.sync();
    return left + right;
  });
  auto setter = make_future([&late] { late.set_value(21); });
  EXPECT_EQ(42, outer.get());
  setter.get();
}

TEST(Waiting, OfAFinishForFuturesThatWait) {
  promise<int> late;
  std::vector<future<int>> values(50);
  std::atomic<bool> over{false};
  auto waiter = make_future([&] {
    finish([&] {
      for (auto& value : values) value = make_future([&late] { return late.get_future().get(); });
    });
    over = true;
  });
  late.set_value(2);
  waiter.get();
  EXPECT_TRUE(over);
  for (auto& value : values) EXPECT_EQ(2, value.get());
}

TEST(Waiting, OfIterationsForLaterIterations) {
  std::vector<promise<int>> links(1001);
  links[1000].set_value(0);
  taskrace::parallel_for(0, 1000, [&links](int i) {
    const auto k = static_cast<size_t>(i);
    links[k].set_value(links[k + 1].get_future().get() + 1);
  });
  EXPECT_EQ(1000, links[0].get_future().get());
}

TEST(Waiting, OfChunksForLaterChunks) {
  std::vector<promise<int>> links(101);
  links[100].set_value(0);
  taskrace::parallel_for(0, 1000, 10, [&links](int i) {
    if (i % 10 != 0) return;
    const auto k = static_cast<size_t>(i / 10);
    links[k].set_value(links[k + 1].get_future().get() + 1);
  });
  EXPECT_EQ(100, links[0].get_future().get());
}

// A source of the numbers 0, 1, ... below `end`.
auto Numbers(int end) {
  return [end, next = 0]() mutable {
    return next == end ? std::optional<int>() : std::optional<int>(next++);
  };
}

TEST(Waiting, OfAnItemForALaterItem) {
  constexpr size_t kAhead = 500;
  std::vector<promise<int>> reached(1000 + kAhead);
  std::vector<int> out;
  taskrace::pipeline(Numbers(1000), taskrace::serial([&](int i) {
                       reached[static_cast<size_t>(i)].set_value(i);
                       return i;
                     }),
                     taskrace::parallel([&](int i) {
                       const size_t later = static_cast<size_t>(i) + kAhead;
                       return later < 1000 ? reached[later].get_future().get() - i
                                           : static_cast<int>(kAhead);
                     }),
                     taskrace::serial([&](int ahead) { out.push_back(ahead); }));
  EXPECT_EQ(std::vector<int>(1000, kAhead), out);
}

TEST(Waiting, OfASerialStageForALaterItem) {
  std::vector<promise<void>> seen(300);
  int through = 0;
  taskrace::pipeline(Numbers(300), taskrace::parallel([&](int i) {
                       seen[static_cast<size_t>(i)].set_value();
                       return i;
                     }),
                     taskrace::serial([&](int i) {
                       if (i + 100 < 300) seen[static_cast<size_t>(i) + 100].get_future().get();
                       ++through;
                     }));
  EXPECT_EQ(300, through);
}

TEST(Waiting, ForABrokenPromise) {
  auto value = std::make_unique<promise<int>>();
  std::atomic<int> broken{0};
  finish([&] {
    for (int i = 0; i < 20; ++i) {
      async([&broken, future = value->get_future()] {
        try {
          future.get();
        } catch (const taskrace::future_error& error) {
          if (error.code() == taskrace::future_errc::broken_promise) ++broken;
        }
      });
    }
    value.reset();
  });
  EXPECT_EQ(20, broken);
}

// Gates that open once all tasks have come to theirs, so that every task waits.
class Gates {
 public:
  explicit Gates(size_t tasks) : gates_(tasks), missing_(tasks) {}

  // Starts the task that opens them.
  void Start() {
    async([this] {
      all_are_there_.get_future().get();
      for (promise<void>& gate : gates_) async([&gate] { gate.set_value(); });
    });
  }
  void Wait(size_t task) {
    const shared_future<void> gate = gates_[task].get_future();
    if (--missing_ == 0) all_are_there_.set_value();
    gate.get();
  }

 private:
  std::vector<promise<void>> gates_;
  std::atomic<size_t> missing_;
  promise<void> all_are_there_;
};

// After a wait a task may be on another thread; its exceptions must have come along.
TEST(Waiting, InsideAHandlerAndWhileUnwinding) {
  constexpr size_t kTasks = 200;
  Gates unwinding(kTasks), handling(kTasks);
  std::atomic<int> right{0};
  const auto task = [&](size_t i) {
    struct WaitsWhenDestroyed {
      Gates& gates;
      size_t task;
      ~WaitsWhenDestroyed() {
        EXPECT_EQ(1, std::uncaught_exceptions());
        gates.Wait(task);
        EXPECT_EQ(1, std::uncaught_exceptions());
      }
    };
    try {
      try {
        WaitsWhenDestroyed unwinds{unwinding, i};
        throw i;
      } catch (size_t thrown) {
        EXPECT_EQ(i, thrown);
        EXPECT_EQ(0, std::uncaught_exceptions());
        handling.Wait(i);
        throw;
      }
    } catch (size_t thrown) {
      if (thrown == i) ++right;
    }
  };
  finish([&] {
    unwinding.Start();
    handling.Start();
    for (size_t i = 0; i < kTasks; ++i) async([&task, i] { task(i); });
  });
  EXPECT_EQ(200, right);
}

// The finish of a task is still its own after a wait.
TEST(Waiting, KeepsTheFinishOfATask) {
  constexpr size_t kTasks = 100;
  Gates gates(kTasks);
  std::atomic<int> unfinished{0};
  finish([&] {
    gates.Start();
    for (size_t i = 0; i < kTasks; ++i) {
      async([&gates, &unfinished, i] {
        std::atomic<int> done{0};
        finish([&] {
          gates.Wait(i);
          for (int k = 0; k < 10; ++k) async([&done] { ++done; });
        });
        if (done != 10) ++unfinished;
      });
    }
  });
  EXPECT_EQ(0, unfinished);
}

// Random programs without cycles: task i waits for promises of tasks with lower numbers, some of
// them inside scopes, finishes and futures of its own; created in a random order.
class RandomWaits {
 public:
  explicit RandomWaits(uint32_t seed) : random_(seed), results_(kTasks) {}

  void Run() {
    std::vector<size_t> order(kTasks);
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t k = kTasks; k-- > 1;) std::swap(order[k], order[Next() % (k + 1)]);
    finish([&] {
      for (size_t number : order) {
        const uint32_t seed = Next();
        switch (seed % 3) {
          case 0:
            async([this, number, seed] { Task(number, seed); });
            break;
          case 1:
            (void)make_future([this, number, seed] { Task(number, seed); });
            break;
          default:
            (void)taskrace::fork([this, number, seed] { Task(number, seed); });
        }
      }
    });
    for (size_t number = 0; number < kTasks; ++number) {
      EXPECT_EQ(number, results_[number].get_future().get());
    }
  }

 private:
  static constexpr size_t kTasks = 200;

  static uint32_t Step(uint32_t& random) { return random = random * 1664525u + 1013904223u; }
  uint32_t Next() { return Step(random_) >> 8; }

  void Task(size_t number, uint32_t seed) {
    for (int i = 0; i < 3 && number != 0; ++i) {
      const size_t earlier = (Step(seed) >> 8) % number;
      const auto get = [this, earlier] {
        EXPECT_EQ(earlier, results_[earlier].get_future().get());
      };
      switch ((Step(seed) >> 8) % 5) {
        case 0:
          get();
          break;
        case 1: {
          taskrace::scope tasks;
          tasks.spawn(get);
          tasks.spawn([] {});
          break;
        }
        case 2:
          finish([&get] { async(get); });
          break;
        case 3:
          make_future(get).get();
          break;
        default:
          taskrace::parallel_for(0, 4, [&get](int) { get(); });
      }
    }
    results_[number].set_value(number);
  }

  uint32_t random_;
  std::vector<promise<size_t>> results_;
};

TEST(Waiting, InRandomProgramsWithoutCyclesEnds) {
  for (uint32_t seed = 1; seed <= 20; ++seed) RandomWaits(seed).Run();
}

}  // namespace
