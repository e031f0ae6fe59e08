// A log of any bytes becomes a report without a crash, or one clear line.
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "report/formats.h"
#include "report/json.h"
#include "report/read_report.h"
#include "report/report.h"
#include "report/text.h"

using namespace taskrace::report;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("TASKRACE_SYMBOLIZER", "/nowhere", 1);  // names come from another target
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  auto log = ReadLog(stream, "log");
  if (!log) {
    if (log.error().empty() || log.error().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  // Files that the log names are those of this machine.
  log->options.suppressions.clear();
  for (auto& [id, module] : log->modules) module.path = "/nowhere/" + module.path;
  const Report report = MakeReport(*log);
  RenderText(report, /*color=*/true);
  // What is written can be read, and every format can be made of it.
  const auto read = ParseReport(RenderJson(report), "saved");
  if (!read) std::abort();
  for (const char* format : {"text", "json", "html", "sarif", "github", "gcc"}) {
    if (RenderAs(format, *read).empty() && std::string_view(format) != "gcc") std::abort();
  }
  return 0;
}
