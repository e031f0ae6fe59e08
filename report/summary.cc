#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "report/bytes.h"
#include "report/counted.h"

namespace taskrace::report {
namespace {

std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

// " in 1000 iterations of 2 loops, 8 tasks, 25 strands"; nothing if the process was killed before it counted.
std::string InSize(const Report& report) {
  if (report.stats.empty()) return "";
  const uint64_t loops = report.Stat("loops"), tasks = report.Stat("tasks");
  const uint64_t regions = report.Stat("regions"), simd_loops = report.Stat("simd_loops");
  const std::string in_tasks =
      (regions == 0 ? "" : Counted(regions, "parallel region") + ", ") +
      (simd_loops == 0 ? "" : Counted(simd_loops, "simd loop") + ", ") +
      fmt::format("{}, {}", Counted(tasks, "task"), Counted(report.Stat("strands"), "strand"));
  if (loops == 0) return " in " + in_tasks;
  return fmt::format(" in {} of {}{}", Counted(report.Stat("iterations"), "iteration"),
                     Counted(loops, "loop"), tasks == 0 ? "" : ", " + in_tasks);
}

std::string SuppressedText(const Report& report) {
  return report.suppressed == 0 ? "" : fmt::format(" but {} suppressed", report.suppressed);
}

// "engine multibags, because the joins of scopes need not nest; history shadow"
std::string EngineText(const Report& report) {
  const std::string because =
      report.why.empty() ? "," : fmt::format(", because {};", Printable(report.why));
  return fmt::format("engine {}{} history {}", Printable(report.engine), because,
                     Printable(report.history));
}

std::string DeadlockText(const Report& report, std::string_view conjunction) {
  return report.deadlock ? fmt::format("{} the program is deadlocked", conjunction) : "";
}

// What no races mean in a program with threads of its own.
std::string ClaimOfThreads(const Report& report) {
  const uint64_t orders = report.Stat("synchronisations");
  const uint64_t unfinished = report.Stat("unfinished_threads");
  return fmt::format(
      ": {}no schedule of this input{} has a data race{}",
      report.blind_spots ? "as far as it was instrumented, " : "",
      orders == 0 ? ""
                  : fmt::format(" with the same order of locks and atomics ({})",
                                Counted(orders, "synchronisation")),
      unfinished == 0 ? ""
                      : fmt::format(", up to where {} not ended",
                                    unfinished == 1 ? "1 thread had"
                                                    : fmt::format("{} threads had", unfinished)));
}

// What no races mean; nothing if they mean little.
std::string Claim(const Report& report) {
  if (report.deadlock) return DeadlockText(report, ", but");
  if (report.HasErrors()) return ", but coverage is incomplete: see the errors above";
  // Foreign tasks count whether or not they were seen: a parallel run cannot see oneTBB's threads.
  if (report.warned || report.foreign_tasks) {
    return ", but coverage is incomplete: see the warnings above";
  }
  const bool whole = report.end && !report.end->signal;
  if (!whole || report.suppressed > 0) return "";
  if (report.Stat("worker_numbers") > 0) {
    return ": no schedule of this input has a determinacy race, except those that the note above "
           "excludes";
  }
  if (report.Stat("threads") > 0) return ClaimOfThreads(report);
  if (report.Stat("regions") > 0) {
    return fmt::format(
        ": {}no schedule of this input with teams of {} threads has a data race{}",
        report.blind_spots ? "as far as it was instrumented, " : "", report.Stat("largest_team"),
        report.Stat("loops_by_threads") == 0
            ? ""
            : ", but iterations that one thread has run were not compared with each other");
  }
  return report.blind_spots
             ? ": as far as it was instrumented, no schedule of this input has a determinacy race"
             : ": no schedule of this input has a determinacy race";
}

std::string Findings(const Report& report) {
  if (report.options.mode != "full") {
    return fmt::format("nothing was checked: mode is {}{}", report.options.mode,
                       DeadlockText(report, ";"));
  }
  if (report.Reports() > 0) {
    const auto locked = static_cast<uint64_t>(
        std::ranges::count(report.races, std::string("lock-order"), &ReportedRace::race_class));
    const uint64_t races = report.Reports() - locked;
    std::string found = races > 0 ? Counted(races, "race") : "no races";
    if (locked > 0) found += fmt::format(", {}", Counted(locked, "lock-order report"));
    return fmt::format("{} ({}){}{}{}; {}", found, Counted(report.occurrences, "occurrence"),
                       SuppressedText(report), InSize(report), DeadlockText(report, ", and"),
                       EngineText(report));
  }
  if (!report.any_instrumented) {
    return "nothing was checked: no part of the program is instrumented; compile it with "
           "taskrace c++" +
           DeadlockText(report, ";");
  }
  if (report.engine == "none") return "nothing was checked: no part of the program has run";
  return fmt::format("no races{}{}{} ({})", SuppressedText(report), InSize(report), Claim(report),
                     EngineText(report));
}

}  // namespace

std::string Summary(const Report& report) {
  std::string text;
  if (report.forked) text += fmt::format("process {}: ", report.pid);
  text += Findings(report);
  if (report.end && !report.end->signal) return text;
  text += report.end ? fmt::format("; the program was ended by {}", SignalName(report.end->code))
                     : "; the program was killed, so the last events may be missing";
  if (report.Reports() == 0) text += ": this proves nothing";
  return text;
}

}  // namespace taskrace::report
