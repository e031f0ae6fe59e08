// The executables of benchmark programs: one per program and build, kept between calls of the command.
//
// Each has a stamp file with the compiler command, and name, size and time of every file that went into it
// (clang's -MD lists the headers; compiler, pass and runtime count as well). An executable whose stamp would
// be the same now is not made again. Several processes may share a work directory, as the tests do.
#include "driver/bench_builds.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "driver/bench_process.h"
#include "report/bytes.h"

namespace taskrace::driver {
namespace {

using report::Error;
using report::Printable;
using report::Result;

Result<std::string> DefaultWork() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) {
    return cache + "/taskrace/bench";
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    return home + "/.cache/taskrace/bench";
  }
  return Error{"HOME is not set; choose a directory for executables with --work=DIR"};
}

bool IsDetected(Build build) {
  return build == Build::kConstructs || build == Build::kDetected || build == Build::kSeeded;
}

std::vector<std::string> FlagsOf(Build build) {
  switch (build) {
    case Build::kPlain:
      return {"-DTASKRACE_SERIAL"};
    case Build::kNative:
      return {"-DTASKRACE_SERIAL", "-march=native"};
    case Build::kParallel:
      return {"-ltbb"};
    case Build::kTsan:
      return {"-fsanitize=thread", "-ltbb"};
    case Build::kTsanSerial:
      return {"-DTASKRACE_SERIAL", "-fsanitize=thread"};
    case Build::kConstructs:
      return {"-ftaskrace-only-constructs"};
    case Build::kDetected:
      return {"-Xclang", "-mllvm", "-Xclang", "-taskrace-stats"};
    case Build::kSeeded:
      return {"-DTASKRACE_SEED_RACE"};
  }
  return {};
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The files that a makefile of clang's -MD names: «program: source header \ header».
std::vector<std::string> Prerequisites(const std::string& makefile) {
  std::vector<std::string> files;
  std::string file;
  const size_t colon = makefile.find(": ");
  for (size_t i = colon == std::string::npos ? makefile.size() : colon + 1; i < makefile.size();
       ++i) {
    const char c = makefile[i];
    const char next = i + 1 < makefile.size() ? makefile[i + 1] : '\n';
    if (c == '\\' && next != '\n') {
      file += next;
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\\') {
      if (!file.empty()) files.push_back(std::move(file));
      file.clear();
    } else {
      file += c;
    }
  }
  return files;
}

// The files of a stamp.
std::vector<std::string> FilesIn(const std::string& stamp) {
  std::vector<std::string> files;
  std::istringstream lines(stamp);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const size_t path = line.find('/');
    if (path != std::string::npos) files.push_back(line.substr(path));
  }
  return files;
}

// What the compiler said, but for the counters of the pass.
std::string WithoutCounters(const std::string& output) {
  std::string rest;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("taskrace: ") || line.starts_with("taskrace: error")) rest += line + "\n";
  }
  return rest;
}

// The file appears complete or not at all, even if several processes write it.
bool Replace(const std::string& path, const std::string& contents) {
  const std::string fresh = fmt::format("{}.{}", path, getpid());
  std::error_code problem;
  if (!(std::ofstream(fresh, std::ios::binary) << contents).flush()) return false;
  std::filesystem::rename(fresh, path, problem);
  return !problem;
}

}  // namespace

Result<BenchBuilds> BenchBuilds::Open(const std::string& suite, const std::string& work) {
  BenchBuilds builds;
  builds.parts_ = FindParts();
  builds.suite_ = suite;
  builds.clang_ = FindClang(/*cxx=*/true);
  if (builds.clang_.empty()) {
    return Error{"clang++-19 was not found; install clang-19, or set TASKRACE_CLANGXX to its path"};
  }
  if (work.empty()) {
    auto found = DefaultWork();
    if (!found) return Error{found.error()};
    builds.work_ = *found;
  } else {
    builds.work_ = std::filesystem::absolute(work).lexically_normal().string();
  }
  std::error_code problem;
  std::filesystem::create_directories(builds.work_, problem);
  if (problem || access(builds.work_.c_str(), W_OK) != 0) {
    return Error{fmt::format("cannot store executables in {}{}; choose a directory with --work=DIR",
                             Printable(builds.work_), problem ? ": " + problem.message() : "")};
  }
  return builds;
}

std::string BenchBuilds::Executable(const BenchProgram& program, Build build) const {
  std::string name = program.name;
  std::ranges::replace(name, '/', '-');
  return fmt::format("{}/{}.{}", work_, name, NameOf(build));
}

std::string BenchBuilds::CompilerOutput(const BenchProgram& program, Build build) const {
  return ReadFile(Executable(program, build) + ".output");
}

std::vector<std::string> BenchBuilds::Command(const BenchProgram& program, Build build,
                                              const std::string& out) const {
  std::vector<std::string> command;
  if (IsDetected(build)) {
    command = {parts_.Command(), "c++"};
  } else {
    command = {clang_, "-I" + parts_.IncludeDirectory()};
  }
  command.insert(command.end(), {"-std=c++20", "-O3", suite_ + "/" + program.source});
  for (const std::string& flag : FlagsOf(build)) command.push_back(flag);
  command.insert(command.end(), program.libraries.begin(), program.libraries.end());
  command.insert(command.end(), {"-MD", "-MF", out + ".d", "-o", out});
  return command;
}

std::string BenchBuilds::Stamp(const BenchProgram& program, Build build,
                               const std::vector<std::string>& files) const {
  std::string stamp =
      fmt::format("{}\n", fmt::join(Command(program, build, Executable(program, build)), " "));
  for (const std::string& file : files) {
    struct stat status;
    if (stat(file.c_str(), &status) != 0) return "";
    stamp += fmt::format("{}.{:09} {} {}\n", status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                         status.st_size, file);
  }
  return stamp;
}

bool BenchBuilds::IsUpToDate(const BenchProgram& program, Build build) const {
  const std::string out = Executable(program, build);
  if (access(out.c_str(), X_OK) != 0) return false;
  const std::string stamp = ReadFile(out + ".stamp");
  return !stamp.empty() && stamp == Stamp(program, build, FilesIn(stamp));
}

Result<bool> BenchBuilds::Make(const BenchProgram& program, Build build) const {
  if (IsUpToDate(program, build)) return true;
  const std::string out = Executable(program, build);
  const std::string fresh = fmt::format("{}.{}", out, getpid());
  const Finished compiled = RunProcess(
      {.command = Command(program, build, fresh), .environment = {{"TASKRACE_CLANGXX", clang_}}});
  const std::string makefile = ReadFile(fresh + ".d");
  std::error_code ignored;
  std::filesystem::remove(fresh + ".d", ignored);
  const auto failed = [&](const std::string& why) {
    std::filesystem::remove(fresh, ignored);
    return Error{fmt::format("cannot compile {} ({}): {}", program.name, NameOf(build), why)};
  };
  if (!compiled.Succeeded()) {
    return failed(compiled.Ending() + "\n" + WithoutCounters(compiled.errors));
  }
  std::vector<std::string> files = Prerequisites(makefile);
  for (std::string& file : files) file = std::filesystem::absolute(file).string();
  files.push_back(clang_);
  if (IsDetected(build)) files.insert(files.end(), {parts_.Plugin(), parts_.Runtime()});
  // The stamp is written last: an interrupted build has none, and is repeated.
  std::filesystem::remove(out + ".stamp", ignored);
  std::error_code problem;
  std::filesystem::rename(fresh, out, problem);
  if (problem || !Replace(out + ".output", compiled.errors) ||
      !Replace(out + ".stamp", Stamp(program, build, files))) {
    return failed(fmt::format("cannot write {}", Printable(out)));
  }
  return true;
}

}  // namespace taskrace::driver
