// rows: the numbers of every row of a matrix are divided by their sum.
// Loops:  one iteration a row, with two serial loops over its columns. The seeded sibling goes one
//         column too far.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

int main(int argc, char** argv) {
  const bench::Run<3> run("rows",
                          {.parameters = {"rows", "columns", "rounds"},
                           .test = {300, 20, 2},
                           .small = {40'000, 100, 40},
                           .paper = {40'000, 100, 160}},
                          argc, argv);
  const auto [rows, columns, rounds] = run.arguments();
  std::vector<double> matrix(static_cast<std::size_t>(rows * columns + 1));
  bench::Random random(2);
  for (double& number : matrix) number = random.Uniform() + 1.0;
  run.Kernel([&, rows = rows, columns = columns, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(0L, rows, [&](long row) {
        double sum = 0;
        for (long column = 0; column < columns; ++column) {
          // Seeded race, possibly: loops/rows
          sum += matrix[row * columns + column];
        }
        for (long column = 0; column < columns + bench::kSeeded; ++column) {
          // Seeded race: loops/rows
          matrix[row * columns + column] /= sum;
        }
      });
    }
  });
  bool right = true;
  double total = 0;
  for (long row = 0; row < rows; ++row) {
    double sum = 0;
    for (long column = 0; column < columns; ++column) sum += matrix[row * columns + column];
    right = right && bench::Close(sum, 1.0, 1e-12);
    total += matrix[row * columns] * static_cast<double>(row % 7 + 1);
  }
  return run.Result(right, total);
}
