// spmv: product of a sparse matrix and a vector, several times.
// Loops:  one iteration a row, with a serial loop over its numbers. The seeded sibling takes the
//         matrix for half of a symmetric one and adds the other half meanwhile.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

// The numbers of row r are those at [first[r], first[r + 1]).
struct SparseMatrix {
  std::vector<int> first, column;
  std::vector<double> value;
};

SparseMatrix RandomMatrix(long rows) {
  SparseMatrix matrix;
  bench::Random random(11);
  matrix.first.push_back(0);
  for (long r = 0; r < rows; ++r) {
    const long count = 1 + random.Below(15);
    for (long k = 0; k < count; ++k) {
      matrix.column.push_back(static_cast<int>(random.Below(rows)));
      matrix.value.push_back(random.Uniform() / static_cast<double>(count));
    }
    matrix.first.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

int main(int argc, char** argv) {
  const bench::Run<2> run("spmv",
                          {.parameters = {"rows", "rounds"},
                           .test = {800, 2},
                           .small = {500'000, 12},
                           .paper = {2'000'000, 12}},
                          argc, argv);
  const auto [rows, rounds] = run.arguments();
  const SparseMatrix a = RandomMatrix(rows);
  std::vector<double> x(static_cast<std::size_t>(rows), 1.0), y(x.size());
  run.Kernel([&, rows = rows, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(0L, rows, [&](long r) {
        double sum = 0;
        for (int k = a.first[r]; k < a.first[r + 1]; ++k) {
          sum += a.value[k] * x[a.column[k]];
          // Seeded race: loops/spmv
          if (bench::kSeeded) y[a.column[k]] += a.value[k] * x[r];
        }
        // Seeded race: loops/spmv
        y[r] = sum;
      });
      x.swap(y);
    }
  });
  // y is what x was one round ago.
  bool right = true;
  double total = 0;
  for (long r = 0; r < rows; ++r) {
    double sum = 0;
    for (int k = a.first[r]; k < a.first[r + 1]; ++k) sum += a.value[k] * y[a.column[k]];
    right = right && bench::Close(x[r], sum, 1e-12);
    total += x[r];
  }
  return run.Result(right, total);
}
