#include <gtest/gtest.h>

#include <memory>

#include "detect/parallel/worker.h"
#include "test/detect/parallel_host.h"

// Where strands touched what cells remember them for, and nothing else.
namespace taskrace {
namespace {

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr uintptr_t kAt = 0x10'0000;
constexpr uintptr_t kElsewhere = 0x80'0000;

class ParallelPlacesTest : public testing::Test {
 protected:
  void SetUp() override { one.Start(root, implicit); }
  // The root creates a task, which the worker runs until it has done something.
  template <class Body>
  void InTask(ParallelWorker& worker, Body body) {
    TaskTree::TaskPlace task;
    one.Create(root, task, How::kAsync, implicit, Where{99});
    if (&worker == &one) one.Stop();
    worker.Run(task);
    body(worker);
    worker.End();
    if (&worker == &one) one.Run(root);
  }
  void Write(ParallelWorker& worker, uintptr_t first, size_t size, uint32_t where) {
    InTask(worker, [&](ParallelWorker& in) { in.Access(kWrite, first, size, Where{where}); });
  }

  CollectingHost host;
  ParallelDetection detection{host};
  ParallelWorker one{detection};
  ParallelWorker two{detection};
  TaskTree::TaskPlace root;
  TaskTree::Group implicit;
};

TEST_F(ParallelPlacesTest, ARaceIsOneForEachPairOfAccesses) {
  InTask(one, [](ParallelWorker& in) {
    in.Access(kWrite, kAt, 16, Where{1});
    in.Access(kWrite, kAt + 16, 16, Where{2});
  });
  InTask(two, [](ParallelWorker& in) {
    in.Access(kRead, kAt + 4, 4, Where{3});
    in.Access(kRead, kAt + 8, 16, Where{4});
  });
  ASSERT_EQ(host.races.size(), 3u);
  const auto expect = [&](size_t i, uintptr_t first, size_t size, uint32_t earlier,
                          uint32_t later) {
    EXPECT_EQ(host.races[i].first, first);
    EXPECT_EQ(host.races[i].size, size);
    EXPECT_EQ(host.races[i].earlier.where, Where{earlier});
    EXPECT_EQ(host.races[i].earlier.size, 16u);
    EXPECT_EQ(host.races[i].later.where, Where{later});
  };
  expect(0, kAt + 4, 4, 1, 3);
  expect(1, kAt + 8, 8, 1, 4);
  expect(2, kAt + 16, 8, 2, 4);
}

TEST_F(ParallelPlacesTest, AStrandThatNoCellRemembersLeavesNothing) {
  for (uint32_t i = 0; i < 3; ++i) {
    InTask(one, [](ParallelWorker& in) { in.Access(kRead, kAt, 64, Where{1}); });
  }
  const size_t before = one.PlaceBytes();
  for (uint32_t i = 0; i < 1000; ++i) {
    InTask(one, [](ParallelWorker& in) { in.Access(kRead, kAt, 64, Where{1}); });
  }
  EXPECT_EQ(one.PlaceBytes(), before);
}

TEST_F(ParallelPlacesTest, WhatCellsHaveForgottenTakesNoMoreSpace) {
  for (size_t i = 0; i < 300'000; ++i) {
    Write(one, kElsewhere, 8, 1);
    one.Clear(kElsewhere, 8);
  }
  EXPECT_LT(one.PlaceBytes(), size_t{4} << 20);
}

TEST_F(ParallelPlacesTest, ManyPlacesOfFewStrandsAreCollectedToo) {
  size_t most = 0;
  for (size_t i = 0; i < 1000; ++i) {
    InTask(one, [](ParallelWorker& in) {
      for (uint32_t j = 0; j < 4000; ++j) {
        in.Access(kWrite, kElsewhere + j * j % 65521 * 8, 8, Where{j});
      }
    });
    one.Clear(kElsewhere, 65536 * 8);
    most = std::max(most, one.PlaceBytes());
  }
  EXPECT_LT(most, size_t{40} << 20);
}

// While a collection runs, after the cells were looked at and before anything is forgotten.
TEST_F(ParallelPlacesTest, AStrandThatComesDuringACollectionStays) {
  Write(two, kElsewhere, 8, 1);
  one.CollectSoon();
  uint32_t where = 10;
  for (size_t i = 0; i < 40; ++i) {
    one.Tell();
    Write(two, kAt + 64 * i, 8, ++where);
    if (i % 4 == 3) two.Rest();
    one.CollectSoon();
  }
  for (size_t i = 0; i < 40; ++i) {
    host.races.clear();
    Write(one, kAt + 64 * i, 8, 500);
    ASSERT_EQ(host.races.size(), 1u);
    EXPECT_EQ(host.races[0].earlier.where, Where{static_cast<uint32_t>(11 + i)});
  }
}

// Nothing is left of the first strand's only access when it ends.
TEST_F(ParallelPlacesTest, AStrandWhoseAccessesAreForgottenIsNotAmongLaterOnes) {
  InTask(two, [](ParallelWorker& in) {
    in.Access(kWrite, kElsewhere, 8, Where{1});
    in.Clear(kElsewhere, 8);
  });
  InTask(two, [](ParallelWorker& in) {
    for (uint32_t i = 0; i < 5; ++i) {
      in.Access(AccessKind::kAtomicWrite, kAt + 64 * i, 1, Where{10 + i});
      in.SetLocks(LockSet{1 + i});
      in.Access(kWrite, kAt + 64 * i + 8, 8, Where{20 + i});
      in.SetLocks(kNoLocks);
    }
  });
  for (uint32_t i = 0; i < 5; ++i) {
    host.races.clear();
    Write(one, kAt + 64 * i, 1, 500);
    Write(one, kAt + 64 * i + 8, 1, 500);
    ASSERT_EQ(host.races.size(), 2u);
    EXPECT_EQ(host.races[0].earlier.where, Where{10 + i});
    EXPECT_EQ(host.races[1].earlier.where, Where{20 + i});
  }
}

// A cell remembers the strand since before a collection, and the strand goes on.
TEST_F(ParallelPlacesTest, WhatAStrandTouchesLaterIsFoundToo) {
  TaskTree::TaskPlace task;
  one.Create(root, task, How::kAsync, implicit, Where{99});
  two.Run(task);
  for (uint32_t i = 0; i < 20; ++i) {
    two.Access(kWrite, kAt + 8 * i, 8, Where{i + 1});
    two.Tell();
    host.races.clear();
    Write(one, kAt + 8 * i, 8, 500);
    ASSERT_EQ(host.races.size(), 1u);
    EXPECT_EQ(host.races[0].earlier.where, Where{i + 1});
    if (i % 3 == 0) one.CollectSoon();
  }
}

}  // namespace
}  // namespace taskrace
