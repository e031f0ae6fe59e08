// `taskrace doctor`: looks for every part that a run needs, then compiles and runs a program.
//
// Each check prints one line, and what to do if it fails. All checks are made even if one fails, so that a
// user can fix everything at once.
#include "driver/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "driver/log_directory.h"
#include "driver/parts.h"
#include "driver/subprocess.h"
#include "driver/tool_version.h"
#include "report/bytes.h"
#include "report/log_format.h"
#include "report/symbols.h"

namespace taskrace::driver {
namespace {

using report::Printable;

class Examination {
 public:
  // Prints the result of one check; `advice` is printed only if it failed.
  void Say(bool well, const std::string& what, const std::string& advice) {
    fmt::print("{} {}{}\n", well ? "✓" : "✗", what, well ? "" : ": " + advice);
    all_well_ &= well;
  }
  bool all_well() const { return all_well_; }

 private:
  bool all_well_ = true;
};

std::string FirstLine(const std::string& text) {
  return Printable(text.substr(0, text.find('\n')));
}

void ExamineProgram(Examination& examination, const std::string& path, const std::string& name,
                    const std::string& package) {
  if (path.empty()) {
    examination.Say(false, name, fmt::format("not found; install {}", package));
    return;
  }
  const std::string version = VersionOf(path);
  examination.Say(version.find("19.") != std::string::npos,
                  fmt::format("{} ({})", Printable(path), version),
                  fmt::format("version 19 is needed; install {}", package));
}

void ExamineFile(Examination& examination, const std::string& path) {
  examination.Say(access(path.c_str(), R_OK) == 0, Printable(path),
                  "not found; build or install taskrace again");
}

// Compiles a small program with the driver itself, and runs it.
void ExamineCompiler(Examination& examination, const Parts& parts) {
  const auto directory = LogDirectory::Make("");
  examination.Say(static_cast<bool>(directory), "temporary directory",
                  directory ? "" : directory.error());
  if (!directory) return;
  const std::string source = directory->path() + "/probe.cpp";
  const std::string program = directory->path() + "/probe";
  std::ofstream(source) << "int main(int argc, char**) { return argc - 1; }\n";
  const Output compiled = RunForOutput({parts.Command(), "c++", "-O1", source, "-o", program});
  examination.Say(compiled.exit_code == 0, "compiling with the pass", FirstLine(compiled.text));
  if (compiled.exit_code == 0) {
    const Output ran = RunForOutput({parts.Command(), "run", program});
    examination.Say(ran.exit_code == 0, "running under detection", FirstLine(ran.text));
  }
  std::error_code problem;
  std::filesystem::remove_all(directory->path(), problem);
}

void ExamineTbb(Examination& examination) {
  const std::string clang = FindClang(/*cxx=*/true);
  if (clang.empty()) return;
  const Output found = RunForOutput(
      {clang, "-fsyntax-only", "-x", "c++", "-include", "tbb/task_group.h", "/dev/null"});
  examination.Say(found.exit_code == 0, "oneTBB headers (for ordinary, parallel builds)",
                  "not found; install libtbb-dev");
}

}  // namespace

int Doctor() {
  Examination examination;
  const Parts parts = FindParts();
  fmt::print("taskrace {} in {}\n", kVersion, Printable(parts.prefix));
  ExamineProgram(examination, FindClang(/*cxx=*/true), "clang++-19", "clang-19");
  ExamineProgram(examination, FindClang(/*cxx=*/false), "clang-19", "clang-19");
  ExamineProgram(examination, report::FindSymbolizer(), "llvm-symbolizer-19", "llvm-19");
  ExamineProgram(examination, FindLinker(), "ld.lld-19 (for -flto)", "lld-19");
  ExamineFile(examination, parts.Plugin());
  ExamineFile(examination, parts.Runtime());
  ExamineFile(examination, parts.IncludeDirectory() + "/taskrace/tasks.hpp");
  ExamineTbb(examination);
  ExamineCompiler(examination, parts);
  fmt::print("{}\n",
             examination.all_well() ? "no problems found" : "there are problems, see above");
  return examination.all_well() ? 0 : 1;
}

}  // namespace taskrace::driver
