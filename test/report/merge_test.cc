#include "report/merge.h"

#include <gtest/gtest.h>

#include "report/fingerprint.h"
#include "report/json.h"
#include "report/read_report.h"
#include "report/text.h"
#include "sample.h"

namespace taskrace::report {
namespace {

Stack At(uint32_t line) { return {{.function = "f(int)", .file = "/src/a.cc", .line = line}}; }

ReportedRace RaceOn(const std::string& name, uint32_t one, uint32_t other, uint64_t count = 1) {
  ReportedRace race;
  race.race_class = "race";
  race.kind = "write-write";
  race.count = count;
  race.location.what = "global";
  race.location.name = name;
  race.accesses[0].op = race.accesses[1].op = "write";
  race.accesses[0].stack = At(one);
  race.accesses[1].stack = At(other);
  race.runs = {0};
  return race;
}

Report Of(std::vector<ReportedRace> races) {
  Report report;
  report.races = std::move(races);
  for (const ReportedRace& race : report.races) report.occurrences += race.count;
  report.runs.emplace_back();
  report.runs[0].reports = report.races.size();
  report.runs[0].exec = "serial";
  return report;
}

Report Merged(std::vector<Report> reports) {
  Merger merger;
  for (size_t i = 0; i < reports.size(); ++i) {
    merger.Add(std::move(reports[i]), std::to_string(i) + ".json");
  }
  return merger.Take();
}

TEST(Merge, RacesOfTheSameLinesAndVariableAreOneWithTheSumOfCounts) {
  const Report report = Merged({Of({RaceOn("x", 3, 5, 10)}), Of({}), Of({RaceOn("x", 5, 3, 7)})});
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.races[0].count, 17u);
  EXPECT_EQ(report.races[0].runs, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(report.occurrences, 17u);
  EXPECT_EQ(report.summary, "1 race (17 occurrences) in 2 of 3 runs");
  EXPECT_EQ(report.runs[2].file, "2.json");
}

TEST(Merge, OtherLinesVariablesAndClassesStayApart) {
  ReportedRace locked = RaceOn("x", 3, 5);
  locked.race_class = "lock-order";
  EXPECT_EQ(Merged({Of({RaceOn("x", 3, 5)}), Of({RaceOn("x", 3, 6)}), Of({RaceOn("y", 3, 5)}),
                    Of({locked})})
                .races.size(),
            4u);
}

TEST(Merge, AVariableIsTheSameWhicheverRunNamesItFirst) {
  ReportedRace one = RaceOn("x", 3, 5), other = RaceOn("y", 3, 5);
  one.also_on = {"y"};
  other.also_on = {"x"};
  const Report report = Merged({Of({one}), Of({other})});
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.races[0].also_on, std::vector<std::string>{"y"});
}

TEST(Merge, RacesThatOneRunKeptApartStayApart) {
  EXPECT_EQ(Merged({Of({RaceOn("x", 3, 5), RaceOn("x", 3, 5)}), Of({})}).races.size(), 2u);
}

TEST(Merge, WhatWasMergedCanBeMergedAgain) {
  const Report first = Merged({Of({RaceOn("x", 3, 5)}), Of({RaceOn("z", 8, 9)})});
  const auto read = ParseReport(RenderJson(first), "first.json");
  ASSERT_TRUE(read) << read.error();
  const Report report = Merged({Of({RaceOn("z", 8, 9)}), *read});
  ASSERT_EQ(report.races.size(), 2u);
  EXPECT_EQ(report.races[0].runs, (std::vector<size_t>{0, 2}));
  ASSERT_EQ(report.runs.size(), 3u);
  EXPECT_EQ(report.runs[2].file, "1.json") << "the run's own file, not the merged one";
}

TEST(Merge, OneReportKeepsItsSummary) {
  Report report = Of({});
  report.summary = "no races in 3 tasks";
  EXPECT_EQ(Merged({report}).summary, "no races in 3 tasks");
  report.runs[0].complete = false;
  EXPECT_EQ(Merged({report, report, Of({})}).summary,
            "no races in 3 runs; 2 runs were not checked completely");
}

TEST(Merge, RulesMessagesAndDeadlocksAreAddedUp) {
  Report report = MakeReport(SampleLog("", Ending::kDeadlock));
  report.rules = {{.kind = Suppression::Kind::kRace,
                   .text = "race:f",
                   .pattern = "f",
                   .line = std::nullopt,
                   .rule_line = 1,
                   .reports = 2}};
  report.messages = {{"warning", "beware", {{"here", At(4)}}}};
  const Report merged = Merged({report, report});
  ASSERT_EQ(merged.rules.size(), 1u);
  EXPECT_EQ(merged.rules[0].reports, 4u);
  EXPECT_EQ(merged.messages.size(), 1u);
  EXPECT_EQ(merged.deadlock->size(), report.deadlock->size()) << "it is the same one";
  EXPECT_NE(RenderText(merged, false).find("  in 0.json:\n"), std::string::npos);
}

TEST(Fingerprint, SurvivesMovedLinesAndReformatting) {
  Report before = Of({RaceOn("x", 3, 5)}), after = Of({RaceOn("x", 13, 15)});
  before.sources["/src/a.cc"] = {{3, "  x = 1;"}, {5, "  x = 2;"}};
  after.sources["/src/a.cc"] = {{13, "x=1;"}, {15, "\tx = 2;"}};
  EXPECT_EQ(Fingerprints(before), Fingerprints(after));
  after.sources["/src/a.cc"][13] = "y = 1;";
  EXPECT_NE(Fingerprints(before), Fingerprints(after));
}

TEST(Fingerprint, IsTheSameWhicheverAccessComesFirstAndDiffersForTwins) {
  EXPECT_EQ(Fingerprints(Of({RaceOn("x", 3, 5)})), Fingerprints(Of({RaceOn("x", 5, 3)})));
  const auto twins = Fingerprints(Of({RaceOn("x", 3, 5), RaceOn("x", 3, 5)}));
  EXPECT_NE(twins[0], twins[1]);
}

TEST(Baseline, MarksWhatItHasAndNothingElse) {
  Report report = Of({RaceOn("x", 3, 5), RaceOn("y", 3, 5)});
  MarkKnown(report, Of({RaceOn("x", 3, 5)}));
  EXPECT_TRUE(report.races[0].known);
  EXPECT_FALSE(report.races[1].known);
}

}  // namespace
}  // namespace taskrace::report
