#include "report/why.h"

#include <fmt/format.h>

#include "report/access_text.h"
#include "report/fork.h"
#include "report/location_text.h"

namespace taskrace::report {
namespace {

// Where the branch of an access was created; empty if that is not known, or the task interface did it by itself.
std::string BranchPlace(const ReportedAccess& access, size_t below) {
  const Frame* frame =
      below <= access.created.size() ? UserFrame(access.created[below - 1]) : nullptr;
  return frame == nullptr || IsMachinery(*frame) ? "" : FramePlace(*frame);
}

uint64_t BranchTask(const ReportedAccess& access, size_t below) {
  return below == 1 ? access.task : access.ancestors[below - 2];
}

// "task 3, created at x.cpp:7:5"
std::string Branch(const ReportedAccess& access, size_t below) {
  return fmt::format("{}, created at {}", TaskText(BranchTask(access, below)),
                     BranchPlace(access, below));
}

}  // namespace

std::string JoinText(const ReportedRace& race) {
  const Frame* frame = race.joined ? UserFrame(race.joined->stack) : nullptr;
  return frame == nullptr || IsMachinery(*frame) ? "" : "joined at " + FramePlace(*frame);
}

std::string Why(const ReportedRace& race) {
  const auto fork = FindFork(race);
  if (!fork) return "";
  const ReportedAccess& one = race.accesses[0];
  const ReportedAccess& other = race.accesses[1];
  const auto [one_below, other_below] = fork->below;
  for (const size_t i : {0, 1}) {
    if (fork->below[i] > 0 && BranchPlace(race.accesses[i], fork->below[i]).empty()) return "";
  }
  if (one_below == 0 && other_below == 0) return "";
  const auto is_plain = [](const ReportedAccess& access, size_t below) {
    return below == 0 || (!access.iterations.contains(below - 1) &&
                          !access.threads.contains(below - 1) && !(below == 1 && access.is_loop));
  };
  const std::string creator = TaskText(fork->task);
  if (is_plain(one, one_below) && is_plain(other, other_below)) {
    if (other_below == 0) {
      return fmt::format("{}, is not joined before {} makes the later access",
                         Branch(one, one_below), creator);
    }
    if (one_below == 0) {
      return fmt::format("{}, and {} run in parallel", Branch(other, other_below), creator);
    }
    return fmt::format("{}, is not joined before {}", Branch(one, one_below),
                       Branch(other, other_below));
  }
  // Iterations, sections and threads of one construct.
  if (one_below > 0 && other_below > 0 &&
      BranchTask(one, one_below) == BranchTask(other, other_below) &&
      one.iterations.contains(one_below - 1) && other.iterations.contains(other_below - 1)) {
    return fmt::format("{} and {}{} are not ordered, whatever the schedule",
                       IterationAt(one, one_below - 1), CreatedText(other, other_below - 1),
                       BranchPlace(other, other_below));
  }
  return "";
}

}  // namespace taskrace::report
