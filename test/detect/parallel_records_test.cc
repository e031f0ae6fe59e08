#include <gtest/gtest.h>

#include "detect/parallel/worker.h"
#include "test/detect/parallel_host.h"

// Records that no cell has are used again, and others are not. When the root is alone again, all are
// forgotten.
namespace taskrace {
namespace {

constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr uintptr_t kAt = 0x10'0000;
constexpr uintptr_t kElsewhere = 0x80'0000;

class ParallelRecordsTest : public testing::Test {
 protected:
  void SetUp() override { worker.Start(root, implicit); }
  // The root creates a task, which does something and ends.
  template <class Body>
  void InTask(Body body) {
    InTaskOf(implicit, body);
  }
  template <class Body>
  void InTaskOf(TaskTree::Group& finish, Body body) {
    TaskTree::TaskPlace task;
    worker.Create(root, task, How::kAsync, finish, Where{99});
    worker.Stop();
    worker.Run(task);
    body();
    worker.End();
    worker.Run(root);
  }
  void MakeRecordsThatNobodyNeeds(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      InTask([&] { worker.Access(kWrite, kElsewhere, 8, Where{1000}); });
      worker.Clear(kElsewhere, 8);
    }
  }

  // The root runs tasks one after the other, and waits for all of them.
  template <class... Bodies>
  void InPhase(Bodies... bodies) {
    TaskTree::Group finish;
    worker.Open(root, finish);
    (InTaskOf(finish, bodies), ...);
    worker.Stop();
    worker.Join(root, finish);
  }
  void Write(uint32_t where, uintptr_t first = kAt) {
    worker.Access(kWrite, first, 8, Where{where});
  }

  CollectingHost host;
  ParallelDetection detection{host};
  ParallelWorker worker{detection};
  TaskTree::TaskPlace root;
  TaskTree::Group implicit;
};

// A worker may see that a collection is wanted, and come when another one has ended it.
TEST_F(ParallelRecordsTest, NoCollectionBeginsThatNobodyWants) {
  const Collection::Round before = detection.collection.Now();
  const auto no_cells = [](auto) { return size_t{0}; };
  detection.collection.Advance(no_cells);
  EXPECT_EQ(detection.collection.Now(), before);
  detection.collection.Want();
  detection.collection.Advance(no_cells);
  EXPECT_NE(detection.collection.Now(), before);
}

TEST_F(ParallelRecordsTest, WhatNobodyNeedsTakesNoMoreSpace) {
  MakeRecordsThatNobodyNeeds(300'000);
  EXPECT_LT(detection.records.BytesUsed(), size_t{2} << 20);
}

TEST_F(ParallelRecordsTest, WhatSomeCellHasStays) {
  struct Access {
    AccessKind kind;
    uintptr_t first;
    size_t size;
  };
  const Access accesses[] = {
      {kWrite, kAt, 4096},                          // a closed page
      {kWrite, kAt + 0x2008, 8},                    // a cell of a line that differs
      {kWrite, kAt + 0x3000, 64},                   // a line that agrees
      {kWrite, kAt + 0x4001, 1},                    // a byte
      {AccessKind::kAtomicWrite, kAt + 0x5000, 1},  // a list
      {AccessKind::kRead, kAt + 0x6000, 8},         // a reader
  };
  InTask([&] {
    uint32_t where = 0;
    for (const Access& access : accesses) {
      worker.Access(access.kind, access.first, access.size, Where{++where});
    }
  });
  // More than a block, so that the records would be overwritten.
  for (size_t i = 0; i < 20; ++i) {
    worker.CollectSoon();
    MakeRecordsThatNobodyNeeds(300);
  }
  ASSERT_LT(detection.records.BytesUsed(), size_t{64} << 10) << "nothing was used again";
  uint32_t where = 0;
  for (const Access& access : accesses) {
    host.races.clear();
    InTask([&] { worker.Access(kWrite, access.first, access.size, Where{500}); });
    ++where;
    ASSERT_EQ(host.races.size(), 1u) << where;
    EXPECT_EQ(host.races[0].earlier.where, Where{where});
    EXPECT_EQ(host.races[0].later.where, Where{500});
  }
}

// A strand goes on telling, while what it knows by number is used for others.
TEST_F(ParallelRecordsTest, WhatAWorkerKnowsByNumberIsForgottenInTime) {
  TaskTree::TaskPlace task;
  worker.Create(root, task, How::kAsync, implicit, Where{99});
  ParallelWorker other(detection);
  other.Run(task);
  other.Access(kWrite, kAt, 8, Where{7});
  other.Tell();
  other.Clear(kAt, 8);
  for (size_t i = 0; i < 20; ++i) {
    worker.CollectSoon();
    MakeRecordsThatNobodyNeeds(300);
    other.Tell();
  }
  other.Access(kWrite, kAt, 8, Where{7});
  other.Tell();
  for (size_t i = 0; i < 3; ++i) MakeRecordsThatNobodyNeeds(300);
  InTask([&] { worker.Access(kWrite, kAt, 8, Where{8}); });
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].earlier.where, Where{7});
  EXPECT_EQ(host.races[0].earlier.record.strand, other.Strand());
}

TEST_F(ParallelRecordsTest, WhatRanBeforeTheRootWasAloneTakesNoSpace) {
  for (size_t i = 0; i < 1'000; ++i) {
    InPhase([&] { Write(1, kAt + 64 * i); }, [&] { Write(2, kAt + 64 * i + 8); });
  }
  EXPECT_LT(detection.records.BytesUsed(), size_t{16} << 10);
  EXPECT_LT(worker.PlaceBytes(), 256u);
}

TEST_F(ParallelRecordsTest, OnlyWhatRunsWithoutAWaitBetweenRaces) {
  InPhase([&] { Write(1); });
  InPhase([&] { Write(2); });
  EXPECT_TRUE(host.races.empty());
  InPhase([&] { Write(3); }, [&] { Write(4); });
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].earlier.where, Where{3});
  EXPECT_EQ(host.races[0].later.where, Where{4});
}

// Those of a reader that stays beside a new writer, too, and of lists and parts of cells.
TEST_F(ParallelRecordsTest, NumbersThatWereForgottenSayNothing) {
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kAtomicWrite, kWrite}) {
    for (const size_t size : {1u, 8u, 4096u}) {
      const auto access = [&](AccessKind kind, uint32_t where) {
        return [=, this] { worker.Access(kind, kAt, size, Where{where}); };
      };
      host.races.clear();
      InPhase(access(kind, 1), access(AccessKind::kRead, 2));
      host.races.clear();
      InPhase(access(kWrite, 3));
      InPhase(access(AccessKind::kRead, 4), access(AccessKind::kRead, 5));
      EXPECT_TRUE(host.races.empty());
      InPhase(access(AccessKind::kRead, 6), access(kWrite, 7));
      ASSERT_EQ(host.races.size(), 1u);
      EXPECT_EQ(host.races[0].earlier.where, Where{6});
    }
  }
}

// Else cells would have numbers that mean others.
TEST_F(ParallelRecordsTest, CellsAreClearedBeforeNumbersAreUsedAgain) {
  InPhase([&] { Write(1); });
  while (!detection.records.NeedsNumbers()) {
    RecordTable::Cursor cursor;
    for (size_t i = 0; i < 1'000; ++i) {
      cursor.LetGo();
      detection.records.Add(cursor, {});
    }
    detection.records.Forget();
  }
  InPhase([&] { Write(2); });
  EXPECT_FALSE(detection.records.NeedsNumbers());
  InPhase([&] { Write(3, kElsewhere); }, [&] { Write(4); });
  EXPECT_TRUE(host.races.empty());
  InPhase([&] { Write(5); }, [&] { Write(6); });
  ASSERT_EQ(host.races.size(), 1u);
  EXPECT_EQ(host.races[0].earlier.where, Where{5});
}

}  // namespace
}  // namespace taskrace
