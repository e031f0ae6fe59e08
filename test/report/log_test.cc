#include "report/log.h"

#include <gtest/gtest.h>

#include "sample.h"

namespace taskrace::report {
namespace {

constexpr char kStart[] =
    R"({"t":"start","version":"0.1","pid":7,"program":"./a.out","engine":"spbags","history":"shadow",)"
    R"("options":{"dedup":"address","exitcode":5},"forked":true})"
    "\n";

class LogTest : public testing::Test {
 protected:
  Result<Log> Read(const std::string& contents) {
    WriteFile(directory_.Path("log"), contents);
    return ReadLog(directory_.Path("log"));
  }
  TemporaryDirectory directory_;
};

TEST_F(LogTest, StartLineSaysWhatRanAndHow) {
  const auto log = Read(kStart);
  ASSERT_TRUE(log) << log.error();
  EXPECT_EQ(log->pid, 7);
  EXPECT_TRUE(log->forked);
  EXPECT_EQ(log->options.dedup, "address");
  EXPECT_EQ(log->options.exitcode, 5u);
  EXPECT_FALSE(log->end) << "no end line: the process was killed";
}

TEST_F(LogTest, AutosReasonIsReadAndTheLastEngineReplacesIt) {
  EXPECT_EQ(Read(kStart)->why, "") << "the user named the engine";
  const std::string chosen =
      R"({"t":"start","version":"0.1","engine":"multibags","why":"the program uses futures",)"
      R"("history":"shadow","options":{}})"
      "\n";
  EXPECT_EQ(Read(chosen)->engine, "multibags");
  EXPECT_EQ(Read(chosen)->why, "the program uses futures");
  const auto log = Read(chosen + R"({"t":"engine","engine":"donesets","why":"a second get"})"
                                 "\n");
  ASSERT_TRUE(log) << log.error();
  EXPECT_EQ(log->engine, "donesets");
  EXPECT_EQ(log->why, "a second get");
}

TEST_F(LogTest, ADeadlockNamesEveryTaskThatWaits) {
  EXPECT_FALSE(Read(kStart)->deadlock);
  const auto log =
      Read(std::string(kStart) +
           R"({"t":"deadlock","waiting":[{"task":3,"for":"a promise","stack":[[0,17],[0,18]],)"
           R"("made":[[0,19]],"created":[[[0,20]],[[0,21]]],"ancestors":[1,0]},)"
           R"({"task":0,"for":"the tasks of a scope","stack":[],"created":[],"ancestors":[]}]})"
           "\n");
  ASSERT_TRUE(log) << log.error();
  EXPECT_TRUE(log->messages.empty());
  ASSERT_TRUE(log->deadlock);
  ASSERT_EQ(log->deadlock->size(), 2u);
  const LoggedWait& first = log->deadlock->at(0);
  EXPECT_EQ(first.task, 3u);
  EXPECT_EQ(first.what, "a promise");
  EXPECT_EQ(first.stack, (RawStack{{0, 17}, {0, 18}}));
  EXPECT_EQ(first.made, (RawStack{{0, 19}}));
  EXPECT_EQ(first.created, (std::vector<RawStack>{{{0, 20}}, {{0, 21}}}));
  EXPECT_EQ(first.ancestors, (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(log->deadlock->at(1).what, "the tasks of a scope");
  EXPECT_TRUE(log->deadlock->at(1).made.empty()) << "not known";
}

TEST_F(LogTest, TheLastCountOfARaceCounts) {
  const Log log = SampleLog();
  ASSERT_EQ(log.races.size(), 4u);
  EXPECT_EQ(log.races[0].count, 12u);
  EXPECT_EQ(log.races[1].count, 1u);
}

TEST_F(LogTest, AnIncompleteLastLineIsIgnoredAtEveryLength) {
  const std::string end = "{\"t\":\"end\",\"how\":\"exit\",\"code\":3}";
  for (size_t length = 0; length < end.size(); ++length) {
    const auto log = Read(kStart + end.substr(0, length));
    ASSERT_TRUE(log) << log.error();
    EXPECT_FALSE(log->end);
    EXPECT_TRUE(log->messages.empty());
  }
}

TEST_F(LogTest, ADamagedLineInTheMiddleIsSkippedAndTold) {
  const auto log =
      Read(std::string(kStart) + "{\"t\":\"race\",\n{\"t\":\"end\",\"how\":\"exit\",\"code\":0}\n");
  ASSERT_TRUE(log) << log.error();
  EXPECT_TRUE(log->end);
  ASSERT_EQ(log->messages.size(), 1u);
  EXPECT_EQ(log->messages[0].text, "1 damaged lines in the log skipped");
}

TEST_F(LogTest, BytesThatAreNoUtf8SurviveInPaths) {
  const auto log =
      Read(std::string(kStart) + "{\"t\":\"module\",\"id\":0,\"path\":\"/x/\xff\xfe\"}\n");
  ASSERT_TRUE(log) << log.error();
  EXPECT_EQ(log->modules.at(0).path, "/x/\xff\xfe");
}

TEST_F(LogTest, WhatIsNoLogIsRefused) {
  for (const char* contents : {"hello\n", "{}\n", "[1]\n", "{\"t\":\"end\"}\n",
                               "\x7f"
                               "ELF"}) {
    const auto log = Read(contents);
    ASSERT_FALSE(log) << contents;
    EXPECT_NE(log.error().find("is not a log of taskrace"), std::string::npos) << log.error();
  }
  EXPECT_FALSE(Read(""));
  EXPECT_FALSE(ReadLog(directory_.Path("nothing")));
  EXPECT_FALSE(ReadLog(directory_.Path("")));
}

TEST_F(LogTest, AnotherVersionIsRefused) {
  const auto log = Read(R"({"t":"start","version":"9","options":{}})"
                        "\n");
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().find("version 9"), std::string::npos);
}

}  // namespace
}  // namespace taskrace::report
