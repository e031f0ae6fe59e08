#include "report/render.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "report/formats.h"
#include "report/json.h"
#include "report/log.h"
#include "report/log_format.h"
#include "report/output_file.h"
#include "report/report.h"
#include "report/text.h"

namespace taskrace::report {
namespace {

constexpr int kFailed = 2;

// False if standard error cannot be written to.
bool PrintError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(2, text.data(), text.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

int Render(const std::string& log_path, RenderMode mode) {
  const auto log = ReadLog(log_path);
  if (!log) {
    if (mode != RenderMode::kVerdictOnly) PrintError("taskrace: error: " + log.error() + "\n");
    return kFailed;
  }
  const Report report = MakeReport(*log);
  LoggedVerdict verdict{report.Reports(), true};
  bool may_try_again = false;
  const auto merge_folder = std::filesystem::path(log_path).parent_path() / kMergeFolder;
  std::error_code problem;
  if (mode != RenderMode::kVerdictOnly && std::filesystem::is_directory(merge_folder, problem)) {
    const std::string file = (merge_folder / fmt::format("{}.json", report.pid)).string();
    if (auto written = WriteOutputFile(file, RenderJson(report)); !written) {
      PrintError("taskrace: error: " + written.error() + "\n");
      verdict.complete = false;
    }
  } else if (mode != RenderMode::kVerdictOnly) {
    // Files first: the text's summary is the last line of all.
    for (const OutputOption& option : kOutputOptions) {
      const std::string& name = report.options.*option.file;
      if (name.empty()) continue;
      const std::string path = OutputPath(name, report.pid, report.forked, report.runs[0].rank);
      if (auto written = WriteOutputFile(path, RenderAs(option.name, report)); !written) {
        PrintError("taskrace: error: " + written.error() + "\n");
        verdict.complete = false;
      }
    }
    const bool printed =
        PrintError(RenderText(report, WantsColor(report.options.color), TerminalWidth()));
    // The program may have closed its standard error; `taskrace run` still has one.
    may_try_again = !printed && report.options.hidden_summary != 0;
  }
  // Last: a reporter that is killed before this point has not reported.
  if (!may_try_again) WriteVerdict(log_path, *log, verdict);
  if (!may_try_again && mode == RenderMode::kFull) unlink(log_path.c_str());
  return verdict.reports > 0 ? kReported : verdict.complete ? 0 : kFailed;
}

}  // namespace taskrace::report
