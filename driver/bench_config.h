// What `taskrace bench` builds of a program, and what it runs.
//
// Thread rule: constants and pure functions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace taskrace::driver {

// One executable of a program.
enum class Build {
  kPlain,
  kNative,
  kParallel,
  kConstructs,
  kDetected,
  kSeeded,
  kTsan,
  kTsanSerial
};

// How a build is run. Names are those of option --config, of the JSON file and of the table.
enum class Config {
  kPlain,
  kNative,
  kParallelOne,
  kParallelTwo,
  kReach,
  kInstrument,
  kFull,
  kFullOne,
  kFullTwo,
  kTsanOne,
  kTsanAll,
  kTsanSerial
};
inline constexpr int kConfigs = 12;

struct ConfigRow {
  Config config;
  std::string_view name;    // in the progress line and in messages
  std::string_view option;  // the value of --config or --peer that asks for it
  Build build;
  std::string_view mode;  // of the runtime; empty: the build has none
  int threads;            // 0: one thread, wherever the system likes; -1: all cores

  // Another detector; if it cannot run a program, that is not a failure of Taskrace.
  constexpr bool IsPeer() const { return build == Build::kTsan || build == Build::kTsanSerial; }
  // Detection on threads; it is for fork-join programs.
  constexpr bool DetectsInParallel() const { return !mode.empty() && threads != 0; }
  // Held against the ordinary parallel build on as many threads, and not against the plain one.
  constexpr bool ComparesWithParallel() const {
    return build == Build::kTsan || DetectsInParallel();
  }
};

inline constexpr std::array<ConfigRow, kConfigs> kConfigTable = {{
    {Config::kPlain, "plain", "plain", Build::kPlain, "", 0},
    {Config::kNative, "native", "native", Build::kNative, "", 0},
    {Config::kParallelOne, "parallel_1", "parallel", Build::kParallel, "", 1},
    {Config::kParallelTwo, "parallel_2", "parallel", Build::kParallel, "", 2},
    {Config::kReach, "reach", "reach", Build::kConstructs, "reach", 0},
    {Config::kInstrument, "instrument", "instrument", Build::kDetected, "instrument", 0},
    {Config::kFull, "full", "full", Build::kDetected, "full", 0},
    {Config::kFullOne, "full_1", "full-parallel", Build::kDetected, "full", 1},
    {Config::kFullTwo, "full_2", "full-parallel", Build::kDetected, "full", 2},
    {Config::kTsanOne, "tsan_1", "tsan", Build::kTsan, "", 1},
    {Config::kTsanAll, "tsan_all", "tsan", Build::kTsan, "", -1},
    {Config::kTsanSerial, "tsan_serial", "tsan-serial", Build::kTsanSerial, "", 0},
}};

constexpr const ConfigRow& RowOf(Config config) {
  return kConfigTable[static_cast<size_t>(config)];
}

// The suffix of an executable's name that identifies its build.
constexpr std::string_view NameOf(Build build) {
  constexpr std::string_view kNames[] = {"plain",    "native", "parallel", "constructs",
                                         "detected", "seeded", "tsan",     "tsan-serial"};
  return kNames[static_cast<size_t>(build)];
}

}  // namespace taskrace::driver
