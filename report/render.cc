#include "report/render.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "report/json.h"
#include "report/log.h"
#include "report/log_format.h"
#include "report/output_file.h"
#include "report/report.h"
#include "report/text.h"

namespace taskrace::report {
namespace {

constexpr int kFailed = 2;

// False if nobody can read it.
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
    if (mode == RenderMode::kFull) PrintError("taskrace: error: " + log.error() + "\n");
    return kFailed;
  }
  if (mode == RenderMode::kVerdictOnly && log->options.suppressions.empty()) {
    return log->races.empty() ? 0 : kReported;
  }
  const Report report = MakeReport(*log);
  const int verdict = report.Reports() > 0 ? kReported : 0;
  if (mode == RenderMode::kVerdictOnly) return verdict;

  int failure = 0;
  // JSON first: the text's summary is the last line of all.
  if (!report.options.json.empty()) {
    const std::string path = OutputPath(report.options.json, report.pid, report.forked);
    if (auto written = WriteOutputFile(path, RenderJson(report)); !written) {
      PrintError("taskrace: error: " + written.error() + "\n");
      failure = kFailed;
    }
  }
  const bool printed = PrintError(RenderText(report, WantsColor(report.options.color)));
  // The program may have closed its standard error; `taskrace run` still has one.
  const bool may_try_again = report.options.hidden_summary != 0;
  if (printed || !may_try_again) unlink(log_path.c_str());
  return verdict != 0 ? verdict : failure;
}

}  // namespace taskrace::report
