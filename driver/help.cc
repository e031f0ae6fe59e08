#include "driver/help.h"

#include <fmt/format.h>

#include <cstdio>

#include "driver/bench_options.h"
#include "driver/report_options.h"
#include "driver/say.h"
#include "report/bytes.h"
#include "report/log_format.h"
#include "report/options.h"

namespace taskrace::driver {
namespace {

constexpr char kOverview[] =
    R"(taskrace finds determinacy races in task-parallel C++ programs: one run on an input decides
whether any schedule of that input can race.

  taskrace c++ ARGUMENTS...           compile and link as clang++ does, with instrumentation
  taskrace cc ARGUMENTS...            the same for C (also as one word: taskrace-c++, taskrace-cc)
  taskrace run [options] ./program    run an instrumented program under detection
  taskrace report [options] FILE...   merge saved reports; as text, HTML, SARIF and more
  taskrace bench [options] [NAME...]  measure benchmark programs: table, JSON, plot
  taskrace doctor                     check the installation
  taskrace help [run|report|c++|bench|doctor]
                                      show help on one command
  taskrace --version

Example:
  taskrace c++ -O2 sum.cpp -o sum && taskrace run ./sum
)";

constexpr char kCompile[] =
    R"(taskrace c++ ARGUMENTS...     (also: taskrace-c++, taskrace cc, taskrace-cc)

Calls clang++-19 (clang-19) with the instrumentation pass, the headers and the runtime added. All
arguments of clang pass through; -g is added unless you give another -g option. For CMake:
  cmake -DCMAKE_CXX_COMPILER=taskrace-c++ -DCMAKE_C_COMPILER=taskrace-cc ...

  -ftaskrace-ignorelist=FILE    leave out functions and files (fun:GLOB, src:GLOB)
  -ftaskrace-real-tbb           oneTBB and std::execution with their own headers: tasks are not seen
  -ftaskrace-only-constructs    check no accesses; for measuring the cost of constructs (mode=reach)

Environment: TASKRACE_CLANGXX, TASKRACE_CLANG and TASKRACE_LLD override the programs to call.
)";

constexpr char kDoctor[] =
    R"(taskrace doctor

Checks the compiler, the pass, the runtime, the symbolizer, the linker and the temporary directory,
and says how to fix what is missing. Exit code 0 if everything was found, else 1.
)";

constexpr char kReport[] =
    R"(taskrace report [options] FILE...

Reads reports that runs have saved with --json=FILE, makes one report of them, and writes it in the
given format. Races between the same two lines on the same variable become one.

)";
constexpr char kReportCodes[] = R"(
Exit code: 66 if there are races (option fail-on), else 0; 2 if a file cannot be read: the others are
merged all the same.
)";

constexpr char kBench[] =
    R"(taskrace bench [options] [NAME...]

Builds the benchmark programs of the papers and our own, runs them in turn without and with
detection, and prints tables with the papers' figures beside ours. NAME is a program (stint/fft,
lcs) or a group (futurerd, loops); the default is all programs. Keep the machine idle meanwhile.

)";

void PrintRunHelp() {
  fmt::print(
      "taskrace run [options] [--] ./program arguments...\n\n"
      "Runs a program compiled with taskrace c++ under detection; the report goes to standard "
      "error.\n"
      "Options, also in the environment as TASKRACE_OPTIONS=name=value:name=value:\n\n");
  for (const report::OptionRow& row : report::OptionTable()) {
    if (row.IsHidden()) continue;
    std::string left = fmt::format("--{}", row.name);
    if (row.type == report::OptionRow::Type::kText) {
      left += fmt::format("={}", row.choices);
    } else if (!row.IsSwitch()) {
      left += fmt::format("={}", row.default_text);
    }
    fmt::print("  {:<22} {}\n", left, row.help);
    if (row.type == report::OptionRow::Type::kChoice && row.choices != row.default_text) {
      fmt::print("  {:<22} one of {}\n", "", row.choices);
    }
  }
  fmt::print("  {:<22} {}\n", "--merge",
             "run any program (mpirun, ctest, a script), and make one report of all processes");
  fmt::print(
      "\nExit code: the program's own; {} (option exitcode) if races were found; {} after a "
      "deadlock,\n"
      "with or without races; 128 + signal if it was killed; 2 if it cannot be started or "
      "checked.\n",
      report::Options().exitcode, kDeadlock);
}

}  // namespace

int Help(const std::string& topic) {
  if (topic.empty()) {
    fmt::print("{}", kOverview);
  } else if (topic == "run") {
    PrintRunHelp();
  } else if (topic == "report") {
    fmt::print("{}{}{}", kReport, ReportOptionsHelp(), kReportCodes);
  } else if (topic == "c++" || topic == "cc") {
    fmt::print("{}", kCompile);
  } else if (topic == "bench") {
    fmt::print("{}{}", kBench, BenchOptionsHelp());
  } else if (topic == "doctor") {
    fmt::print("{}", kDoctor);
  } else {
    return Fail(fmt::format("no help for '{}'; valid topics: run, report, c++, cc, bench, doctor",
                            report::Printable(topic)));
  }
  return 0;
}

}  // namespace taskrace::driver
