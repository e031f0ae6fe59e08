// Exceptions in the builds that have tasks: an exception waits for the join, and no task is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <taskrace/tasks.hpp>

namespace {

// The text of what `call` throws; empty if it returns.
template <class Call>
std::string Thrown(Call call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

[[noreturn]] void Fail(const char* text) { throw std::runtime_error(text); }

TEST(ScopeException, ReachesSyncAfterAllTasksAreOver) {
  std::atomic<int> done{0};
  taskrace::scope tasks;
  for (int i = 0; i < 100; ++i) {
    tasks.spawn([&done, i] {
      if (i == 3) Fail("three");
      ++done;
    });
  }
  EXPECT_EQ("three", Thrown([&] { tasks.sync(); }));
  EXPECT_EQ(99, done);
}

TEST(ScopeException, IsThrownOnceAndTheScopeGoesOn) {
  taskrace::scope tasks;
  tasks.spawn([] { Fail("one"); });
  EXPECT_EQ("one", Thrown([&] { tasks.sync(); }));
  EXPECT_EQ("", Thrown([&] { tasks.sync(); }));
  tasks.spawn([] { Fail("two"); });
  EXPECT_EQ("two", Thrown([&] { tasks.sync(); }));
}

TEST(ScopeException, OfSeveralOneIsRethrown) {
  taskrace::scope tasks;
  for (int i = 0; i < 20; ++i) tasks.spawn([] { Fail("same"); });
  EXPECT_EQ("same", Thrown([&] { tasks.sync(); }));
  EXPECT_EQ("", Thrown([&] { tasks.sync(); }));
}

TEST(ScopeException, IsDroppedByTheDestructor) {
  std::atomic<int> done{0};
  EXPECT_EQ("", Thrown([&] {
              taskrace::scope tasks;
              tasks.spawn([] { Fail("dropped"); });
              tasks.spawn([&] { ++done; });
            }));
  EXPECT_EQ(1, done);
}

TEST(ScopeException, OfTheOwnerWaitsForTheTasks) {
  std::atomic<int> done{0};
  EXPECT_EQ("owner", Thrown([&] {
              taskrace::scope tasks;
              for (int i = 0; i < 50; ++i) tasks.spawn([&] { ++done; });
              tasks.spawn([] { Fail("task"); });
              Fail("owner");
            }));
  EXPECT_EQ(50, done);
}

TEST(ScopeException, PassesThroughNestedScopes) {
  EXPECT_EQ("deep", Thrown([] {
              taskrace::scope outer;
              outer.spawn([] {
                taskrace::scope inner;
                inner.spawn([] { Fail("deep"); });
                inner.sync();
              });
              outer.sync();
            }));
}

TEST(ScopeException, OfACopyLeavesSpawn) {
  struct Uncopyable {
    Uncopyable() = default;
    Uncopyable(const Uncopyable&) { Fail("copy"); }
    void operator()() const {}
  };
  Uncopyable callable;
  std::atomic<int> done{0};
  taskrace::scope tasks;
  tasks.spawn([&] { ++done; });
  EXPECT_EQ("copy", Thrown([&] { tasks.spawn(callable); }));
  tasks.spawn([&] { ++done; });
  EXPECT_EQ("", Thrown([&] { tasks.sync(); }));
  EXPECT_EQ(2, done);
}

TEST(FinishException, OfAnAsyncReachesTheFinish) {
  std::atomic<int> done{0};
  EXPECT_EQ("async", Thrown([&] {
              taskrace::finish([&] {
                for (int i = 0; i < 20; ++i) taskrace::async([&] { ++done; });
                taskrace::async([&] { taskrace::async([] { Fail("async"); }); });
                for (int i = 0; i < 20; ++i) taskrace::async([&] { ++done; });
              });
            }));
  EXPECT_EQ(40, done);
}

TEST(FinishException, OfTheBodyWaitsForTheAsyncs) {
  std::atomic<int> done{0};
  EXPECT_EQ("body", Thrown([&] {
              taskrace::finish([&] {
                for (int i = 0; i < 20; ++i) taskrace::async([&] { ++done; });
                Fail("body");
              });
            }));
  EXPECT_EQ(20, done);
}

TEST(FinishException, StopsAtTheInnermostFinish) {
  bool went_on = false;
  EXPECT_EQ("", Thrown([&] {
              taskrace::finish([&] {
                EXPECT_EQ("inner", Thrown([] {
                            taskrace::finish([] { taskrace::async([] { Fail("inner"); }); });
                          }));
                went_on = true;
              });
            }));
  EXPECT_TRUE(went_on);
}

TEST(FinishException, AfterAnInnerFinishGoesToTheOuter) {
  EXPECT_EQ("outer", Thrown([] {
              taskrace::finish([] {
                taskrace::async([] {
                  taskrace::finish([] { taskrace::async([] {}); });
                  Fail("outer");
                });
              });
            }));
}

TEST(ParallelForException, DoesNotStopOtherIterations) {
  std::atomic<int> done{0};
  EXPECT_EQ("loop", Thrown([&] {
              taskrace::parallel_for(0, 1000, [&](int i) {
                if (i % 100 == 5) Fail("loop");
                ++done;
              });
            }));
  EXPECT_EQ(990, done);
}

TEST(ParallelForException, EndsExactlyItsChunk) {
  std::atomic<bool> visited[15] = {};
  EXPECT_EQ("chunk", Thrown([&] {
              taskrace::parallel_for(0, 15, 4, [&](int i) {
                visited[i] = true;
                if (i == 5) Fail("chunk");
              });
            }));
  std::set<int> left_out;
  for (int i = 0; i < 15; ++i) {
    if (!visited[i]) left_out.insert(i);
  }
  EXPECT_EQ((std::set<int>{6, 7}), left_out);
}

TEST(ParallelInvokeException, ReachesTheCallerAfterTheOthers) {
  std::atomic<int> done{0};
  EXPECT_EQ("invoke", Thrown([&] {
              taskrace::parallel_invoke([&] { ++done; }, [] { Fail("invoke"); }, [&] { ++done; });
            }));
  EXPECT_EQ(2, done);
}

TEST(ParallelReduceException, OfAnyLeafReachesTheCaller) {
  for (int bad = 0; bad < 8; ++bad) {
    EXPECT_EQ("leaf", Thrown([bad] {
                taskrace::parallel_reduce(
                    0, 8, 1, 0,
                    [bad](int a, int, int sum) {
                      if (a == bad) Fail("leaf");
                      return sum;
                    },
                    [](int a, int b) { return a + b; });
              }));
  }
}

TEST(AsyncExceptionDeathTest, OutsideOfEveryFinishEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        taskrace::async([] { Fail("nobody waits"); });
        exit(0);
      },
      "terminate called.*");
}

}  // namespace
