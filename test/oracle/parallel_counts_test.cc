// What parallel detection does to shared memory, in counts: for docs/scaling.md, and so that a change
// for the worse is seen. Kernels are access patterns of the papers' programs, on threads.
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>

#include "test/detect/parallel_host.h"
#include "test/oracle/parallel_threads.h"

namespace taskrace::oracle {
namespace {

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr uintptr_t kA = 0x10'0000'0000, kB = 0x20'0000'0000, kC = 0x30'0000'0000;

using Group = Threads::Group;

// What a task can do.
class Task {
 public:
  Task(Threads& threads, Threads::Thread& thread, TaskTree::TaskPlace& place, Group* finish)
      : finish(finish), threads_(threads), thread_(thread), place_(place) {}

  void Touch(AccessKind kind, uintptr_t first, size_t size, uint32_t where) {
    thread_.worker.Access(kind, first, size, Where{where});
  }
  template <class Body>
  void Create(How how, Group& group, Body body) {
    auto child = std::make_shared<TaskTree::TaskPlace>();
    CHECK(thread_.worker.Create(place_, *child, how, group.tree, kNowhere) == nullptr, "class");
    Threads& threads = threads_;
    Group* inner = how == How::kAsync ? &group : finish;
    group.Run(threads, [&threads, inner, child, body](Threads::Thread& thread) {
      thread.worker.Run(*child);
      Task task(threads, thread, *child, inner);
      body(task);
      thread.worker.End();
    });
  }
  void Join(Group& group) {
    thread_.worker.Stop();
    group.Wait(threads_, thread_);
    CHECK(thread_.worker.Join(place_, group.tree) == nullptr, "class");
  }
  // async for each i in [0, count), and wait
  template <class Body>
  void ForEach(size_t count, Body body) {
    Group group;
    thread_.worker.Open(place_, group.tree);
    for (size_t i = 0; i < count; ++i) {
      Create(How::kAsync, group, [i, body](Task& task) { body(task, i); });
    }
    Join(group);
  }

  Group* finish;

 private:
  Threads& threads_;
  Threads::Thread& thread_;
  TaskTree::TaskPlace& place_;
};

// C = A B, a task for each row of C; B is read by all.
void MatrixProduct(Task& root) {
  constexpr size_t kN = 128, kRow = kN * 8;
  root.Touch(kWrite, kA, kN * kRow, 1);
  root.Touch(kWrite, kB, kN * kRow, 2);
  root.ForEach(kN, [](Task& task, size_t i) {
    for (size_t k = 0; k < kN; ++k) {
      task.Touch(kRead, kA + i * kRow + k * 8, 8, 3);
      task.Touch(kRead, kB + k * kRow, kRow, 4);
    }
    task.Touch(kWrite, kC + i * kRow, kRow, 5);
  });
}
// Rounds over rows of a grid that read their neighbours, red rows and black rows in turn.
void Relaxation(Task& root) {
  constexpr size_t kRows = 128, kRow = 1024, kRounds = 8;
  root.Touch(kWrite, kA, kRows * kRow, 1);
  for (size_t round = 0; round < 2 * kRounds; ++round) {
    root.ForEach(kRows / 2 - 1, [round](Task& task, size_t i) {
      const uintptr_t row = kA + (2 * i + 1 + round % 2) * kRow;
      task.Touch(kRead, row - kRow, kRow, 2);
      task.Touch(kRead, row + kRow, kRow, 3);
      task.Touch(kWrite, row, kRow, 4);
    });
  }
}
// Sorts halves in parallel, then merges from one array into the other.
void Sort(Task& task, uintptr_t first, size_t size) {
  if (size <= 512) {
    task.Touch(kRead, kA + first, size, 1);
    task.Touch(kWrite, kA + first, size, 2);
    return;
  }
  Group scope;
  const size_t half = size / 2;
  task.Create(How::kSpawn, scope, [=](Task& child) { Sort(child, first, half); });
  task.Create(How::kSpawn, scope, [=](Task& child) { Sort(child, first + half, half); });
  task.Join(scope);
  task.Touch(kRead, kA + first, size, 3);
  task.Touch(kWrite, kB + first, size, 4);
  task.Touch(kRead, kB + first, size, 5);
  task.Touch(kWrite, kA + first, size, 6);
}
void MergeSort(Task& root) { Sort(root, 0, size_t{1} << 18); }
// Many tiny tasks that touch a few words of their own.
void TinyTasks(Task& root) {
  root.ForEach(20'000, [](Task& task, size_t i) {
    task.Touch(kRead, kA + i * 16, 8, 1);
    task.Touch(kWrite, kA + i * 16, 8, 2);
  });
}
// All tasks count in one atomic.
void Counter(Task& root) {
  root.ForEach(2'000, [](Task& task, size_t i) {
    task.Touch(AccessKind::kAtomicWrite, kA, 4, 1);
    task.Touch(kWrite, kB + i * 8, 8, 2);
  });
}

struct Counts {
  uint64_t strands = 0, ranges = 0, records = 0, asked = 0, queries = 0;
  uint64_t cells = 0, changes = 0, conflicts = 0;
  size_t bytes = 0;
};

Counts Measure(const char* name, void (*kernel)(Task&), size_t thread_count) {
  CollectingHost host;
  const auto detection = std::make_unique<ParallelDetection>(host);
  Counts sum;
  {
    Threads threads(*detection, thread_count, 1);
    Threads::Thread& first = threads.First();
    TaskTree::TaskPlace place;
    Group implicit;
    first.worker.Start(place, implicit.tree);
    Task root(threads, first, place, &implicit);
    kernel(root);
    root.Join(implicit);
    first.worker.Stop();
    for (const Threads::Thread& thread : threads.All()) {
      const ParallelWorker::Counts& counts = thread.worker.GetCounts();
      const CellCounts& cells = thread.worker.GetCellCounts();
      sum.strands += counts.strands;
      sum.ranges += counts.ranges;
      sum.records += counts.records;
      sum.asked += counts.asked;
      sum.queries += counts.queries;
      sum.cells += cells.cells;
      sum.changes += cells.changes;
      sum.conflicts += cells.conflicts;
      sum.bytes += thread.worker.ShadowBytes();
    }
  }
  sum.bytes += detection->BytesUsed();
  EXPECT_EQ(host.races.size(), 0u) << name;
  const auto per = [](uint64_t a, uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  std::printf(
      "%-14s %2zu threads: strands %6lu ranges %7lu cells %8lu changes/range %.3f "
      "conflicts %5lu queries/range %.4f records/strand %.2f KiB %zu\n",
      name, thread_count, sum.strands, sum.ranges, sum.cells, per(sum.changes, sum.ranges),
      sum.conflicts, per(sum.queries, sum.ranges), per(sum.records, sum.strands), sum.bytes / 1024);
  return sum;
}

class ParallelCounts : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(On, ParallelCounts, testing::Values(1, 2, 4, 16));

TEST_P(ParallelCounts, OfASharedMatrixAreMostlyReads) {
  const Counts counts = Measure("matrix product", MatrixProduct, GetParam());
  // The operand that all read is one cell a page, a row two blocks.
  EXPECT_LT(counts.cells, 5'000u);
  EXPECT_LT(counts.changes * 8, counts.cells);
  EXPECT_LT(counts.queries, counts.ranges);
  EXPECT_LT(counts.records, counts.strands);
}
TEST_P(ParallelCounts, OfARelaxationAreAFewQueriesAndChangesForEachRow) {
  const Counts counts = Measure("relaxation", Relaxation, GetParam());
  EXPECT_LT(counts.cells, 7'000u);
  EXPECT_LT(counts.queries, 2 * counts.ranges);
  EXPECT_LT(counts.changes, 2 * counts.ranges);
}
TEST_P(ParallelCounts, OfASortAreOneChangeForEachRangeAndPageAtMost) {
  const Counts counts = Measure("merge sort", MergeSort, GetParam());
  EXPECT_LT(counts.cells, 20'000u);
  EXPECT_LE(counts.changes, counts.ranges);
}
TEST_P(ParallelCounts, OfTinyTasksAreARecordForEachTask) {
  const Counts counts = Measure("tiny tasks", TinyTasks, GetParam());
  EXPECT_LE(2 * counts.records, counts.strands);
}
TEST_P(ParallelCounts, OfACounterDoNotGrowWithTheTasks) {
  const Counts counts = Measure("counter", Counter, GetParam());
  EXPECT_LT(counts.changes, 4 * counts.strands);
}

}  // namespace
}  // namespace taskrace::oracle
