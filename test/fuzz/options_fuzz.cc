// The driver and the runtime read TASKRACE_OPTIONS alike, and what the driver hands on is read back
// as the same options.
#include <cstdlib>
#include <cstring>
#include <string>

#include "report/options.h"
#include "runtime/options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // An environment variable ends at a NUL.
  const std::string text(reinterpret_cast<const char*>(data), strnlen((const char*)data, size));
  taskrace::report::Options by_driver;
  const bool driver_takes = by_driver.Parse(text) && by_driver.CheckTogether();
  static taskrace::Options by_runtime;
  by_runtime = taskrace::Options();
  char problem[512] = "";
  const bool runtime_takes = by_runtime.Parse(text.c_str(), problem, sizeof(problem));
  // The runtime has room for a path of the system; the driver has no limit.
  const bool long_value = text.size() >= taskrace::Options::kTextSize;
  if (driver_takes != runtime_takes && !long_value) std::abort();
  if (!runtime_takes && std::strncmp(problem, "TASKRACE_OPTIONS: ", 18) != 0) std::abort();
  if (!driver_takes || !runtime_takes) return 0;
#define TASKRACE_CHOICE(name, ...) \
  if (by_driver.name != by_runtime.name) std::abort();
#define TASKRACE_NUMBER(name, ...) \
  if (by_driver.name != static_cast<uint64_t>(by_runtime.name)) std::abort();
#define TASKRACE_TEXT(name, ...) \
  if (by_driver.name != by_runtime.name) std::abort();
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
  if (const auto handed_on = by_driver.Text()) {
    taskrace::report::Options again;
    if (!again.Parse(*handed_on) || *again.Text() != *handed_on) std::abort();
  }
  return 0;
}
