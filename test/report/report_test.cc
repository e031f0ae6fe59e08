#include "report/report.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <regex>

#include "sample.h"

namespace taskrace::report {
namespace {

TEST(Report, NamesTheExactLinesOfBothAccesses) {
  const Report report = MakeReport(SampleLog());
  ASSERT_FALSE(report.races.empty());
  const ReportedRace& race = report.races[0];
  EXPECT_EQ(race.kind, "write-read");
  EXPECT_EQ(race.accesses[0].stack[0].line, SampleLine("the write"));
  EXPECT_EQ(race.accesses[1].stack[0].line, SampleLine("the read"));
  EXPECT_TRUE(race.accesses[0].stack[0].file.ends_with("/sample_program.cc"));
  EXPECT_GT(race.accesses[0].stack[0].column, 0u);
}

TEST(Report, ExpandsInlinedFrames) {
  const Report report = MakeReport(SampleLog());
  const Stack& stack = report.races.at(0).accesses[1].stack;
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].function, "sample::ReadTotal()");
  EXPECT_EQ(stack[1].function, "sample::Reader()");
  EXPECT_EQ(stack[1].line, SampleLine("the reader's call"));
}

TEST(Report, HidesTheMachineryOfTaskrace) {
  const Report report = MakeReport(SampleLog());
  const Stack& stack = report.races.at(0).accesses[0].stack;
  ASSERT_EQ(stack.size(), 2u) << "taskrace::detail::RunBody was the third";
  EXPECT_EQ(stack[1].line, SampleLine("the writer's call"));
}

TEST(Report, NamesGlobalsWithTheirDeclaration) {
  const Report report = MakeReport(SampleLog("dedup=address"));
  const ReportedLocation& total = report.races.at(0).location;
  EXPECT_EQ(total.name, "sample::total");
  EXPECT_EQ(total.size, 8u);
  EXPECT_GT(total.line, 0u);
  const ReportedLocation& numbers = report.races.at(1).location;
  EXPECT_EQ(numbers.name, "sample::numbers");
  EXPECT_EQ(numbers.offset, 12u);
  EXPECT_EQ(numbers.size, 40u);
}

TEST(Report, SaysWhereAHeapBlockWasAllocated) {
  const Report report = MakeReport(SampleLog());
  const ReportedRace& race = report.races.at(1);
  EXPECT_EQ(race.accesses[1].op, "free");
  EXPECT_EQ(race.kind, "write-write");
  EXPECT_EQ(race.location.offset, 16u);
  EXPECT_EQ(race.location.allocated_at.at(0).line, SampleLine("allocates"));
}

TEST(Report, FollowsTheCreationsOutToMain) {
  const Report report = MakeReport(SampleLog());
  const auto& created = report.races.at(0).accesses[0].created;
  ASSERT_EQ(created.size(), 2u);
  EXPECT_EQ(created[0].at(0).line, SampleLine("creates the writer"));
  EXPECT_EQ(created[1].at(0).line, SampleLine("creates the reader"));
}

TEST(Report, OneSiteIsTwoLinesInEitherOrder) {
  const Report report = MakeReport(SampleLog("dedup=site"));
  ASSERT_EQ(report.races.size(), 3u);
  EXPECT_EQ(report.races[0].count, 13u);
  EXPECT_EQ(report.races[0].also_on, std::vector<std::string>{"sample::numbers"});
  EXPECT_EQ(report.occurrences, 15u);
}

TEST(Report, ByAddressEveryRecordIsAReport) {
  EXPECT_EQ(MakeReport(SampleLog("dedup=address")).races.size(), 4u);
}

TEST(Report, TheUsersLineIsTheInnermostOneOutsideTheLibraries) {
  Stack stack = MakeReport(SampleLog()).races.at(0).accesses[0].stack;
  stack.insert(stack.begin(), Frame{.function = "std::vector<int>::push_back(int&&)",
                                    .file = "/usr/include/c++/12/bits/stl_vector.h",
                                    .line = 1294});
  EXPECT_EQ(UserFrame(stack)->line, SampleLine("the write"));
}

TEST(Report, MostRacesCountsAfterSuppression) {
  const TemporaryDirectory directory;
  WriteFile(directory.Path("rules"), "race_var:sample::*\nrace:nobody\n");
  const Report report =
      MakeReport(SampleLog("max_races=1:suppressions=" + directory.Path("rules")));
  EXPECT_EQ(report.suppressed, 1u);
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.races[0].location.what, "heap");
  EXPECT_EQ(report.left_out, 1u);
  EXPECT_EQ(report.rules.at(0).occurrences, 13u);
  EXPECT_EQ(report.rules.at(1).reports, 0u);
}

TEST(Report, AMissingSuppressionFileSuppressesNothingAndIsTold) {
  const Report report = MakeReport(SampleLog("suppressions=/nowhere/rules"));
  EXPECT_EQ(report.races.size(), 3u);
  EXPECT_TRUE(report.HasErrors());
}

TEST(Report, WithoutASymbolizerModulesAndOffsetsAreLeft) {
  setenv("TASKRACE_SYMBOLIZER", "/nowhere/llvm-symbolizer", 1);
  const Report report = MakeReport(SampleLog());
  unsetenv("TASKRACE_SYMBOLIZER");
  EXPECT_NE(report.symbolizer_problem.find("not found"), std::string::npos);
  ASSERT_EQ(report.races.size(), 3u) << "sites are told apart by their addresses";
  const Frame& frame = report.races[0].accesses[0].stack.at(0);
  EXPECT_EQ(frame.function, "");
  EXPECT_TRUE(frame.module.ends_with("report_sample_program"));
  EXPECT_GT(frame.offset, 0u);
}

TEST(Report, ASymbolizerThatFailsIsNotCalledMissing) {
  setenv("TASKRACE_SYMBOLIZER", "/bin/false", 1);
  const Report report = MakeReport(SampleLog());
  unsetenv("TASKRACE_SYMBOLIZER");
  EXPECT_EQ(report.symbolizer_problem, "/bin/false failed; taskrace doctor may say why");
}

TEST(Report, AnAddressSpaceLimitIsNamedIfTheSymbolizerFails) {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit narrow = before;
  narrow.rlim_cur = rlim_t{120} << 20;
  const Log log = SampleLog();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &narrow), 0);
  const Report report = MakeReport(log);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_TRUE(std::regex_search(report.symbolizer_problem,
                                std::regex("failed under a limit of 120 MB of address space")))
      << report.symbolizer_problem;
}

TEST(Report, ExitCodeIsTheOptionsWhenRacesAreLeft) {
  EXPECT_EQ(MakeReport(SampleLog()).ExitCode(), 66);
  EXPECT_EQ(MakeReport(SampleLog("exitcode=0")).ExitCode(), 0);
  Log log = SampleLog();
  log.races.clear();
  EXPECT_EQ(MakeReport(log).ExitCode(), 0);
  log.end = {.signal = true, .code = 11};
  EXPECT_EQ(MakeReport(log).ExitCode(), 139);
  log.end.reset();
  EXPECT_EQ(MakeReport(log).ExitCode(), std::nullopt);
}

TEST(Report, ADeadlockNamesWhereEveryTaskWaitsAndWasCreated) {
  const Report report = MakeReport(SampleLog("", Ending::kDeadlock));
  ASSERT_TRUE(report.deadlock);
  ASSERT_EQ(report.deadlock->size(), 2u);
  const ReportedWait& wait = report.deadlock->at(0);
  EXPECT_EQ(wait.task, 3u);
  EXPECT_EQ(wait.what, "a promise");
  EXPECT_EQ(wait.stack.at(0).line, SampleLine("waits"));
  EXPECT_EQ(wait.made.at(0).line, SampleLine("makes the promise"));
  ASSERT_EQ(wait.created.size(), 2u);
  EXPECT_EQ(wait.created[0].at(0).line, SampleLine("creates the writer"));
  EXPECT_EQ(wait.ancestors, (std::vector<uint64_t>{2, 0}));
  EXPECT_TRUE(report.deadlock->at(1).stack.empty());
  EXPECT_FALSE(report.lines_missing) << "the main task's end has no line to miss";
}

TEST(Report, ADeadlocksExitCodeGoesOverThatOfRaces) {
  const Log log = SampleLog("exitcode=5", Ending::kDeadlock);
  EXPECT_EQ(MakeReport(log).races.size(), 3u);
  EXPECT_EQ(MakeReport(log).ExitCode(), 67);
  EXPECT_FALSE(MakeReport(SampleLog()).deadlock);
}

TEST(Report, NamesLibrariesThatAreNotInstrumentedButNotTheUsualOnes) {
  Log log = SampleLog();
  log.modules[1] = {"/lib/libc.so.6", false};
  log.modules[2] = {"/opt/libother.so", false};
  const Report report = MakeReport(log);
  std::string all;
  for (const ReportedMessage& message : report.messages) all += message.text + "\n";
  EXPECT_NE(all.find("/opt/libother.so"), std::string::npos) << all;
  EXPECT_EQ(all.find("libc.so"), std::string::npos) << all;
  EXPECT_NE(all.find("sample_program.cc"), std::string::npos) << "the sample carries no marker";
}

}  // namespace
}  // namespace taskrace::report
