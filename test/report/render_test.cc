#include "report/render.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "report/json.h"
#include "report/log_format.h"
#include "report/output_file.h"
#include "report/report.h"
#include "sample.h"

namespace taskrace::report {
namespace {

using nlohmann::json;

TEST(Json, HasTheKeysOfTheDesign) {
  const json report = json::parse(RenderJson(MakeReport(SampleLog())));
  EXPECT_EQ(report["taskrace"], "0.1");
  EXPECT_EQ(report["program"], "./sample");
  EXPECT_EQ(report["exit_code"], 66);
  EXPECT_EQ(report["suppressed"], 0);
  EXPECT_EQ(report["stats"]["engine"], "spbags");
  EXPECT_EQ(report["stats"]["strands"], 25);
  const json& race = report["races"].at(0);
  EXPECT_EQ(race["kind"], "write-read");
  EXPECT_EQ(race["count"], 13);
  EXPECT_TRUE(race["address"].get<std::string>().starts_with("0x"));
  EXPECT_TRUE(race["joined_at"].is_null());
  EXPECT_EQ(race["location"]["name"], "sample::total");
  EXPECT_EQ(race["location"]["what"], "global");
  const json& access = race["accesses"].at(0);
  EXPECT_EQ(access["op"], "write");
  EXPECT_EQ(access["stack"].at(0)["line"], SampleLine("the write"));
  EXPECT_EQ(access["task_created_at"].at(0).at(0)["line"], SampleLine("creates the writer"));
}

TEST(Json, GivesTheReasonForTheEngineIfThereIsOne) {
  Log log = SampleLog();
  EXPECT_FALSE(json::parse(RenderJson(MakeReport(log)))["stats"].contains("engine_reason"));
  log.why = "all joins nest";
  const json report = json::parse(RenderJson(MakeReport(log)));
  EXPECT_EQ(report["stats"]["engine_reason"], "all joins nest");
  EXPECT_EQ(report["stats"]["engine"], "spbags");
}

TEST(Json, HasEveryTaskOfADeadlock) {
  EXPECT_TRUE(json::parse(RenderJson(MakeReport(SampleLog())))["deadlock"].is_null());
  Log log = SampleLog("", Ending::kDeadlock);
  log.deadlock->resize(30, log.deadlock->at(0));
  const json report = json::parse(RenderJson(MakeReport(log)));
  EXPECT_EQ(report["exit_code"], 67);
  EXPECT_EQ(report["races"].size(), 3u) << "races found so far are kept";
  const json& waiting = report["deadlock"]["waiting"];
  ASSERT_EQ(waiting.size(), 30u);
  EXPECT_EQ(waiting[0]["task"], 3);
  EXPECT_EQ(waiting[0]["for"], "a promise");
  EXPECT_EQ(waiting[0]["stack"].at(0)["line"], SampleLine("waits"));
  EXPECT_EQ(waiting[0]["made_at"].at(0)["line"], SampleLine("makes the promise"));
  ASSERT_EQ(waiting[0]["task_created_at"].size(), 2u);
  EXPECT_EQ(waiting[0]["task_created_at"].at(0).at(0)["line"], SampleLine("creates the writer"));
  EXPECT_EQ(waiting[1]["task"], 0);
  for (const char* key : {"stack", "made_at", "task_created_at"}) {
    EXPECT_EQ(waiting[1][key], json::array()) << key;
  }
}

TEST(Json, HasTheSameKeysWhateverTheLocation) {
  Log log = SampleLog("dedup=address");
  log.races.push_back(log.races[0]);
  log.races.back().location = {};
  log.races.back().location.what = "tls";
  const json report = json::parse(RenderJson(MakeReport(log)));
  std::set<std::string> seen;
  for (const json& race : report["races"]) {
    for (const char* key : {"kind", "address", "size", "count", "accesses", "joined_at"}) {
      EXPECT_TRUE(race.contains(key)) << key;
    }
    const json& location = race["location"];
    seen.insert(location["what"]);
    for (const char* key : {"name", "offset", "file", "line", "allocated_at"}) {
      EXPECT_TRUE(location.contains(key)) << key << " of " << location["what"];
    }
    for (const json& access : race["accesses"]) {
      for (const char* key : {"op", "size", "task", "strand", "stack", "task_created_at"}) {
        EXPECT_TRUE(access.contains(key)) << key;
      }
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"global", "heap", "stack", "tls"}));
}

TEST(Json, IsValidWhateverBytesNamesHave) {
  Log log = SampleLog();
  log.program = "a\xff\n\"";
  log.races[3].location.name = std::string("\xc3\x28\0x", 4);
  log.messages.push_back({"warning", "\xed\xa0\x80", {{"\x80", {}}}});
  const json report = json::parse(RenderJson(MakeReport(log)));
  EXPECT_EQ(report["program"], "a\\xFF\n\"");
}

TEST(OutputFile, NamesTheProcess) {
  EXPECT_EQ(OutputPath("a-%p.json", 7, false), "a-7.json");
  EXPECT_EQ(OutputPath("a-%p.json", 7, true), "a-7.json");
  EXPECT_EQ(OutputPath("a.json", 7, true), "a.json.7");
  EXPECT_EQ(OutputPath("100%", 7, false), "100%");
}

TEST(OutputFile, IsNeverWrittenThroughALink) {
  const TemporaryDirectory directory;
  WriteFile(directory.Path("victim"), "precious");
  ASSERT_EQ(symlink(directory.Path("victim").c_str(), directory.Path("link").c_str()), 0);
  EXPECT_FALSE(ProbeOutputFile(directory.Path("link")));
  EXPECT_FALSE(WriteOutputFile(directory.Path("link"), "x"));
  EXPECT_EQ(ReadFile(directory.Path("victim")), "precious");
}

TEST(OutputFile, ProbingLeavesNothingBehindAndDestroysNothing) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(ProbeOutputFile(directory.Path("new")));
  EXPECT_FALSE(std::filesystem::exists(directory.Path("new")));
  WriteFile(directory.Path("there"), "kept");
  EXPECT_TRUE(ProbeOutputFile(directory.Path("there")));
  EXPECT_EQ(ReadFile(directory.Path("there")), "kept");
  EXPECT_FALSE(ProbeOutputFile(directory.Path("no/such/directory")));
}

TEST(OutputFile, APipeWithoutAReaderIsAnErrorNotAWait) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkfifo(directory.Path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(WriteOutputFile(directory.Path("pipe"), "x"));
}

TEST(OutputFile, KeepsWhatItHadIfTheNewContentsCannotBeWritten) {
  const TemporaryDirectory directory;
  WriteFile(directory.Path("there"), "kept");
  chmod(directory.Path("there").c_str(), 0640);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{10, before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  const auto written = WriteOutputFile(directory.Path("there"), std::string(100, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error(), "cannot write " + directory.Path("there") + ": File too large");
  EXPECT_EQ(ReadFile(directory.Path("there")), "kept");
  EXPECT_TRUE(WriteOutputFile(directory.Path("there"), "new"));
  EXPECT_EQ(ReadFile(directory.Path("there")), "new");
  struct stat status;
  stat(directory.Path("there").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u) << "who may read it has changed";
  const std::filesystem::directory_iterator files(directory.Path(""));
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "something was left behind";
}

TEST(OutputFile, MayBeADevice) { EXPECT_TRUE(WriteOutputFile("/dev/null", "x")); }

TEST(Render, WritesJsonDeletesTheLogAndAnswers) {
  const TemporaryDirectory directory;
  WriteSampleLog(directory.Path("log"), "json=" + directory.Path("out.json"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(Render(directory.Path("log"), RenderMode::kFull), kReported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("3 races"), std::string::npos);
  EXPECT_EQ(json::parse(ReadFile(directory.Path("out.json")))["races"].size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(directory.Path("log")));
}

TEST(Render, TheVerdictAloneLeavesTheLogAndHeedsSuppressions) {
  const TemporaryDirectory directory;
  WriteSampleLog(directory.Path("log"), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Render(directory.Path("log"), RenderMode::kVerdictOnly), kReported);
  EXPECT_TRUE(std::filesystem::exists(directory.Path("log")));
  WriteFile(directory.Path("rules"), "race:*\n");
  WriteSampleLog(directory.Path("log"), "suppressions=" + directory.Path("rules"));
  EXPECT_EQ(Render(directory.Path("log"), RenderMode::kVerdictOnly), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Render, RacesAreReportedEvenIfTheJsonCannotBeWritten) {
  const TemporaryDirectory directory;
  WriteSampleLog(directory.Path("log"), "json=/nowhere/out.json");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Render(directory.Path("log"), RenderMode::kFull), kReported);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("cannot write /nowhere/out.json"), std::string::npos);
  EXPECT_NE(text.find("3 races"), std::string::npos);
}

TEST(Render, LeavesItsVerdictInTheLogBehindTheLines) {
  const TemporaryDirectory directory;
  WriteSampleLog(directory.Path("log"), "");
  const std::string lines = ReadFile(directory.Path("log"));
  WriteFile(directory.Path("log"), lines + std::string(4096, '\0'));
  testing::internal::CaptureStderr();
  EXPECT_EQ(Render(directory.Path("log"), RenderMode::kKeepLog), kReported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("3 races"), std::string::npos);
  const std::string after = ReadFile(directory.Path("log"));
  EXPECT_EQ(after.size(), lines.size() + 4096);
  EXPECT_EQ(std::string(after.c_str()),
            lines + "{\"t\":\"verdict\",\"reports\":3,\"complete\":true}\n");
  const auto log = ReadLog(directory.Path("log"));
  ASSERT_TRUE(log && log->verdict);
  EXPECT_EQ(log->verdict->reports, 3u);
}

TEST(Render, AVerdictSaysThatTheJsonIsMissing) {
  const TemporaryDirectory directory;
  WriteSampleLog(directory.Path("log"), "json=/nowhere/out.json");
  testing::internal::CaptureStderr();
  Render(directory.Path("log"), RenderMode::kKeepLog);
  testing::internal::GetCapturedStderr();
  const auto log = ReadLog(directory.Path("log"));
  ASSERT_TRUE(log && log->verdict);
  EXPECT_FALSE(log->verdict->complete);
}

TEST(Render, WhatIsNoLogIsRefusedAndKept) {
  const TemporaryDirectory directory;
  WriteFile(directory.Path("notes.txt"), "hello\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Render(directory.Path("notes.txt"), RenderMode::kFull), 2);
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(std::filesystem::exists(directory.Path("notes.txt")));
}

}  // namespace
}  // namespace taskrace::report
