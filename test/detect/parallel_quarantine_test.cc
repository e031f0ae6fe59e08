#include <gtest/gtest.h>

#include "detect/parallel/quarantine.h"
#include "test/detect/parallel_host.h"

namespace taskrace {
namespace {

class QuarantineTest : public testing::Test {
 protected:
  size_t Released() {
    size_t count = 0;
    quarantine.Collect([&](const Quarantine::Block&) { ++count; });
    return count;
  }

  Epochs epochs;
  size_t own = epochs.Join();
  size_t other = epochs.Join();
  Quarantine quarantine{epochs};
};

TEST_F(QuarantineTest, HoldsABlockUntilEveryRunningWorkerHasPassed) {
  epochs.Wake(own);
  epochs.Wake(other);
  quarantine.Add({1, 1});
  EXPECT_EQ(Released(), 0u);
  epochs.Pass(own);
  EXPECT_EQ(Released(), 0u);
  epochs.Pass(other);
  EXPECT_EQ(Released(), 1u);
  EXPECT_EQ(quarantine.Waiting(), 0u);
}

TEST_F(QuarantineTest, DoesNotWaitForWorkersAtRest) {
  epochs.Wake(own);
  quarantine.Add({1, 1});
  EXPECT_EQ(Released(), 0u);
  epochs.Pass(own);
  EXPECT_EQ(Released(), 1u);
}

TEST_F(QuarantineTest, ABlockDoesNotLeaveWithAnOlderBatch) {
  epochs.Wake(own);
  quarantine.Add({1, 1});
  EXPECT_EQ(Released(), 0u);
  epochs.Pass(own);
  epochs.Wake(other);  // may touch what is freed next, before it is freed
  quarantine.Add({2, 1});
  EXPECT_EQ(Released(), 1u);
  epochs.Pass(own);
  EXPECT_EQ(Released(), 0u);
  epochs.Rest(other);
  EXPECT_EQ(Released(), 1u);
}

TEST_F(QuarantineTest, ReleasesEachBlockOnceAndInOrder) {
  std::vector<uintptr_t> released;
  for (uintptr_t i = 1; i <= 1000; ++i) {
    quarantine.Add({i, 1});
    if (i % 7 == 0) quarantine.Collect([&](const auto& block) { released.push_back(block.first); });
  }
  for (int i = 0; i < 3; ++i) {
    quarantine.Collect([&](const auto& block) { released.push_back(block.first); });
  }
  ASSERT_EQ(released.size(), 1000u);
  for (uintptr_t i = 0; i < 1000; ++i) EXPECT_EQ(released[i], i + 1);
}

TEST(FreedMemory, IsNotNewWhileAnOlderAccessIsUntold) {
  CollectingHost host;
  ParallelDetection detection{host};
  ParallelWorker one{detection}, two{detection};
  TaskTree::TaskPlace root, child;
  TaskTree::Group implicit;
  one.Start(root, implicit);
  one.Create(root, child, How::kAsync, implicit, kNowhere);
  two.Run(child);

  two.Access(AccessKind::kRead, 0x5000, 8, Where{2});  // not told yet
  one.Retire(0x5000, 64, Where{1});
  for (int i = 0; i < 3; ++i) one.Tell();
  EXPECT_TRUE(host.released.empty());
  two.Stop();  // the read races with the free
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].earlier.where, Where{1});
  for (int i = 0; i < 3; ++i) one.Tell();
  ASSERT_EQ(host.released.size(), 1u);
  EXPECT_EQ(host.released[0].first, 0x5000u);

  two.Run(child);
  two.Access(AccessKind::kRead, 0x5020, 8, Where{4});  // too late, but nobody has the memory yet
  two.Tell();
  EXPECT_EQ(host.races.size(), 2u);
  two.Clear(0x5000, 64);  // now somebody has
  two.Access(AccessKind::kWrite, 0x5000, 8, Where{3});
  two.Stop();
  one.Stop();
  EXPECT_EQ(host.races.size(), 2u);
}

}  // namespace
}  // namespace taskrace
