// A saved report of any bytes becomes a report in every format, or one clear line.
#include <cstdlib>
#include <string>

#include "report/fingerprint.h"
#include "report/formats.h"
#include "report/merge.h"
#include "report/read_report.h"

using namespace taskrace::report;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto read = ParseReport({reinterpret_cast<const char*>(data), size}, "file");
  if (!read) {
    if (!read.error().starts_with("file ") || read.error().find('\n') != std::string::npos) {
      std::abort();
    }
    return 0;
  }
  Merger merger;
  merger.Add(*read, "one");
  merger.Add(*read, "two");
  Report merged = merger.Take();
  MarkKnown(merged, *read);
  for (const char* format : {"text", "json", "html", "sarif", "github", "gcc"}) {
    RenderAs(format, *read);
    RenderAs(format, merged);
  }
  return 0;
}
