// stencil: every number becomes the mean of itself and its two neighbours.
// Loops:  one iteration a number, from one array into another. The seeded sibling has one array.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

int main(int argc, char** argv) {
  const bench::Run<2> run("stencil",
                          {.parameters = {"numbers", "rounds"},
                           .test = {1000, 2},
                           .small = {4'000'000, 24},
                           .paper = {4'000'000, 96}},
                          argc, argv);
  const auto [numbers, rounds] = run.arguments();
  std::vector<double> a(static_cast<std::size_t>(numbers));
  bench::Random random(1);
  for (double& number : a) number = random.Uniform();
  std::vector<double> b = a;
  run.Kernel([&, numbers = numbers, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      std::vector<double>& out = bench::kSeeded ? a : b;
      taskrace::parallel_for(1L, numbers - 1, [&](long i) {
        // Seeded race: loops/stencil
        out[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
      });
      a.swap(b);
    }
  });
  // b is what a was one round ago.
  bool right = a.front() == b.front() && a.back() == b.back();
  double sum = a.front() + a.back();
  for (long i = 1; i + 1 < numbers; ++i) {
    right = right && bench::Close(a[i], (b[i - 1] + b[i] + b[i + 1]) / 3.0, 1e-12);
    sum += a[i];
  }
  return run.Result(right, sum);
}
