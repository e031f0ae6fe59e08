// map: every number of an array is made of the one at the same place of another.
// Loops:  one iteration a number; nothing but a load, an addition and a store.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("map",
                          {.parameters = {"numbers", "rounds"},
                           .test = {1000, 2},
                           .small = {4'000'000, 24},
                           .paper = {4'000'000, 96}},
                          argc, argv);
  const auto [numbers, rounds] = run.arguments();
  std::vector<double> a(static_cast<std::size_t>(numbers)), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 1000);
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) {
        // Seeded race: loops/map
        b[bench::kSeeded ? i / 2 : i] = a[i] + 1.0;
      });
      a.swap(b);
    }
  });
  bool right = true;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    right = right && a[i] == static_cast<double>(i % 1000) + static_cast<double>(rounds);
    sum += a[i];
  }
  return run.Result(right, sum);
}
