// histogram: how often each value is among random numbers.
// Loops:  one iteration a number, which adds one to an atomic counter. The seeded sibling's
//         addition is an ordinary one.
#include <atomic>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr long kValues = 4096;

int main(int argc, char** argv) {
  const bench::Run<2> run("histogram",
                          {.parameters = {"numbers", "rounds"},
                           .test = {2000, 1},
                           .small = {5'000'000, 6},
                           .paper = {20'000'000, 6}},
                          argc, argv);
  const auto [numbers, rounds] = run.arguments();
  std::vector<int> value(static_cast<std::size_t>(numbers));
  bench::Random random(8);
  for (int& number : value) number = static_cast<int>(random.Below(kValues) * random.Uniform());
  std::vector<long> count(kValues);
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(std::size_t{0}, value.size(), [&](std::size_t i) {
        if constexpr (bench::kSeeded) {
          // Seeded race: loops/histogram
          ++count[value[i]];
        } else {
          std::atomic_ref(count[value[i]]).fetch_add(1, std::memory_order_relaxed);
        }
      });
    }
  });
  std::vector<long> expected(kValues);
  for (const int number : value) expected[number] += rounds;
  double sum = 0;
  for (long i = 0; i < kValues; ++i) sum += static_cast<double>(count[i] * (i % 11));
  return run.Result(count == expected, sum);
}
