#include "detect/task_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace taskrace {
namespace {

std::vector<uint32_t> Running(TaskTable& table) {
  std::vector<uint32_t> running;
  table.ForEachRunning([&](TaskId task) { running.push_back(Index(task)); });
  return running;
}

TEST(TaskTable, KnowsWhoRuns) {
  TaskTable table;
  table.Add(kRootTask, kNowhere);
  for (uint32_t i = 1; i < 200; ++i) table.Add(TaskId{i - 1}, Where{i});
  for (uint32_t i = 3; i < 199; ++i) table.End(TaskId{i});
  EXPECT_EQ(Running(table), (std::vector<uint32_t>{0, 1, 2, 199}));
}

TEST(TaskTable, ATaskIsKeptWithThoseThatCreatedIt) {
  TaskTable table;
  table.Add(kRootTask, kNowhere);
  for (uint32_t i = 1; i < 5000; ++i) {
    table.Add(TaskId{i / 2}, Where{i}, i % 7 == 0);
    table.End(TaskId{i});
  }
  const size_t before = table.BytesUsed();
  table.Keep(TaskId{4900});
  EXPECT_TRUE(table.IsKept(TaskId{1225}));
  EXPECT_FALSE(table.IsKept(TaskId{1226}));
  table.ForgetOthers();
  for (uint32_t task = 4900; task != 0; task /= 2) {
    EXPECT_EQ(table.Creator(TaskId{task}), TaskId{task / 2});
    EXPECT_EQ(table.CreatedAt(TaskId{task}), Where{task});
    EXPECT_EQ(table.IsLoop(TaskId{task}), task % 7 == 0);
  }
  EXPECT_LT(table.BytesUsed(), before);
  EXPECT_EQ(Running(table), (std::vector<uint32_t>{0}));
  EXPECT_EQ(table.Add(kRootTask, kNowhere), TaskId{5000});
}

TEST(TaskTable, NumbersGoOnWhenAllButTheRootAreForgotten) {
  TaskTable table;
  for (uint32_t i = 0; i < 100; ++i) table.Add(kRootTask, kNowhere);
  table.Forget();
  EXPECT_EQ(Running(table), (std::vector<uint32_t>{0}));
  EXPECT_EQ(table.Add(kRootTask, Where{9}), TaskId{100});
  EXPECT_EQ(Running(table), (std::vector<uint32_t>{0, 100}));
  EXPECT_EQ(table.CreatedAt(TaskId{100}), Where{9});
}

}  // namespace
}  // namespace taskrace
