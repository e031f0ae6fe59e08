#include "report/notes.h"

#include <fmt/format.h>

#include "report/counted.h"

namespace taskrace::report {

std::vector<std::string> Notes(const Report& report) {
  std::vector<std::string> notes;
  if (!report.symbolizer_problem.empty()) {
    notes.push_back("function names and lines are missing: " + report.symbolizer_problem);
  } else if (report.lines_missing) {
    notes.emplace_back(
        "some code has no source lines: it was compiled without -g, or the optimiser merged "
        "several accesses into one (then -O0 shows the lines)");
  }
  if (const int64_t asked = report.Stat("worker_numbers"); asked > 0) {
    notes.push_back(
        fmt::format("{} asked for a worker's number: races between tasks of the same number are "
                    "not reported",
                    Counted(static_cast<uint64_t>(asked), "task")));
  }
  if (report.MadeNoTasks()) {
    notes.emplace_back(
        "the program created no tasks, so nothing was parallel: create tasks with "
        "<taskrace/tasks.hpp>, or run it on an input that creates some");
  }
  if (report.left_out > 0) {
    notes.push_back(fmt::format("{} left out; --max-races=0 reports all",
                                Counted(report.left_out, "more report")));
  }
  return notes;
}

}  // namespace taskrace::report
