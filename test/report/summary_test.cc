#include "report/summary.h"

#include <gtest/gtest.h>

namespace taskrace::report {
namespace {

Report CleanReport() {
  Report report;
  report.engine = "sporder";
  report.history = "shadow";
  report.stats = {{"tasks", 8}, {"strands", 25}};
  report.end = LoggedEnd{};
  return report;
}

Report DeadlockedReport() {
  Report report = CleanReport();
  report.end->code = 67;
  report.deadlock.emplace(2);
  return report;
}

TEST(Summary, AnEngineThatTheUserNamedNeedsNoReason) {
  EXPECT_EQ(Summary(CleanReport()),
            "no races in 8 tasks, 25 strands: no schedule of this input has a "
            "determinacy race (engine sporder, history shadow)");
}

TEST(Summary, SaysWhyAutoTookTheEngine) {
  Report report = CleanReport();
  report.engine = "multibags";
  report.why = "the joins of scopes need not nest";
  EXPECT_EQ(Summary(report),
            "no races in 8 tasks, 25 strands: no schedule of this input has a "
            "determinacy race (engine multibags, because the joins of scopes need not nest; "
            "history shadow)");
  report.races.resize(1);
  report.occurrences = 2;
  EXPECT_EQ(Summary(report),
            "1 race (2 occurrences) in 8 tasks, 25 strands; engine multibags, because "
            "the joins of scopes need not nest; history shadow");
}

TEST(Summary, ClaimsNothingAfterADeadlock) {
  EXPECT_EQ(Summary(DeadlockedReport()),
            "no races in 8 tasks, 25 strands, but the program is deadlocked (engine "
            "sporder, history shadow)");
}

TEST(Summary, TellsOfADeadlockBesideWhateverElse) {
  constexpr char kDeadlocked[] = " the program is deadlocked";
  Report report = DeadlockedReport();
  report.races.resize(1);
  report.occurrences = 1;
  EXPECT_EQ(Summary(report),
            "1 race (1 occurrence) in 8 tasks, 25 strands, and the program is "
            "deadlocked; engine sporder, history shadow");
  report = DeadlockedReport();
  report.options.mode = "reach";
  EXPECT_EQ(Summary(report), "nothing was checked: mode is reach; the program is deadlocked");
  report = DeadlockedReport();
  report.messages.push_back({"error", "no such file; nothing is suppressed", {}});
  EXPECT_NE(Summary(report).find(kDeadlocked), std::string::npos);
  report = DeadlockedReport();
  report.any_instrumented = false;
  EXPECT_NE(Summary(report).find(kDeadlocked), std::string::npos);
}

TEST(Summary, ClaimsOfThreadsOnlyWhatTheirSynchronisationAllows) {
  Report report = CleanReport();
  report.stats.emplace_back("threads", 2);
  EXPECT_EQ(Summary(report),
            "no races in 8 tasks, 25 strands: no schedule of this input has a data race "
            "(engine sporder, history shadow)");
  report.stats.emplace_back("synchronisations", 3);
  report.stats.emplace_back("unfinished_threads", 1);
  EXPECT_EQ(Summary(report),
            "no races in 8 tasks, 25 strands: no schedule of this input with the same "
            "order of locks and atomics (3 synchronisations) has a data race, up to where 1 thread "
            "had not ended (engine sporder, history shadow)");
}

TEST(Summary, TasksOfOthersWeakenTheClaimAlsoWhereNoThreadWasSeen) {
  Report report = CleanReport();
  report.blind_spots = report.foreign_tasks = true;
  EXPECT_EQ(Summary(report),
            "no races in 8 tasks, 25 strands, but coverage is incomplete: see the "
            "warnings above (engine sporder, history shadow)");
}

}  // namespace
}  // namespace taskrace::report
