// condition: numbers above a limit are cut off there, and it is noted which.
// Loops:  one iteration a number; whether it stores anything depends on the number. The seeded
//         sibling notes only that there was one.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("condition",
                          {.parameters = {"numbers", "rounds"},
                           .test = {1000, 2},
                           .small = {2'000'000, 20},
                           .paper = {8'000'000, 20}},
                          argc, argv);
  const auto [numbers, rounds] = run.arguments();
  std::vector<double> a(static_cast<std::size_t>(numbers));
  std::vector<int> cut(a.size());
  bench::Random random(7);
  for (double& number : a) number = random.Uniform();
  const std::vector<double> before = a;
  const auto limit = [&](long round) {
    return 1.0 - 0.5 * static_cast<double>(round + 1) / static_cast<double>(rounds);
  };
  run.Kernel([&, numbers = numbers, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      const double most = limit(round);
      taskrace::parallel_for(0L, numbers, [&](long i) {
        if (a[i] > most) {
          a[i] = most;
          // Seeded race: loops/condition
          ++cut[bench::kSeeded ? 0 : i];
        }
      });
    }
  });
  bool right = true;
  double sum = 0;
  for (long i = 0; i < numbers; ++i) {
    right = right && a[i] == std::fmin(before[i], 0.5) && (cut[i] > 0) == (before[i] > 0.5);
    sum += a[i] * cut[i];
  }
  return run.Result(right, sum);
}
