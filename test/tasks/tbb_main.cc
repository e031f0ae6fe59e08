// Runs the tests with the number of oneTBB threads that --threads=N names.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kOption = "--threads=";
  int threads = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).substr(0, kOption.size()) == kOption) {
      threads = std::atoi(argv[i] + kOption.size());
    }
  }
  if (threads < 1) return 2;
  // More threads than cores are wanted here: they interleave.
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  return tbb::task_arena(threads).execute([] { return RUN_ALL_TESTS(); });
}
