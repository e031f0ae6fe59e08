// `taskrace c++` and `taskrace cc`: clang with more flags.
//
// Our flags come before the user's, so that the user's take precedence. They are marked as possibly unused,
// because clang would warn of link flags in a compilation and the other way round. The process becomes clang
// (execv): exit code, signals and output are clang's own.
#include "driver/compile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "driver/command_line.h"
#include "driver/say.h"
#include "driver/tool_version.h"
#include "report/bytes.h"

namespace taskrace::driver {
namespace {

using report::Error;
using report::Printable;
using report::Result;

bool IsReadable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

// The flags of compiling. -Xclang keeps them from the linker, which under LTO would take pass
// plugins and -mllvm options as well, and instrument twice.
Result<std::vector<std::string>> CompileFlags(const CommandLine& line, const Parts& parts) {
  // From the recorded command line the reporter learns which directories are -isystem.
  std::vector<std::string> flags = {"-g", "-D__TASKRACE__=1", "-frecord-command-line"};
  // With -I: after -isystem, a -I of the user with other headers of oneTBB would come before.
  if (!line.real_tbb) flags.insert(flags.end(), {"-I", parts.TbbIncludeDirectory()});
  // As a system directory, /usr/include in front would break #include_next.
  if (parts.prefix != "/usr" && parts.prefix != "/usr/local") {
    flags.insert(flags.end(), {"-isystem", parts.IncludeDirectory()});
  }
  // Makes strings instrumented code in every version of C++; the header there says how.
  flags.insert(flags.end(), {"-isystem", parts.IncludeDirectory() + "/taskrace/libstdcxx"});
  const auto cc1 = [&](const std::string& flag) { flags.insert(flags.end(), {"-Xclang", flag}); };
  if (line.openmp) {
    // To the compiler alone: for its driver it would also mean to link LLVM's runtime.
    cc1("-fopenmp");
    // All threads of a team run on one of the operating system's, so that its TLS is not enough.
    cc1("-fnoopenmp-use-tls");
    for (const std::string& flag : line.openmp_flags) cc1(flag);
    flags.insert(flags.end(), {"-idirafter", parts.OpenMpIncludeDirectory()});
  }
  if (!line.makes_code) return flags;
  if (!IsReadable(parts.Plugin())) {
    return Error{fmt::format("the compiler pass is missing: {}; build or install taskrace again",
                             Printable(parts.Plugin()))};
  }
  // Loaded twice over: -load makes the plugin's own options known, -fpass-plugin runs its passes.
  cc1("-load");
  cc1(parts.Plugin());
  cc1("-fpass-plugin=" + parts.Plugin());
  // Without optimisation clang marks no lifetimes of variables unless this asks for them.
  cc1("-fsanitize-address-use-after-scope");
  // For LTO clang omits the locations of variables, which reports need for their names.
  if (line.lto) cc1("-fexperimental-assignment-tracking=forced");
  if (line.only_constructs) {
    cc1("-mllvm");
    cc1("-taskrace-only-constructs");
  }
  for (const std::string& list : line.ignorelists) {
    if (!IsReadable(list) || std::filesystem::is_directory(list)) {
      return Error{fmt::format("-ftaskrace-ignorelist={}: cannot read it{}", Printable(list),
                               list.empty() ? "; name a file" : "")};
    }
    cc1("-mllvm");
    cc1("-taskrace-ignorelist=" + list);
  }
  return flags;
}

// The flags of linking. The runtime comes before all libraries, so that it interposes malloc and
// the like; nothing may drop it as not needed.
Result<std::vector<std::string>> LinkFlags(const CommandLine& line, const Parts& parts) {
  if (!line.static_flag.empty()) {
    return Error{fmt::format(
        "{} does not work with taskrace, because its runtime is a shared library; link without it",
        Printable(line.static_flag))};
  }
  if (!IsReadable(parts.Runtime())) {
    return Error{fmt::format("the runtime is missing: {}; build or install taskrace again",
                             Printable(parts.Runtime()))};
  }
  std::vector<std::string> flags = {"-Wl,--push-state,--no-as-needed", parts.Runtime()};
  if (line.openmp || line.openmp_library) {
    if (!IsReadable(parts.OpenMpRuntime())) {
      return Error{fmt::format("the OpenMP runtime is missing: {}; build or install taskrace again",
                               Printable(parts.OpenMpRuntime()))};
    }
    // By -l: CMake's FindOpenMP reads the names of libraries from the command line of the linker.
    flags.insert(flags.end(), {"-L" + parts.LibraryDirectory(), "-ltaskrace_omp"});
  }
  flags.insert(flags.end(), {"-Wl,--pop-state", "-Wl,-rpath," + parts.LibraryDirectory()});
  if (line.lto && !line.chooses_linker) {
    // The linker of binutils cannot read LLVM's bitcode.
    const std::string linker = FindLinker();
    if (linker.empty()) {
      return Error{"-flto needs ld.lld-19; install lld-19 or choose a linker with -fuse-ld="};
    }
    flags.push_back("--ld-path=" + linker);
  }
  return flags;
}

}  // namespace

Result<std::vector<std::string>> ClangArguments(const std::vector<std::string>& user,
                                                const Parts& parts) {
  const CommandLine line = ReadCommandLine(user);
  // `-cc1` is clang's own second stage, whose command line already has all flags.
  if (line.is_internal) return user;
  if (line.thread_sanitizer) {
    return Error{"-fsanitize=thread cannot be combined with taskrace; leave one out"};
  }
  auto flags = CompileFlags(line, parts);
  if (!flags) return flags;
  if (line.links && !line.relocatable) {
    const auto link = LinkFlags(line, parts);
    if (!link) return link;
    flags->insert(flags->end(), link->begin(), link->end());
  }
  std::vector<std::string> arguments = {"--start-no-unused-arguments"};
  arguments.insert(arguments.end(), flags->begin(), flags->end());
  arguments.push_back("--end-no-unused-arguments");
  // Clang would read the response file again, with an option that it does not know.
  if (line.had_own_in_response) {
    arguments.insert(arguments.end(), line.arguments.begin(), line.arguments.end());
    return arguments;
  }
  bool is_value = false;
  for (const std::string& word : user) {
    const bool stands_for_itself = std::exchange(is_value, word == "-Xclang");
    if (stands_for_itself || !IsOwnOption(word)) arguments.push_back(word);
  }
  return arguments;
}

namespace {

// The compiler to call. A version other than 19 cannot load the pass, and would say so in a way that no
// user understands; but a version check costs a process, so it is made only for a compiler that the user named.
Result<std::string> ChooseClang(bool cxx) {
  const std::string clang = FindClang(cxx);
  const char* variable = cxx ? "TASKRACE_CLANGXX" : "TASKRACE_CLANG";
  const char* chosen = std::getenv(variable);
  if (chosen == nullptr || *chosen == '\0') {
    if (!clang.empty()) return clang;
    return Error{fmt::format("{} was not found; install clang-19, or set {} to its path",
                             cxx ? "clang++-19" : "clang-19", variable)};
  }
  if (clang.empty()) {
    return Error{
        fmt::format("{}={} is not an executable; unset it, or set it to the path of clang 19",
                    variable, Printable(chosen))};
  }
  if (const std::string version = VersionOf(clang);
      version.find("clang version 19.") == std::string::npos) {
    return Error{
        fmt::format("{}={} is not clang 19, but {}; unset it, or set it to the path of clang 19",
                    variable, Printable(chosen), version)};
  }
  return clang;
}

}  // namespace

int Compile(const std::vector<std::string>& user, bool cxx) {
  const auto clang = ChooseClang(cxx);
  if (!clang) return Fail(clang.error());
  if (ReadCommandLine(user).offloads) {
    fmt::print(stderr,
               "taskrace: warning: -fopenmp-targets has no effect: target regions run on the "
               "host, where they are checked\n");
  }
  auto arguments = ClangArguments(user, FindParts());
  if (!arguments) return Fail(arguments.error());
  std::vector<char*> words = {const_cast<char*>(clang->c_str())};
  for (std::string& word : *arguments) words.push_back(word.data());
  words.push_back(nullptr);
  execv(clang->c_str(), words.data());
  return Fail(fmt::format("cannot run {}: {}", Printable(*clang), std::strerror(errno)));
}

}  // namespace taskrace::driver
