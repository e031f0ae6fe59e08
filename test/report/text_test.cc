#include "report/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "report/bytes.h"
#include "report/sources.h"
#include "report/summary.h"
#include "sample.h"

namespace taskrace::report {
namespace {

// The last line that begins with "taskrace: ", and what it goes on in.
std::string Summary(const std::string& text) {
  const size_t begin = text.rfind("\ntaskrace: ");
  return text.substr(begin + 1, text.size() - begin - 2);
}

testing::AssertionResult Has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in\n" << text;
}

Log QuietLog() {
  Log log = SampleLog("hidden_summary=1");
  log.races.clear();
  return log;
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

// Lines break where the paths of this machine want it: `text` with one blank for each break.
std::string Unbroken(const std::string& text) {
  std::string unbroken;
  for (char c : text) {
    const bool blank = c == '\n' || c == ' ';
    if (!blank || !unbroken.ends_with(' ')) unbroken += blank ? ' ' : c;
  }
  return unbroken;
}

TEST(Text, ShowsLinesExcerptsStacksCreationsAndCount) {
  const std::string text = RenderText(MakeReport(SampleLog()), false);
  const std::string write = std::to_string(SampleLine("the write"));
  EXPECT_TRUE(Has(text, "taskrace: race: write-read on 'sample::total'\n"));
  EXPECT_TRUE(Has(text, "earlier: write of 8 bytes by task 3 (strand 7)\n"));
  EXPECT_TRUE(Has(text, "    " + write + " |   total += value, Here();  // the write\n"));
  EXPECT_TRUE(Has(text, "sample_program.cc:" + write + ":"));
  const std::string unbroken = Unbroken(text);
  EXPECT_TRUE(Has(unbroken, "#1 sample::Reader() "));
  EXPECT_TRUE(Has(text, "task 3 created at "));
  EXPECT_TRUE(Has(text, "by the main task\n"));
  EXPECT_TRUE(Has(text, "Seen 13 times."));
  EXPECT_TRUE(Has(unbroken, "global variable 'sample::total' (8 bytes), declared at"));
  EXPECT_TRUE(Has(unbroken, "heap block of 400 bytes allocated at"));
  EXPECT_TRUE(Has(unbroken, "byte 16 of it"));
  EXPECT_TRUE(
      Has(unbroken, "stack variable 'counter' (4 bytes) of function f, declared at f.cc:3"));
  EXPECT_EQ(
      Summary(text),
      "taskrace: 3 races (15 occurrences) in 8 tasks, 25 strands; engine spbags, history shadow");
}

TEST(Text, TheCaretStandsUnderTheColumn) {
  const std::string text = RenderText(MakeReport(SampleLog()), false);
  const std::string number = std::to_string(SampleLine("the write"));
  const std::string line = "    " + number + " |   total += value, Here();  // the write\n";
  const size_t next = text.find(line) + line.size();
  const std::string caret = text.substr(next, text.find('\n', next) - next);
  EXPECT_EQ(caret.find('^'), line.find("Here")) << text;
}

TEST(Text, ShowsNoExcerptOfTheCallerInPlaceOfALineThatIsLost) {
  Report report = MakeReport(SampleLog());
  Stack& stack = report.races[0].accesses[0].stack;
  const std::string excerpt =
      "    " + std::to_string(stack[0].line) + " |   total += value, Here();  // the write\n";
  EXPECT_TRUE(Has(RenderText(report, false), excerpt));
  stack.insert(stack.begin(),
               {.function = "Lost()", .file = "", .module = "/program", .offset = 8});
  const std::string text = RenderText(report, false);
  EXPECT_TRUE(Has(
      text,
      "(strand 7)\n    (the optimiser has lost the source line)\n    #0 Lost() (/program+0x8)\n"));
  // What the standard library does for the user is the user's line.
  stack[0].function = "std::sort()";
  EXPECT_TRUE(Has(RenderText(report, false), "(strand 7)\n" + excerpt));
}

TEST(Text, ColourOnlyWhenAsked) {
  const Report report = MakeReport(SampleLog());
  EXPECT_EQ(RenderText(report, false).find('\033'), std::string::npos);
  EXPECT_NE(RenderText(report, true).find('\033'), std::string::npos);
  EXPECT_TRUE(WantsColor("always"));
  EXPECT_FALSE(WantsColor("never"));
}

TEST(Text, CleanRunSaysWhatThatMeans) {
  Log log = QuietLog();
  log.modules = {{0, {"/nowhere/a.out", true}}};
  EXPECT_EQ(
      RenderText(MakeReport(log), false),
      "taskrace: no races in 8 tasks, 25 strands: no schedule of this input has a determinacy "
      "race\n          (engine spbags, history shadow)\n");
}

TEST(Text, NothingToSayIsNoTextUnlessTheSummaryIsAskedFor) {
  Log log = QuietLog();
  log.options.hidden_summary = 0;
  EXPECT_EQ(RenderText(MakeReport(log), false), "");
}

TEST(Text, ClaimsNothingWhenTheRunWasCutShortOrBlind) {
  constexpr char kClaim[] = "no schedule of this input";
  Log log = QuietLog();
  log.modules = {{0, {"/nowhere/a.out", true}}};
  log.end = {.signal = true, .code = 11};
  EXPECT_EQ(RenderText(MakeReport(log), false).find(kClaim), std::string::npos);
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false), "ended by SIGSEGV"));
  log.end.reset();
  EXPECT_EQ(RenderText(MakeReport(log), false).find(kClaim), std::string::npos);
  log.stats.clear();
  EXPECT_EQ(RenderText(MakeReport(log), false).find("0 tasks"), std::string::npos);
  log = QuietLog();
  log.modules = {{0, {"/nowhere/a.out", true}}};
  log.messages.push_back({"warning", "the run was stopped after 1 s", {}});
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false),
                  "but coverage is incomplete: see the warnings above"));
  EXPECT_EQ(RenderText(MakeReport(log), false).find(kClaim), std::string::npos);
  log = QuietLog();
  log.options.mode = "reach";
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false), "nothing was checked: mode is reach"));
  log = QuietLog();
  log.modules = {{0, {"/nowhere/a.out", false}}};
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false), "nothing was checked: no part"));
  log = QuietLog();
  log.messages.push_back({"error", "scope used by another task", {}});
  EXPECT_EQ(RenderText(MakeReport(log), false).find(kClaim), std::string::npos);
}

TEST(Text, OrderByLocksHasItsOwnHeadline) {
  Log log = SampleLog();
  log.races.resize(1);
  log.races[0].race_class = "lock-order";
  log.races[0].accesses[0].locks = {4096};
  const std::string text = RenderText(MakeReport(log), false);
  EXPECT_TRUE(Has(text, "taskrace: lock order decides: write-read on 'sample::total'"));
  EXPECT_TRUE(Has(text, "holding lock 0x1000"));
  EXPECT_TRUE(Has(Summary(text), "no races, 1 lock-order report (12 occurrences)"));
}

TEST(Text, MessagesShowTheirStacks) {
  Log log = QuietLog();
  log.messages.push_back({"error",
                          "this scope belongs to another task",
                          {{"made here", SampleLog().races[0].accesses[0].created[0]}}});
  const std::string text = RenderText(MakeReport(log), false);
  EXPECT_TRUE(Has(text, "taskrace: error: this scope belongs to another task\n  made here:\n"));
  EXPECT_TRUE(Has(text, ":" + std::to_string(SampleLine("creates the writer")) + ":"));
}

TEST(Text, ADeadlockComesAfterTheRacesWithAllThatIsKnown) {
  const std::string text = RenderText(MakeReport(SampleLog("", Ending::kDeadlock)), false);
  const size_t headline = text.find("\ntaskrace: deadlock: no task can run, 2 are waiting\n");
  ASSERT_NE(headline, std::string::npos) << text;
  EXPECT_LT(text.rfind("\ntaskrace: race: "), headline);
  const std::string deadlock = text.substr(headline);
  const std::string waits = std::to_string(SampleLine("waits"));
  EXPECT_TRUE(Has(deadlock, "  task 3 waits for a promise\n    " + waits + " | "));
  EXPECT_TRUE(Has(deadlock, "sample_program.cc:" + waits + ":"));
  const std::string unbroken = Unbroken(deadlock);
  EXPECT_TRUE(Has(unbroken, "#0 sample::WaitForIt() "));
  EXPECT_TRUE(Has(unbroken, "in sample::MakePromise()"));
  EXPECT_TRUE(Has(deadlock, "what it waits for was created at "));
  EXPECT_TRUE(Has(deadlock, "task 3 created at "));
  EXPECT_TRUE(Has(deadlock, "by task 2 created at "));
  EXPECT_TRUE(
      Has(deadlock, "by the main task\n  the main task waits for the end of all tasks\n\n"));
}

TEST(Text, ADeadlockIsToldEvenIfNobodyAskedForASummary) {
  Log log = SampleLog("", Ending::kDeadlock);
  log.races.clear();
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false), "taskrace: deadlock: "));
}

TEST(Text, OneWaitingTaskHasASentenceOfItsOwn) {
  Log log = SampleLog("", Ending::kDeadlock);
  log.deadlock->resize(1);
  log.deadlock->at(0).task = 0;
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false),
                  "deadlock: the main task waits for a promise, and no other task can run\n"));
}

TEST(Text, OfManyWaitingTasksTwentyAreShown) {
  Log log = SampleLog("", Ending::kDeadlock);
  const auto rendered = [&](size_t tasks) {
    log.deadlock->resize(tasks, log.deadlock->at(0));
    for (size_t i = 0; i < tasks; ++i) log.deadlock->at(i).task = i + 1;
    return RenderText(MakeReport(log), false);
  };
  EXPECT_EQ(rendered(20).find("... and"), std::string::npos);
  const std::string text = rendered(23);
  EXPECT_TRUE(Has(text, "task 20 waits for"));
  EXPECT_EQ(text.find("task 21 waits for"), std::string::npos);
  EXPECT_TRUE(Has(text, "\n  ... and 3 more\n\n"));
}

// The example of docs/reading-a-report.md.
TEST(Text, ADeadlockReadsAsTheDocumentationShowsIt) {
  constexpr char kSource[] =
      "#include <taskrace/tasks.hpp>\n"
      "\n"
      "int main() {\n"
      "  taskrace::promise<int> price, amount;\n"
      "  taskrace::finish([&] {\n"
      "    taskrace::async([&] {\n"
      "      const int offered = price.get_future().get();\n"
      "      amount.set_value(1000 / offered);\n"
      "    });\n"
      "    taskrace::async([&] {\n"
      "      const int wanted = amount.get_future().get();\n"
      "      price.set_value(wanted > 100 ? 9 : 10);\n"
      "    });\n"
      "  });\n"
      "}\n";
  const auto in_main = [](uint32_t line, uint32_t column) {
    return Stack{{.function = "main", .file = "bargain.cpp", .line = line, .column = column}};
  };
  const auto waiting = [&](uint64_t task, const char* lambda, uint32_t gets, uint32_t made,
                           uint32_t created) {
    return ReportedWait{.task = task,
                        .what = "a promise",
                        .stack = {{.function = std::string("main::$_0::operator()() const::") +
                                               lambda + "::operator()() const",
                                   .file = "bargain.cpp",
                                   .line = gets,
                                   .column = 46}},
                        .made = in_main(4, made),
                        .created = {{{.function = "main::$_0::operator()() const",
                                      .file = "bargain.cpp",
                                      .line = created,
                                      .column = 5}}},
                        .ancestors = {0},
                        .iterations = {},
                        .threads = {}};
  };
  Report report;
  report.engine = "promises";
  report.why = "the program uses promises";
  report.history = "shadow";
  report.stats = {{"tasks", 2}, {"strands", 6}};
  report.end = {.signal = false, .code = 67};
  report.deadlock = {waiting(1, "'lambda'()", 7, 26, 6),
                     waiting(2, "'lambda0'()", 11, 33, 10),
                     {.task = 0,
                      .what = "the tasks of a finish",
                      .stack = in_main(5, 3),
                      .made = in_main(5, 3),
                      .created = {},
                      .ancestors = {},
                      .iterations = {},
                      .threads = {}}};
  const TemporaryDirectory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.Path(""));
  WriteFile("bargain.cpp", kSource);
  CollectSources(report);
  report.summary = report::Summary(report);
  const std::string text = RenderText(report, false);
  std::filesystem::current_path(before);
  const std::string documentation = ReadFile(READING_A_REPORT);
  EXPECT_TRUE(Has(documentation, kSource));
  EXPECT_TRUE(Has(documentation, text));
}

TEST(Text, NamesCannotDriveTheTerminal) {
  Log log = SampleLog();
  log.races[3].location.name = "x\033[2J\xff";
  const std::string text = RenderText(MakeReport(log), false);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_TRUE(Has(text, "x\\x1B[2J\\xFF"));
}

TEST(Text, NamesTheCreatorsWhoseNumbersAreKnown) {
  Log log = SampleLog();
  log.races[0].accesses[0].ancestors = {2, 0};
  const std::string whole = RenderText(MakeReport(log), false);
  EXPECT_TRUE(Has(whole, "by task 2 created at"));
  log.races[0].accesses[0].ancestors = {2, 1};
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false), "by task 1, and so on out to main"));
}

TEST(Text, DeepStacksAndChainsAreCutInTheMiddle) {
  Log log = SampleLog();
  log.races.resize(1);
  LoggedAccess& access = log.races[0].accesses[0];
  access.stack.assign(1000, access.stack[0]);
  access.created.assign(1000, access.created[0]);
  const std::string text = RenderText(MakeReport(log), false);
  EXPECT_LT(std::ranges::count(text, '\n'), 100);
  EXPECT_TRUE(Has(text, "#999 "));
  EXPECT_TRUE(Has(text, "more frames"));
  EXPECT_TRUE(Has(text, "more tasks"));
}

TEST(Text, FitsAHundredColumns) {
  Log log = SampleLog("", Ending::kDeadlock);
  log.why = "a future is read by a task that is not ordered after its creation";
  std::string warning = "a long warning";
  for (int i = 0; i < 40; ++i) warning += (i % 7 == 6 ? ", and so" : " and so");
  log.messages.push_back({"warning", warning, {}});
  log.races[0].accesses[0].locks.assign(20, 0x7fff12345678);
  log.end = {.signal = true, .code = 11};
  std::istringstream lines(RenderText(MakeReport(log), false));
  for (std::string line; std::getline(lines, line);) {
    const bool place_alone = line.find("sample_program.cc") != std::string::npos;
    if (!place_alone) EXPECT_LE(Columns(line), 100u) << line;
  }
}

TEST(Text, SuppressionsAreCountedAtTheEnd) {
  const TemporaryDirectory directory;
  WriteFile(directory.Path("rules"), "# known\nrace_var:sample::*\nrace:nobody\n");
  const std::string text =
      RenderText(MakeReport(SampleLog("suppressions=" + directory.Path("rules"))), false);
  EXPECT_TRUE(
      Has(text, "suppression 'race_var:sample::*' (line 2) matched 1 race (13 occurrences)"));
  EXPECT_TRUE(Has(text, "suppression 'race:nobody' (line 3) matched nothing"));
  EXPECT_TRUE(Has(Summary(text), "2 races (2 occurrences) but 1 suppressed in"));
}

TEST(Text, OfManyRacesWithOneCauseMostAreListed) {
  Log log = SampleLog("dedup=address");
  log.races.resize(1);
  for (uint64_t id = 2; id <= 30; ++id) {
    log.races.push_back(log.races[0]);
    log.races.back().id = id;
  }
  const std::string grouped = RenderText(MakeReport(log), false);
  EXPECT_EQ(Count(grouped, "taskrace: race: "), 3u);
  EXPECT_TRUE(Has(grouped, "taskrace: 27 more races between the same tasks"));
  EXPECT_EQ(Count(grouped, "\n  write-read on 'sample::total': "), 20u);
  EXPECT_TRUE(Has(grouped, "  ... and 7 more\n"));
  EXPECT_TRUE(Has(Summary(grouped), "30 races"));
  log.options.group = 0;
  EXPECT_EQ(Count(RenderText(MakeReport(log), false), "taskrace: race: "), 30u);
  log.options.group = 1;
  log.races.resize(5);
  EXPECT_EQ(Count(RenderText(MakeReport(log), false), "taskrace: race: "), 5u) << "not many";
}

TEST(Text, TheRuleToCopySuppressesTheRace) {
  Log log = SampleLog();
  const Report report = MakeReport(log);
  const std::string text = RenderText(report, false);
  const TemporaryDirectory directory;
  constexpr std::string_view kLead = "  To suppress it: ";
  std::string rules;
  for (size_t at = 0; (at = text.find(kLead, at)) != std::string::npos;) {
    at += kLead.size();
    rules += text.substr(at, text.find('\n', at) - at) + "\n";
  }
  EXPECT_TRUE(Has(rules, "race_var:sample::total\n"));
  WriteFile(directory.Path("rules"), rules);
  log.options.suppressions = directory.Path("rules");
  EXPECT_EQ(MakeReport(log).suppressed, report.races.size()) << rules;
}

TEST(Text, AnAddressOutsideOfAllBlocksSaysSo) {
  Log log = SampleLog();
  log.races.resize(1);
  log.races[0].address = 0x7040;
  log.races[0].location = {};
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false),
                  "where: memory at 0x7040, which is not inside any live block\n"));
  log.races[0].location.start = 0x7000;
  log.races[0].location.size = 0x30;
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false),
                  "where: memory at 0x7040, 16 bytes past the end of a heap block of 48 bytes\n"));
}

TEST(Text, ARunWithoutTasksIsToldSo) {
  Log log = QuietLog();
  log.modules = {{0, {"/nowhere/a.out", true}}};
  constexpr char kNote[] = "note: the program created no tasks";
  EXPECT_EQ(RenderText(MakeReport(log), false).find(kNote), std::string::npos);
  log.stats = {{"tasks", 0}, {"strands", 2}};
  EXPECT_TRUE(Has(RenderText(MakeReport(log), false), kNote));
}

TEST(Text, FitsANarrowTerminal) {
  Log log = SampleLog();
  log.messages.push_back(
      {"warning", "one two three four five six seven eight nine ten eleven", {}});
  std::istringstream lines(RenderText(MakeReport(log), false, 60));
  for (std::string line; std::getline(lines, line);) {
    const bool word_alone = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
    const bool place = line.find("sample_program.cc") != std::string::npos;
    if (!word_alone && !place) EXPECT_LE(Columns(line), 60u) << line;
  }
}

}  // namespace
}  // namespace taskrace::report
