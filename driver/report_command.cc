#include "driver/report_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "driver/help.h"
#include "driver/report_options.h"
#include "driver/say.h"
#include "report/counted.h"
#include "report/fingerprint.h"
#include "report/formats.h"
#include "report/merge.h"
#include "report/options.h"
#include "report/output_file.h"
#include "report/read_report.h"
#include "report/text.h"

namespace taskrace::driver {
namespace {

using report::Report;

void HideKnown(Report& report) {
  const size_t hidden =
      std::erase_if(report.races, [](const report::ReportedRace& race) { return race.known; });
  if (hidden == 0) return;
  report.notes.push_back(fmt::format("{} of the baseline {} not shown",
                                     report::Counted(hidden, "race"), hidden == 1 ? "is" : "are"));
}

// Text on a terminal fits it and has colours.
std::string Rendered(const ReportRequest& request, const Report& report) {
  if (request.format == "text" && request.output.empty()) {
    return RenderText(report, report::WantsColor("auto", STDOUT_FILENO),
                      report::TerminalWidth(STDOUT_FILENO));
  }
  return RenderAs(request.format, report);
}

// False: the output is incomplete, and the user was told.
bool Write(const ReportRequest& request, const std::string& text) {
  if (!request.output.empty()) {
    const auto written = report::WriteOutputFile(request.output, text);
    if (!written) Fail(written.error());
    return static_cast<bool>(written);
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return true;
  }
  Fail("cannot write to standard output");
  return false;
}

}  // namespace

int ReportCommand(const std::vector<std::string>& arguments) {
  const auto request = ReadReportRequest(arguments);
  if (!request) return Fail(request.error());
  if (request->help) return Help("report");
  bool complete = true;
  size_t read = 0;
  report::Merger merger;
  for (const std::string& file : request->files) {
    auto report = report::ReadReport(file);
    if (!report) {
      Fail(report.error());
      complete = false;
      continue;
    }
    merger.Add(std::move(*report), file);
    ++read;
  }
  if (read == 0) return kExitBad;
  Report report = merger.Take();
  if (!request->baseline.empty()) {
    const auto baseline = report::ReadReport(request->baseline);
    if (!baseline) return Fail("option baseline: " + baseline.error());
    MarkKnown(report, *baseline);
  }
  const auto is_known = [](const report::ReportedRace& race) { return race.known; };
  const bool any = report.Reports() > 0 || report.deadlock;
  const bool any_new =
      !std::ranges::all_of(report.races, is_known) || report.left_out > 0 || report.deadlock;
  if (request->known == "hide") HideKnown(report);
  if (!Write(*request, Rendered(*request, report)) || !complete) return kExitBad;
  const bool fails = request->fail_on == "any" ? any : request->fail_on == "new" && any_new;
  return fails ? static_cast<int>(report::Options().exitcode) : 0;
}

}  // namespace taskrace::driver
