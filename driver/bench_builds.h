// The executables of the benchmark programs, kept between runs and made again when anything they
// are made of has changed: source, headers, compiler, pass, runtime, flags.
//
// Thread rule: different executables from different threads; two processes may share a directory.
// Cost: a stat per header when nothing is to do, else a compilation of two to four seconds.
#pragma once

#include <string>
#include <vector>

#include "driver/bench_config.h"
#include "driver/bench_suite.h"
#include "driver/parts.h"
#include "report/result.h"

namespace taskrace::driver {

class BenchBuilds {
 public:
  // Makes the directory. `work` empty: the user's cache directory.
  static report::Result<BenchBuilds> Open(const std::string& suite, const std::string& work);

  // Compiles if need be; the error has what the compiler said.
  report::Result<bool> Make(const BenchProgram& program, Build build) const;
  bool IsUpToDate(const BenchProgram& program, Build build) const;

  std::string Executable(const BenchProgram& program, Build build) const;
  // What the compiler said when it made the executable: for kDetected, the counters of the pass.
  std::string CompilerOutput(const BenchProgram& program, Build build) const;

  const std::string& work() const { return work_; }
  const std::string& suite() const { return suite_; }
  const std::string& clang() const { return clang_; }

 private:
  std::vector<std::string> Command(const BenchProgram& program, Build build,
                                   const std::string& out) const;
  // What the executable was made of: its command, and of each file the time and the size. Empty if
  // one of the files is not there.
  std::string Stamp(const BenchProgram& program, Build build,
                    const std::vector<std::string>& files) const;

  Parts parts_;
  std::string clang_;
  std::string suite_;
  std::string work_;
};

}  // namespace taskrace::driver
