// What a clang command line asks for, as far as taskrace must know: does it compile, does it link.
//
// Thread rule: values. Cost: linear in the arguments; response files are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taskrace::driver {

struct CommandLine {
  std::vector<std::string> arguments;    // response files expanded, our own options taken out
  std::vector<std::string> ignorelists;  // -ftaskrace-ignorelist=
  bool only_constructs = false;          // -ftaskrace-only-constructs
  bool real_tbb = false;                 // -ftaskrace-real-tbb
  bool had_own_in_response = false;  // a response file had an option of ours: pass `arguments` on
  bool has_inputs = false;
  bool makes_code = true;    // not only preprocessing, checking or printing something
  bool links = true;         // the linker runs
  bool relocatable = false;  // -r
  std::string static_flag;   // -static, -static-pie, -static-libstdc++: what cannot be
  bool lto = false;
  bool chooses_linker = false;
  bool thread_sanitizer = false;
  bool openmp = false;                    // -fopenmp in one of its forms
  bool openmp_library = false;            // a runtime of OpenMP is asked for by -l
  std::vector<std::string> openmp_flags;  // for the compiler itself: -fopenmp-version=
  bool offloads = false;                  // -fopenmp-targets=, which has no effect
  bool is_internal = false;               // -cc1, -cc1as: not for us
};

// Is this an option that clang does not get as it is: ours, or one of OpenMP?
bool IsOwnOption(std::string_view word);
CommandLine ReadCommandLine(const std::vector<std::string>& user);

}  // namespace taskrace::driver
