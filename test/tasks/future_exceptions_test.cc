// Exceptions of futures and forks in the builds that have tasks: they wait for the get.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

namespace {

[[noreturn]] void Fail(const char* text) { throw std::runtime_error(text); }

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

TEST(FutureException, ReachesTheGet) {
  auto value = taskrace::make_future([]() -> int { Fail("task"); });
  EXPECT_EQ("", Thrown([&] { value.wait(); }));
  EXPECT_EQ("task", Thrown([&] { value.get(); }));
  EXPECT_FALSE(value.valid());
}

TEST(FutureException, ReachesEveryGetOfASharedFuture) {
  const auto value = taskrace::make_future([] { Fail("shared"); }).share();
  for (int i = 0; i < 3; ++i) EXPECT_EQ("shared", Thrown([&] { value.get(); }));
}

TEST(FutureException, StaysInTheFutureWhenTheFinishEnds) {
  taskrace::future<int> value;
  EXPECT_EQ("", Thrown([&] {
              taskrace::finish([&] {
                value = taskrace::make_future([]() -> int { Fail("kept"); });
                (void)taskrace::make_future([] { Fail("dropped"); });
              });
            }));
  EXPECT_EQ("kept", Thrown([&] { value.get(); }));
}

TEST(FutureException, PassesThroughAChain) {
  auto first = taskrace::make_future([]() -> int { Fail("deep"); });
  auto second = taskrace::make_future([&first] { return first.get() + 1; });
  auto third = taskrace::make_future([&second] { return second.get() + 1; });
  EXPECT_EQ("deep", Thrown([&] { third.get(); }));
}

TEST(FutureException, LetsGetBeCalledInAHandler) {
  // The exception that is handled is still the same after a wait.
  const std::string text = Thrown([] {
    try {
      Fail("outer");
    } catch (...) {
      auto value = taskrace::make_future([]() -> int { Fail("inner"); });
      EXPECT_EQ("inner", Thrown([&] { value.get(); }));
      throw;
    }
  });
  EXPECT_EQ("outer", text);
}

TEST(ForkException, ReachesTheJoin) {
  auto task = taskrace::fork([] { Fail("fork"); });
  EXPECT_EQ("fork", Thrown([&] { task.join(); }));
  EXPECT_FALSE(task.valid());
}

TEST(ForkException, IsDroppedWithTheHandle) {
  EXPECT_EQ("",
            Thrown([] { taskrace::finish([] { (void)taskrace::fork([] { Fail("lost"); }); }); }));
}

// A source of the numbers 0, 1, ... below `end`.
auto Numbers(int end) {
  return [end, next = 0]() mutable {
    return next == end ? std::optional<int>() : std::optional<int>(next++);
  };
}

TEST(PipelineException, OfAStageEndsItsItemAndLeavesThePipeline) {
  std::vector<int> seen;
  EXPECT_EQ("three", Thrown([&] {
              taskrace::pipeline(Numbers(1000), taskrace::parallel([](int i) {
                                   if (i == 3) Fail("three");
                                   return i;
                                 }),
                                 taskrace::serial([&seen](int i) { seen.push_back(i); }));
            }));
  // The items before it get through; those after it may.
  ASSERT_LE(3u, seen.size());
  for (size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(static_cast<int>(k < 3 ? k : k + 1), seen[k]);
  }
}

TEST(PipelineException, OfTheSourceWaitsForTheItemsUnderWay) {
  int through = 0;
  int next = 0;
  EXPECT_EQ("source", Thrown([&] {
              taskrace::pipeline(
                  [&next]() -> std::optional<int> {
                    if (next == 10) Fail("source");
                    return next++;
                  },
                  taskrace::serial([&through](int) { ++through; }));
            }));
  EXPECT_EQ(10, through);
}

TEST(PipelineException, OfALastStageStopsTheSource) {
  int asked = 0;
  EXPECT_EQ("first", Thrown([&] {
              taskrace::pipeline(
                  [&asked]() -> std::optional<int> {
                    if (++asked > 1000000) return std::nullopt;
                    return asked;
                  },
                  taskrace::serial([](int) { Fail("first"); }));
            }));
  EXPECT_GT(1000000, asked);
}

}  // namespace
