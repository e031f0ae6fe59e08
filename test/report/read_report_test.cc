#include "report/read_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/text.h"
#include "sample.h"

namespace taskrace::report {
namespace {

using nlohmann::json;

std::string SampleJson(Ending ending = Ending::kExit) {
  return RenderJson(MakeReport(SampleLog("", ending)));
}

// The sample's report with a change, read.
template <class Change>
Result<Report> ReadChanged(Change change) {
  json report = json::parse(SampleJson());
  change(report);
  return ParseReport(report.dump(), "a.json");
}

TEST(ReadReport, GivesTheSameTextAsTheReportThatWasWritten) {
  Log log = SampleLog("hidden_summary=1", Ending::kDeadlock);
  log.races[0].accesses[0].iterations = {{0, 17}, {1, 3}};
  log.races[1].accesses[0].threads = {{0, {1, 4}}};
  log.races[2].accesses[1].is_loop = true;
  for (const bool with_races : {true, false}) {
    if (!with_races) log.races.clear();
    const Report report = MakeReport(log);
    const auto read = ParseReport(RenderJson(report), "a.json");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(RenderText(*read, false), RenderText(report, false));
    EXPECT_EQ(RenderJson(*read), RenderJson(report));
  }
}

TEST(ReadReport, WhatIsTruncatedIsCalledThat) {
  const std::string whole = SampleJson();
  for (const size_t size : {whole.size() / 4, whole.size() / 2, whole.size() - 3}) {
    const auto read = ParseReport(std::string_view(whole).substr(0, size), "a.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), "a.json is truncated: the end of the report is missing");
  }
  EXPECT_EQ(ParseReport("", "a.json").error(), "a.json is empty");
}

TEST(ReadReport, WhatIsNotAReportIsCalledThat) {
  EXPECT_EQ(ParseReport("hello\n", "a.txt").error(),
            "a.txt is not a report of taskrace: it is not JSON");
  EXPECT_EQ(ParseReport("[1, 2]", "a.json").error(), "a.json is not a report of taskrace");
  EXPECT_EQ(ParseReport("{\"version\": \"2.1.0\"}", "a.json").error(),
            "a.json is not a report of taskrace");
  EXPECT_EQ(ReadReport("/nowhere/a.json").error(),
            "cannot read /nowhere/a.json: No such file or directory");
  EXPECT_EQ(ReadReport("/tmp").error(), "cannot read /tmp: it is a directory");
}

TEST(ReadReport, OtherVersionsAreRefused) {
  EXPECT_EQ(ReadChanged([](json& report) { report["schema"] = 2; }).error(),
            "a.json was written by a newer taskrace: it has schema 2, this one reads up to 1");
  EXPECT_EQ(
      ReadChanged([](json& report) { report.erase("schema"); }).error(),
      "a.json was written by an older taskrace, whose reports cannot be read: run the program "
      "again");
}

TEST(ReadReport, DamageIsNamedByItsKey) {
  EXPECT_EQ(ReadChanged([](json& report) { report.erase("races"); }).error(),
            "a.json is damaged: the key 'races' is missing");
  EXPECT_EQ(ReadChanged([](json& report) { report["races"][0]["count"] = "many"; }).error(),
            "a.json is damaged: 'count' is not a whole number");
  EXPECT_EQ(ReadChanged([](json& report) { report["races"][0]["accesses"].erase(0); }).error(),
            "a.json is damaged: a race does not have two accesses");
  EXPECT_EQ(ReadChanged([](json& report) { report["races"][0]["runs"] = {7}; }).error(),
            "a.json is damaged: a race names a run that is not listed");
}

}  // namespace
}  // namespace taskrace::report
