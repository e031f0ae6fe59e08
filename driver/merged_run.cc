#include "driver/merged_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <tuple>

#include "driver/say.h"
#include "report/formats.h"
#include "report/merge.h"
#include "report/output_file.h"
#include "report/read_report.h"
#include "report/render.h"
#include "report/text.h"

namespace taskrace::driver {
namespace {

using report::Report;

std::filesystem::path FolderOf(const LogDirectory& directory) {
  return std::filesystem::path(directory.path()) / report::kMergeFolder;
}

// By rank, then by process.
auto OrderOf(const Report& report) {
  return std::tuple(report.runs[0].rank.value_or(-1), report.runs[0].pid);
}

}  // namespace

report::Result<bool> MakeMergeFolder(const LogDirectory& directory) {
  std::error_code problem;
  std::filesystem::create_directory(FolderOf(directory), problem);
  if (!problem) return true;
  return report::Error{
      fmt::format("cannot make a directory in {}: {}", directory.path(), problem.message())};
}

void RemoveMergeFolder(const LogDirectory& directory) {
  std::error_code problem;
  std::filesystem::remove_all(FolderOf(directory), problem);
}

int ReportMerged(const LogDirectory& directory, const report::Options& options) {
  bool complete = true;
  std::vector<Report> reports;
  for (const auto& entry : std::filesystem::directory_iterator(FolderOf(directory))) {
    auto read = report::ReadReport(entry.path().string());
    if (read) {
      reports.push_back(std::move(*read));
    } else {
      Fail(read.error());
      complete = false;
    }
  }
  RemoveMergeFolder(directory);
  if (reports.empty()) return Fail("no instrumented program has run: compile it with taskrace c++");
  std::ranges::sort(reports, {}, OrderOf);
  report::Merger merger;
  for (Report& report : reports) merger.Add(std::move(report), "");
  Report merged = merger.Take();
  merged.options.group = options.group;
  for (const report::OutputOption& option : report::kOutputOptions) {
    const std::string& file = options.*option.file;
    if (file.empty()) continue;
    if (auto written = report::WriteOutputFile(file, RenderAs(option.name, merged)); !written) {
      Fail(written.error());
      complete = false;
    }
  }
  const std::string text =
      RenderText(merged, report::WantsColor(options.color), report::TerminalWidth());
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (merged.Reports() > 0 && options.exitcode != 0) return static_cast<int>(options.exitcode);
  return complete ? 0 : kExitBad;
}

}  // namespace taskrace::driver
