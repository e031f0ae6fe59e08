// Dense row-major matrices: views of a part of one, the product of two small ones, the check of a
// large product.
//
// Values without shared state; who calls sees to it that tasks do not overlap.
// Cost: a product m n p multiplications; the check O(n^2).
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_MATRIX_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_MATRIX_H

#include <cmath>
#include <vector>

#include "../common.h"

namespace bench {

// A rectangle of a matrix: rows lie `stride` numbers apart.
struct Block {
  double* data;
  long stride;

  double* Row(long row) const { return data + row * stride; }
  // The rectangle that begins at (row, column) of this one.
  Block At(long row, long column) const { return {Row(row) + column, stride}; }
};

// c += a b, where a is m x n and b is n x p. Four rows of b at a time: c is loaded and stored once
// for all four.
inline void MultiplyAdd(Block c, Block a, Block b, long m, long n, long p) {
  for (long i = 0; i < m; ++i) {
    double* const row = c.Row(i);
    const double* const factors = a.Row(i);
    long k = 0;
    for (; k + 4 <= n; k += 4) {
      const double f0 = factors[k], f1 = factors[k + 1], f2 = factors[k + 2], f3 = factors[k + 3];
      const double *b0 = b.Row(k), *b1 = b.Row(k + 1), *b2 = b.Row(k + 2), *b3 = b.Row(k + 3);
      for (long j = 0; j < p; ++j) {
        // Seeded race: stint/mmul, futurerd/mm-structured, futurerd/mm-general, drdp/matmul
        // Seeded race, possibly: stint/strassen, stint/strassen-z, spd3/strassen
        // Seeded race, possibly: spd3/matmul, drdp/strassen
        row[j] += f0 * b0[j] + f1 * b1[j] + f2 * b2[j] + f3 * b3[j];
      }
    }
    for (; k < n; ++k) {
      const double factor = factors[k];
      const double* const b0 = b.Row(k);
      for (long j = 0; j < p; ++j) row[j] += factor * b0[j];
    }
  }
}

// c = a b.
inline void Multiply(Block c, Block a, Block b, long m, long n, long p) {
  for (long i = 0; i < m; ++i) {
    double* const row = c.Row(i);
    // Seeded race, possibly: stint/strassen, stint/strassen-z, spd3/strassen
    // Seeded race, possibly: spd3/matmul, drdp/strassen
    for (long j = 0; j < p; ++j) row[j] = 0.0;
  }
  MultiplyAdd(c, a, b, m, n, p);
}

// `count` numbers in [-1, 1).
inline std::vector<double> RandomNumbers(long count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = 2.0 * random.Uniform() - 1.0;
  return numbers;
}

// y = a x for an n x n matrix.
inline std::vector<double> Apply(const std::vector<double>& a, const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
  return y;
}

// Whether c = a b for n x n matrices of numbers in [-1, 1): both sides are applied to a
// vector of random signs, which a wrong element survives with probability 1/2 at most.
inline bool IsProduct(const std::vector<double>& c, const std::vector<double>& a,
                      const std::vector<double>& b, long n) {
  Random random(17);
  std::vector<double> signs(static_cast<std::size_t>(n));
  for (double& sign : signs) sign = random.Below(2) == 0 ? -1.0 : 1.0;
  const std::vector<double> left = Apply(c, signs), right = Apply(a, Apply(b, signs));
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!(std::fabs(left[i] - right[i]) <= 1e-8 * static_cast<double>(n))) return false;
  }
  return true;
}

inline double Sum(const std::vector<double>& numbers) {
  double sum = 0.0;
  for (const double number : numbers) sum += number;
  return sum;
}

}  // namespace bench

#endif
