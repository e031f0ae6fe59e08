// transpose: a square matrix, row by row, into the columns of another.
// Loops:  one iteration a row, which it writes a whole row apart.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

int main(int argc, char** argv) {
  const bench::Run<2> run(
      "transpose",
      {.parameters = {"rows", "rounds"}, .test = {40, 3}, .small = {2000, 11}, .paper = {4000, 11}},
      argc, argv);
  const auto [rows, rounds] = run.arguments();
  std::vector<double> a(static_cast<std::size_t>(rows * rows)), b(a.size());
  bench::Random random(3);
  for (double& number : a) number = random.Uniform();
  const std::vector<double> before = a;
  run.Kernel([&, n = rows, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(0L, n, [&](long row) {
        const long to = bench::kSeeded ? row / 2 : row;
        for (long column = 0; column < n; ++column) {
          // Seeded race: loops/transpose
          b[column * n + to] = a[row * n + column];
        }
      });
      a.swap(b);
    }
  });
  bool right = true;
  double sum = 0;
  for (long i = 0; i < rows; ++i) {
    for (long j = 0; j < rows; ++j) {
      right = right && a[i * rows + j] == before[rounds % 2 == 0 ? i * rows + j : j * rows + i];
      sum += a[i * rows + j] * static_cast<double>(j % 5);
    }
  }
  return run.Result(right, sum);
}
