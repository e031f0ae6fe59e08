// The taskrace command. Its other names are links to it: taskrace-c++ and
// taskrace-cc are the compiler.

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "driver/archive_tools.h"
#include "driver/bench.h"
#include "driver/compile.h"
#include "driver/doctor.h"
#include "driver/help.h"
#include "driver/log_directory.h"
#include "driver/report_command.h"
#include "driver/run.h"
#include "driver/say.h"
#include "report/bytes.h"
#include "report/frame.h"
#include "report/log_format.h"
#include "report/options.h"
#include "report/render.h"

namespace taskrace::driver {
namespace {

// What the runtime calls when a program ends: `render [--keep | --verdict-only] LOG`.
int RenderLog(std::vector<std::string> arguments) {
  auto mode = report::RenderMode::kFull;
  if (std::erase(arguments, "--keep") > 0) mode = report::RenderMode::kKeepLog;
  if (std::erase(arguments, "--verdict-only") > 0) mode = report::RenderMode::kVerdictOnly;
  if (arguments.size() != 1) return Fail("render takes one log");
  const LogClaim claim(arguments[0]);
  const int verdict = report::Render(arguments[0], mode);
  if (mode == report::RenderMode::kFull) LogDirectory::RemoveIfAbandoned(arguments[0]);
  return verdict;
}

int Dispatch(const std::string& name, std::vector<std::string> arguments) {
  if (name == "taskrace-c++") return Compile(arguments, /*cxx=*/true);
  if (name == "taskrace-cc") return Compile(arguments, /*cxx=*/false);
  if (name == "taskrace-llvm-ar") return RunArchiveTool("llvm-ar", std::move(arguments));
  if (name == "taskrace-llvm-ranlib") return RunArchiveTool("llvm-ranlib", std::move(arguments));
  if (arguments.empty()) {
    Help("");
    return kExitBad;
  }
  const std::string command = arguments[0];
  arguments.erase(arguments.begin());
  if (command == "c++") return Compile(arguments, /*cxx=*/true);
  if (command == "cc") return Compile(arguments, /*cxx=*/false);
  if (command == "run") return Run(arguments);
  if (command == "report") return ReportCommand(arguments);
  if (command == "bench") return Bench(arguments);
  if (command == "doctor") return arguments.empty() ? Doctor() : Help("doctor");
  if (command == "render") return RenderLog(arguments);
  if (command == "help" || command == "--help" || command == "-h") {
    return Help(arguments.empty() ? "" : arguments[0]);
  }
  if (command == "--version" || command == "version") {
    fmt::print("taskrace {}\n", kVersion);
    return 0;
  }
  return Fail(fmt::format(
      "unknown command '{}'; {}", report::Printable(command),
      report::Suggestion(command, {"c++", "cc", "run", "report", "bench", "doctor", "help"})));
}

// Under a small limit of stack (ulimit -s) the work is done on a stack of its own.
template <class Work>
void WithStack(Work work) {
  constexpr size_t kBytes = size_t{8} << 20;
  rlimit limit{};
  pthread_attr_t attributes;
  pthread_t thread;
  const auto run = [](void* work) -> void* {
    (*static_cast<Work*>(work))();
    return nullptr;
  };
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kBytes);
  const bool is_small = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kBytes;
  if (is_small && pthread_create(&thread, &attributes, run, &work) == 0) {
    pthread_join(thread, nullptr);
  } else {
    work();
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace
}  // namespace taskrace::driver

int main(int argc, char** argv) {
  const std::string name = argc > 0 ? taskrace::report::BaseName(argv[0]) : "";
  int code = 0;
  taskrace::driver::WithStack(
      [&] { code = taskrace::driver::Dispatch(name, {argv + (argc > 0), argv + argc}); });
  return code;
}
