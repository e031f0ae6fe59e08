// scatter: numbers are stored at the places that a permutation says.
// Loops:  one iteration a number. In the seeded sibling two numbers have the same place.
#include <numeric>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../common.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("scatter",
                          {.parameters = {"numbers", "rounds"},
                           .test = {1000, 2},
                           .small = {2'000'000, 16},
                           .paper = {8'000'000, 16}},
                          argc, argv);
  const auto [numbers, rounds] = run.arguments();
  const auto size = static_cast<std::size_t>(numbers);
  std::vector<int> place(size);
  std::iota(place.begin(), place.end(), 0);
  bench::Random random(6);
  for (long i = numbers - 1; i > 0; --i) std::swap(place[i], place[random.Below(i + 1)]);
  if (bench::kSeeded) place.back() = place.front();
  std::vector<long> a(size);
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(std::size_t{0}, size, [&](std::size_t i) {
        // Seeded race: loops/scatter
        a[place[i]] = static_cast<long>(i) + round;
      });
    }
  });
  bool right = true;
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    right = right && a[place[i]] == static_cast<long>(i) + rounds - 1;
    sum += static_cast<double>(a[i]) * static_cast<double>(i % 3);
  }
  return run.Result(right, sum);
}
