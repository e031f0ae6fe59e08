#include "report/access_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/location_text.h"
#include "report/race.h"

namespace taskrace::report {
namespace {

// "iteration 17", "section 2" or "the single block", if the one at this level of a chain of creators is one; else empty.
std::string IterationText(const std::map<size_t, int64_t>& iterations, size_t level) {
  const auto found = iterations.find(level);
  if (found == iterations.end()) return "";
  if (found->second == kSingleBlock) return "the single block";
  if (found->second >= kFirstSection) {
    return fmt::format("section {}", found->second - kFirstSection);
  }
  return fmt::format("iteration {}",
                     found->second >= kFirstLane ? found->second - kFirstLane : found->second);
}

// "thread 1 of 4" for a thread of a team, "thread 1" for one that the program has started, if the one at this level is
// a thread; else empty.
std::string ThreadText(const std::map<size_t, ThreadOfTeam>& threads, size_t level) {
  const auto found = threads.find(level);
  if (found == threads.end()) return "";
  const ThreadOfTeam& thread = found->second;
  return thread.team_size == 0 ? fmt::format("thread {}", thread.number)
                               : fmt::format("thread {} of {}", thread.number, thread.team_size);
}

}  // namespace

std::string TaskText(uint64_t task) {
  return task == 0 ? "the main task" : fmt::format("task {}", task);
}

std::string Operation(const ReportedAccess& access) {
  if (access.op == "free") return fmt::format("free of a block of {}", Bytes(access.size));
  if (access.op == "scope-end") {
    return fmt::format("end of the lifetime of a variable of {}", Bytes(access.size));
  }
  std::string op = access.op;
  std::ranges::replace(op, '-', ' ');
  return fmt::format("{} of {}", op, Bytes(access.size));
}

std::string Who(const ReportedAccess& access) {
  if (access.is_loop) return "the iterations of a loop";
  if (const std::string thread = ThreadText(access.threads, 0); !thread.empty()) return thread;
  const std::string iteration = IterationText(access.iterations, 0);
  return !iteration.empty() ? iteration
                            : fmt::format("{} (strand {})", TaskText(access.task), access.strand);
}

// A thread of a team waits in a task of its own, which has more to say.
std::string Who(const ReportedWait& wait) {
  const auto found = wait.threads.find(0);
  return found != wait.threads.end() && found->second.team_size == 0 ? ThreadText(wait.threads, 0)
                                                                     : TaskText(wait.task);
}

std::string IterationAt(const ReportedAccess& access, size_t level) {
  return IterationText(access.iterations, level);
}

std::string CreatedText(const std::map<size_t, int64_t>& iterations,
                        const std::map<size_t, ThreadOfTeam>& threads, size_t level,
                        const std::string& task) {
  if (const std::string thread = ThreadText(threads, level); !thread.empty()) {
    return thread +
           (threads.at(level).team_size == 0 ? " started at " : " of the parallel region at ");
  }
  const std::string iteration = IterationText(iterations, level);
  if (iteration.empty()) return task + " created at ";
  const int64_t number = iterations.at(level);
  return iteration + (number == kSingleBlock    ? " at "
                      : number >= kFirstSection ? " of the sections at "
                      : number >= kFirstLane    ? " of the simd loop at "
                                                : " of the loop at ");
}

std::string CreatedText(const ReportedAccess& access, size_t level) {
  if (level == 0 && access.is_loop) return "the loop is at ";
  const std::string task = level == 0 ? fmt::format("task {}", access.task)
                           : level - 1 < access.ancestors.size()
                               ? fmt::format("task {}", access.ancestors[level - 1])
                               : "a task";
  return CreatedText(access.iterations, access.threads, level, task);
}

std::string Headline(const ReportedRace& race) {
  return fmt::format("{}{}: {} on {}", race.known ? "known " : "",
                     race.race_class == "lock-order" ? "lock order decides" : "race", race.kind,
                     Subject(race.location));
}

}  // namespace taskrace::report
