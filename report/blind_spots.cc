#include "report/blind_spots.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "report/elf_file.h"
#include "report/frame.h"
#include "taskrace/hooks.h"

namespace taskrace::report {
namespace {

// Runtime libraries that are modelled, or have nothing to do with the user's memory.
constexpr std::string_view kKnownLibraries[] = {
    "libc.so",      "libm.so",       "libstdc++.so", "libgcc_s.so", "ld-linux",
    "linux-vdso",   "libtaskrace_",  "libasan.so",   "libubsan.so", "liblsan.so",
    "libclang_rt.", "libpthread.so", "libdl.so",     "librt.so",    "libmvec.so",
    "libresolv.so", "linux-gate",    "libtbb",       "libatomic.so"};

// Objects of the C library and the compiler that every program has.
constexpr std::string_view kKnownSources[] = {"crtstuff.c",      "crtfastmath.c",    "atexit.c",
                                              "at_quick_exit.c", "pthread_atfork.c", "elf-init.c"};

bool IsSourceOfProgram(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos ||
      std::ranges::find(kKnownSources, name) != std::end(kKnownSources)) {
    return false;
  }
  const std::string extension = name.substr(dot + 1);
  constexpr std::string_view kExtensions[] = {"c",   "C",   "cc", "cp", "cpp", "cxx",
                                              "c++", "CPP", "m",  "mm", "ii",  "i"};
  return std::ranges::find(kExtensions, extension) != std::end(kExtensions);
}

}  // namespace

std::vector<std::string> UninstrumentedModules(const std::map<int, LoggedModule>& modules) {
  std::vector<std::string> blind;
  for (const auto& [id, module] : modules) {
    const std::string name = BaseName(module.path);
    const bool known = name.empty() || std::ranges::any_of(kKnownLibraries, [&](auto library) {
                         return name.starts_with(library);
                       });
    if (!module.instrumented && !known) blind.push_back(module.path);
  }
  return blind;
}

std::vector<std::string> UninstrumentedObjects(const std::string& path) {
  const ElfFile file(path);
  std::set<std::string> marked;
  for (const ObjectMarker& marker : file.Markers()) marked.insert(BaseName(marker.source));
  std::set<std::string> blind;
  for (const std::string& source : file.SourceNames()) {
    const std::string name = BaseName(source);
    if (IsSourceOfProgram(name) && !marked.contains(name)) blind.insert(name);
  }
  return {blind.begin(), blind.end()};
}

std::vector<std::string> SourcesWithUnknownAccesses(const std::string& path) {
  std::set<std::string> blind;
  for (const ObjectMarker& marker : ElfFile(path).Markers()) {
    if ((marker.constructs & TASKRACE_UNKNOWN_ACCESSES) != 0) blind.insert(BaseName(marker.source));
  }
  return {blind.begin(), blind.end()};
}

bool MakesTasksOfTbb(const std::string& path) {
  // tbb::detail::r1: spawn, execute_and_wait, enqueue, submit, parallel_pipeline
  constexpr std::string_view kMakers[] = {"_ZN3tbb6detail2r15spawnE",
                                          "_ZN3tbb6detail2r116execute_and_waitE",
                                          "_ZN3tbb6detail2r17enqueueE", "_ZN3tbb6detail2r16submitE",
                                          "_ZN3tbb6detail2r117parallel_pipelineE"};
  const auto is_maker = [&](const std::string& name) {
    return std::ranges::any_of(kMakers, [&](auto maker) { return name.starts_with(maker); });
  };
  return std::ranges::any_of(ElfFile(path).Imports(), is_maker);
}

}  // namespace taskrace::report
