// sor: successive over-relaxation on a square grid.
// From:   SPD3 (SOR, size C: 2000 x 2000, 100 iterations), after Java Grande.
// Tasks:  odd rows, then even rows, in every iteration; one async a row.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../kernels/matrix.h"

constexpr double kOmega = 1.25, kQuarter = kOmega / 4.0, kRest = 1.0 - kOmega;

void RelaxRow(const double* above, double* row, const double* below, long last) {
  for (long j = 1; j < last; ++j) {
    // Seeded race: spd3/sor
    row[j] = kQuarter * (above[j] + below[j] + row[j - 1] + row[j + 1]) + kRest * row[j];
  }
}

void Relax(bench::Block grid, long size, long iterations) {
  for (long half_step = 0; half_step < 2 * iterations; ++half_step) {
    taskrace::finish([&] {
      for (long i = 1 + half_step % 2; i < size - 1; i += bench::kSeeded ? 1 : 2) {
        taskrace::async([=] { RelaxRow(grid.Row(i - 1), grid.Row(i), grid.Row(i + 1), size - 1); });
      }
    });
  }
}

int main(int argc, char** argv) {
  const bench::Run<2> run("sor",
                          {.parameters = {"size", "iterations"},
                           .test = {50, 10},
                           .small = {1000, 100},
                           .paper = {2000, 100}},
                          argc, argv);
  const auto [size, iterations] = run.arguments();
  std::vector<double> grid = bench::RandomNumbers(size * size, 1), expected = grid;
  run.Kernel(
      [&, size = size, iterations = iterations] { Relax({grid.data(), size}, size, iterations); });
  for (long half_step = 0; half_step < 2 * iterations; ++half_step) {
    for (long i = 1 + half_step % 2; i < size - 1; i += 2) {
      double* const row = expected.data() + i * size;
      RelaxRow(row - size, row, row + size, size - 1);
    }
  }
  return run.Result(grid == expected, bench::Sum(grid));
}
