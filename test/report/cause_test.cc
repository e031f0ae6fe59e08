#include "report/cause.h"

#include <gtest/gtest.h>

namespace taskrace::report {
namespace {

Stack At(uint32_t line) { return {{.function = "f", .file = "/src/a.cc", .line = line}}; }

// An access of a task that was created on these lines, out to main; tasks are named by their lines.
ReportedAccess Of(std::vector<uint32_t> lines) {
  ReportedAccess access;
  for (size_t i = 0; i < lines.size(); ++i) {
    access.created.push_back(At(lines[i]));
    access.ancestors.push_back(i + 1 < lines.size() ? lines[i + 1] : 0);
  }
  access.task = lines.empty() ? 0 : lines[0];
  return access;
}

ReportedRace Between(std::vector<uint32_t> one, std::vector<uint32_t> other) {
  ReportedRace race;
  race.race_class = "race";
  race.accesses[0] = Of(std::move(one));
  race.accesses[1] = Of(std::move(other));
  return race;
}

std::vector<uint64_t> Causes(std::vector<ReportedRace> races) {
  FindCauses(races);
  std::vector<uint64_t> causes;
  for (const ReportedRace& race : races) causes.push_back(race.cause);
  return causes;
}

using Numbers = std::vector<uint64_t>;

TEST(Cause, IsTheSameBelowTheSameTwoBranches) {
  EXPECT_EQ(Causes({Between({10}, {}), Between({20, 10}, {}), Between({}, {30, 10})}),
            (Numbers{1, 1, 1}))
      << "main does not wait for what line 10 created";
}

TEST(Cause, DiffersWhereOtherTasksPart) {
  EXPECT_EQ(Causes({Between({10}, {}), Between({11}, {}), Between({10}, {11}),
                    Between({20, 10}, {21, 10}), Between({11}, {10})}),
            (Numbers{1, 2, 3, 4, 3}));
}

TEST(Cause, TasksWithoutAKnownCreationStandForThemselves) {
  ReportedRace race = Between({10}, {});
  race.accesses[0].created.clear();
  EXPECT_EQ(Causes({race, Between({10}, {})}), (Numbers{1, 2}));
}

}  // namespace
}  // namespace taskrace::report
