#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "driver/bench_counts.h"

namespace taskrace::driver {
namespace {

CountTable One(const std::string& name, int64_t count) { return {{"one/fft", {{name, count}}}}; }

using Lines = std::vector<std::string>;

TEST(Counts, AreTheSameAfterWritingAndReading) {
  const CountTable table = {{"one/fft", {{"emitted.reads", 7}, {"queries", 1234567890123}}},
                            {"two/a\"b", {{"tasks", 0}}}};
  char path[] = "/tmp/counts_test.XXXXXX";
  close(mkstemp(path));
  std::ofstream(path) << CountsJson(table, "test", {});
  const auto read = ReadCounts(path);
  unlink(path);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, table);
}

TEST(Counts, ATableThatCannotBeReadIsNamed) {
  EXPECT_EQ(ReadCounts("/none/counts.json").error(), "cannot read the counts in /none/counts.json");
}

TEST(Counts, OneMoreCheckInTheCodeIsARegression) {
  const auto compared = CompareCounts(One("emitted.reads", 101), One("emitted.reads", 100));
  EXPECT_EQ(compared.worse, Lines{"one/fft: emitted.reads 101, was 100"});
}

TEST(Counts, WhatDependsOnTheLayoutOfMemoryMayGrowALittle) {
  EXPECT_TRUE(CompareCounts(One("queries", 102), One("queries", 100)).worse.empty());
  EXPECT_FALSE(CompareCounts(One("queries", 103), One("queries", 100)).worse.empty());
}

TEST(Counts, FewerIsAnImprovementAndNoRegression) {
  const auto compared = CompareCounts(One("emitted.reads", 90), One("emitted.reads", 100));
  EXPECT_TRUE(compared.worse.empty());
  EXPECT_EQ(compared.better, Lines{"one/fft: emitted.reads 90, was 100"});
}

TEST(Counts, FewerStrandsAreNoImprovement) {
  EXPECT_FALSE(CompareCounts(One("strands", 99), One("strands", 100)).worse.empty());
}

TEST(Counts, AProgramOrACountThatOnlyOneSideHasIsTold) {
  EXPECT_EQ(CompareCounts(One("tasks", 1), {}).worse, Lines{"one/fft: not in the table"});
  EXPECT_EQ(CompareCounts({{"one/fft", {}}}, One("tasks", 1)).worse,
            Lines{"one/fft: tasks is counted no longer"});
  EXPECT_EQ(CompareCounts(One("tasks", 1), {{"one/fft", {}}}).worse,
            Lines{"one/fft: tasks is counted now, and not in the table"});
}

TEST(Counts, ProgramsThatWereNotCountedAreNotCompared) {
  const CountTable accepted = {{"one/fft", {{"tasks", 1}}}, {"two/fft", {{"tasks", 9}}}};
  EXPECT_TRUE(CompareCounts(One("tasks", 1), accepted).worse.empty());
}

}  // namespace
}  // namespace taskrace::driver
