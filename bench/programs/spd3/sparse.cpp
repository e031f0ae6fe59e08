// sparse: product of a sparse matrix and a vector, added up 200 times.
// From:   SPD3 (Sparse, size C: 500 000 rows, 2 500 000 numbers), after Java Grande.
// Tasks:  one async a row, which does its five or so numbers 200 times.
#include <algorithm>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../kernels/matrix.h"

constexpr int kRepetitions = 200;

// The numbers row by row; those of row r are [first[r], first[r + 1]).
struct SparseMatrix {
  std::vector<double> value;
  std::vector<long> row, column;
  std::vector<long> first;
};

SparseMatrix RandomMatrix(long rows, long count) {
  bench::Random random(rows);
  SparseMatrix matrix;
  matrix.value = bench::RandomNumbers(count, 1);
  matrix.row.resize(static_cast<std::size_t>(count));
  matrix.column.resize(static_cast<std::size_t>(count));
  matrix.first.assign(static_cast<std::size_t>(rows + 1), 0);
  for (long i = 0; i < count; ++i) ++matrix.first[random.Below(rows) + 1];
  for (long r = 0; r < rows; ++r) {
    matrix.first[r + 1] += matrix.first[r];
    for (long i = matrix.first[r]; i < matrix.first[r + 1]; ++i) {
      matrix.row[i] = r;
      matrix.column[i] = random.Below(rows);
    }
  }
  return matrix;
}

// y += the product of the numbers [first, last) and x, many times.
void MultiplyRow(const SparseMatrix& a, const double* x, double* y, long first, long last) {
  const double* const value = a.value.data();
  const long *const row = a.row.data(), *const column = a.column.data();
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    // Seeded race: spd3/sparse
    for (long i = first; i < last; ++i) y[row[i]] += value[i] * x[column[i]];
  }
}

int main(int argc, char** argv) {
  const bench::Run<2> run("sparse",
                          {.parameters = {"rows", "numbers"},
                           .test = {500, 2500},
                           .small = {100'000, 500'000},
                           .paper = {500'000, 2'500'000}},
                          argc, argv);
  const auto [rows, count] = run.arguments();
  const SparseMatrix a = RandomMatrix(rows, count);
  const std::vector<double> x = bench::RandomNumbers(rows, 2);
  std::vector<double> y(x.size());
  run.Kernel([&, rows = rows, count = count] {
    taskrace::finish([&] {
      for (long r = 0; r < rows; ++r) {
        const long last = std::min(a.first[r + 1] + bench::kSeeded, count);
        taskrace::async(
            [&a, &x, &y, r, last] { MultiplyRow(a, x.data(), y.data(), a.first[r], last); });
      }
    });
  });
  std::vector<double> expected(y.size());
  for (long i = 0; i < count; ++i) expected[a.row[i]] += kRepetitions * a.value[i] * x[a.column[i]];
  bool right = true;
  for (long r = 0; r < rows; ++r) right = right && bench::Close(y[r], expected[r], 1e-9);
  return run.Result(right, bench::Sum(y));
}
