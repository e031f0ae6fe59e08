#include "detect/iteration_log.h"

#include <gtest/gtest.h>

namespace taskrace {
namespace {

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;

StrandId Iteration(uint32_t n) { return StrandId{Index(kFirstIteration) + n}; }

// The code that touched the byte; kNowhere: none.
Where Find(const IterationLog& log, uint32_t iteration, AccessKind kind, uintptr_t byte) {
  AccessLog::Found found{};
  return log.Find({Iteration(iteration), kind, kNoLocks}, byte, found) ? found.code : kNowhere;
}

TEST(IterationLog, KnowsTheLastAccessOfEachStrand) {
  IterationLog log;
  for (uint32_t i = 0; i < 3; ++i) {
    log.Add(Iteration(i), kRead, Where{10 + i}, 1000, 8);
    log.Add(Iteration(i), kWrite, Where{20 + i}, 1004, 4);
    log.Add(Iteration(i), kRead, Where{30 + i}, 1007, 1);
  }
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(Find(log, i, kRead, 1000), Where{10 + i});
    EXPECT_EQ(Find(log, i, kRead, 1007), Where{30 + i});
    EXPECT_EQ(Find(log, i, kWrite, 1007), Where{20 + i});
    EXPECT_EQ(Find(log, i, kWrite, 1003), kNowhere);
  }
  EXPECT_EQ(Find(log, 3, kRead, 1000), kNowhere);
}

TEST(IterationLog, ForgetsBytesThatAreOtherMemoryNow) {
  IterationLog log;
  log.Add(Iteration(0), kRead, Where{1}, 1000, 8);
  log.Add(Iteration(1), kRead, Where{2}, 1000, 8);
  log.Add(Iteration(1), kWrite, Where{3}, 2000, 4);
  log.Forget(Iteration(1), 1002, 4);
  EXPECT_EQ(Find(log, 1, kRead, 1001), Where{2});
  EXPECT_EQ(Find(log, 1, kRead, 1002), kNowhere);
  EXPECT_EQ(Find(log, 1, kRead, 1005), kNowhere);
  EXPECT_EQ(Find(log, 1, kRead, 1006), Where{2});
  EXPECT_EQ(Find(log, 1, kWrite, 2000), Where{3});
  EXPECT_EQ(Find(log, 0, kRead, 1002), Where{1});
  // New memory is touched anew.
  log.Add(Iteration(1), kRead, Where{4}, 1002, 2);
  EXPECT_EQ(Find(log, 1, kRead, 1002), Where{4});
  EXPECT_EQ(Find(log, 1, kRead, 1005), kNowhere);
}

TEST(IterationLog, DoesNotGrowWhereTheSameBytesAreForgottenAgain) {
  IterationLog log;
  log.Add(Iteration(0), kRead, Where{1}, 1000, 8);
  log.Forget(Iteration(0), 1002, 4);
  const size_t bytes = log.BytesUsed();
  for (int i = 0; i < 100; ++i) {
    log.Add(Iteration(0), kWrite, Where{2}, 1002, 4);
    log.Forget(Iteration(0), 1002, 4);
  }
  EXPECT_EQ(log.BytesUsed(), bytes);
  EXPECT_EQ(Find(log, 0, kRead, 1002), kNowhere);
  EXPECT_EQ(Find(log, 0, kRead, 1000), Where{1});
}

TEST(IterationLog, KeepsWhatIsRememberedWhenItIsCollected) {
  IterationLog log;
  for (uint32_t i = 0; i < 200; ++i) log.Add(Iteration(i), kWrite, Where{1 + i}, 1000 + i, 1);
  log.Collect([](auto mark) {
    mark(Iteration(3));
    mark(Iteration(150));
    mark(Iteration(500));
    mark(StrandId{7});
  });
  for (uint32_t i = 0; i < 200; ++i) {
    EXPECT_EQ(Find(log, i, kWrite, 1000 + i), i == 3 || i == 150 ? Where{1 + i} : kNowhere);
  }
  EXPECT_EQ(log.BytesUsed(), 2 * 16u);
}

}  // namespace
}  // namespace taskrace
