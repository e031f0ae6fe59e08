// Where the parts of taskrace are: relative to the command itself, PREFIX/bin/taskrace. A build
// tree has the same layout. And the programs of others that it calls.
//
// Thread rule: pure functions of the file system and the environment.
#pragma once

#include <string>

namespace taskrace::driver {

struct Parts {
  std::string prefix;

  std::string Command() const { return prefix + "/bin/taskrace"; }
  std::string LibraryDirectory() const { return prefix + "/lib/taskrace"; }
  std::string Plugin() const { return LibraryDirectory() + "/TaskracePass.so"; }
  std::string Runtime() const { return LibraryDirectory() + "/libtaskrace_rt.so"; }
  std::string OpenMpRuntime() const { return LibraryDirectory() + "/libtaskrace_omp.so"; }
  std::string IncludeDirectory() const { return prefix + "/include"; }
  // Has an omp.h, for compilers that come without one.
  std::string OpenMpIncludeDirectory() const { return IncludeDirectory() + "/taskrace/openmp"; }
  // Has the headers of oneTBB and std::execution, over the constructs of detection.
  std::string TbbIncludeDirectory() const { return IncludeDirectory() + "/taskrace/tbb"; }
  std::string BenchDirectory() const { return prefix + "/share/taskrace/bench"; }
};
Parts FindParts();

// Paths, or empty. The environment (TASKRACE_CLANGXX, TASKRACE_CLANG, TASKRACE_LLD) goes first.
std::string FindClang(bool cxx);
std::string FindLinker();

}  // namespace taskrace::driver
