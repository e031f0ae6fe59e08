// lufact: solves a dense system of linear equations by LU factorisation with partial pivoting.
// From:   SPD3 (LUFact, size C: n = 2000), after Java Grande's Linpack.
// Tasks:  for every pivot one async a column right of it: a column update of n - k numbers.
#include <algorithm>
#include <cmath>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../kernels/matrix.h"

// A square matrix, column by column.
struct Columns {
  long size;
  std::vector<double> numbers;

  double* operator[](long column) { return numbers.data() + column * size; }
  const double* operator[](long column) const { return numbers.data() + column * size; }
};

// Takes the multiples of the pivot's column off a column; row `pivot` was swapped with row k.
void UpdateColumn(double* column, const double* multipliers, long k, long pivot, long size) {
  // Seeded race, possibly: spd3/lufact
  const double factor = column[pivot];
  // Seeded race, possibly: spd3/lufact
  column[pivot] = column[k];
  column[k] = factor;
  // Seeded race: spd3/lufact
  for (long i = k + 1; i < size; ++i) column[i] -= factor * multipliers[i];
}

// a = L and U, below and above the diagonal. Returns the pivot's row of every column.
std::vector<long> Factor(Columns& a) {
  std::vector<long> pivots(static_cast<std::size_t>(a.size));
  for (long k = 0; k < a.size; ++k) {
    double* const column = a[k];
    const long pivot =
        std::max_element(column + k, column + a.size,
                         [](double x, double y) { return std::fabs(x) < std::fabs(y); }) -
        column;
    pivots[k] = pivot;
    std::swap(column[k], column[pivot]);
    const double scale = 1.0 / column[k];
    for (long i = k + 1; i < a.size; ++i) column[i] *= scale;
    taskrace::finish([&] {
      for (long j = k + 1 - bench::kSeeded; j < a.size; ++j) {
        taskrace::async(
            [&a, column, j, k, pivot] { UpdateColumn(a[j], column, k, pivot, a.size); });
      }
    });
  }
  return pivots;
}

// Solves with the factors; b becomes the solution.
void Solve(const Columns& factors, const std::vector<long>& pivots, std::vector<double>& b) {
  const long size = factors.size;
  for (long k = 0; k < size; ++k) {
    std::swap(b[k], b[pivots[k]]);
    for (long i = k + 1; i < size; ++i) b[i] -= b[k] * factors[k][i];
  }
  for (long k = size - 1; k >= 0; --k) {
    b[k] /= factors[k][k];
    for (long i = 0; i < k; ++i) b[i] -= b[k] * factors[k][i];
  }
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "lufact", {.parameters = {"n"}, .test = {48}, .small = {1500}, .paper = {2000}}, argc, argv);
  const auto [n] = run.arguments();
  const Columns a = {n, bench::RandomNumbers(n * n, 1)};
  const std::vector<double> b = bench::RandomNumbers(n, 2);
  Columns factors = a;
  std::vector<double> x = b;
  run.Kernel([&] {
    const std::vector<long> pivots = Factor(factors);
    Solve(factors, pivots, x);
  });
  std::vector<double> product(b.size());
  for (long j = 0; j < n; ++j) {
    for (long i = 0; i < n; ++i) product[i] += a[j][i] * x[j];
  }
  bool right = true;
  for (long i = 0; i < n; ++i) right = right && bench::Close(product[i], b[i], 1e-6);
  return run.Result(right, bench::Sum(x));
}
