// Strassen's algorithm in Winograd's form, but for its tasks: seven products of half the size,
// fifteen additions. Two layouts of the matrices, one algorithm.
//
//   Winograd step(c, a, b);          // makes the eight sums, or leaves them to the caller
//   multiply each of step.Products() // in parallel, in any order
//   step.Combine();                  // makes c of the products
//
// Four products are made in the quadrants of c, three in memory of the step's own.
// Thread rule: the step belongs to its task; products of one step share no number.
// Cost: 15 (n/2)^2 additions, 11 (n/2)^2 numbers of memory.
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_STRASSEN_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_STRASSEN_H

#include <array>
#include <functional>
#include <memory>

#include "matrix.h"

namespace bench {

// The size of a matrix that is multiplied directly.
inline constexpr long kStrassenLeaf = 64;

// A square matrix, or a quadrant of one, in row-major order.
struct RowMajor {
  double* data;
  long size, stride;

  static RowMajor In(double* memory, long size) { return {memory, size, size}; }
  RowMajor Quadrant(int row, int column) const {
    const long half = size / 2;
    return {data + row * half * stride + column * half, half, stride};
  }
  // As Rows() rows of Columns() neighbouring numbers, for element-wise operations.
  long Rows() const { return size; }
  long Columns() const { return size; }
  double* Row(long row) const { return data + row * stride; }
  Block Leaf() const { return {data, stride}; }
};

// A square matrix in Morton order: quadrants one after the other, each in Morton order, down to
// leaves in row-major order.
struct Morton {
  double* data;
  long size;

  static Morton In(double* memory, long size) { return {memory, size}; }
  Morton Quadrant(int row, int column) const {
    const long half = size / 2;
    return {data + (2 * row + column) * half * half, half};
  }
  long Rows() const { return 1; }
  long Columns() const { return size * size; }
  double* Row(long) const { return data; }
  Block Leaf() const { return {data, size}; }
};

// out = operation(x, y), element by element. Requires: out is neither x nor y.
template <class Matrix, class Operation>
void ElementWise(Matrix out, Matrix x, Matrix y, const Operation& operation) {
  for (long i = 0; i < out.Rows(); ++i) {
    double* const to = out.Row(i);
    const double *const left = x.Row(i), *const right = y.Row(i);
    for (long j = 0; j < out.Columns(); ++j) to[j] = operation(left[j], right[j]);
  }
}

// out = operation(out, x), element by element. Requires: out is not x.
template <class Matrix, class Operation>
void Update(Matrix out, Matrix x, const Operation& operation) {
  for (long i = 0; i < out.Rows(); ++i) {
    double* const to = out.Row(i);
    const double* const with = x.Row(i);
    // Seeded race: stint/strassen, stint/strassen-z, spd3/strassen, drdp/strassen
    for (long j = 0; j < out.Columns(); ++j) to[j] = operation(to[j], with[j]);
  }
}

template <class Matrix>
class Winograd {
 public:
  struct Product {
    Matrix result, left, right;
  };

  // A sum or difference of quadrants, which a product needs. Those at odd places of Sums() need the
  // one before (s2 and t2) or the one two before (s4 and t4).
  struct Sum {
    Matrix result, left, right;
    bool is_sum;

    void Make() const {
      if (is_sum) {
        ElementWise(result, left, right, std::plus());
      } else {
        ElementWise(result, left, right, std::minus());
      }
    }
  };
  struct SumsLater {};

  Winograd(Matrix c, Matrix a, Matrix b) : Winograd(c, a, b, SumsLater()) {
    for (const Sum& sum : sums_) sum.Make();
  }

  // Leaves the sums to the caller.
  Winograd(Matrix c, Matrix a, Matrix b, SumsLater)
      : half_(c.size / 2),
        memory_(std::make_unique_for_overwrite<double[]>(11 * half_ * half_)),
        c11_(c.Quadrant(0, 0)),
        c12_(c.Quadrant(0, 1)),
        c21_(c.Quadrant(1, 0)),
        c22_(c.Quadrant(1, 1)) {
    const Matrix a11 = a.Quadrant(0, 0), a12 = a.Quadrant(0, 1);
    const Matrix a21 = a.Quadrant(1, 0), a22 = a.Quadrant(1, 1);
    const Matrix b11 = b.Quadrant(0, 0), b12 = b.Quadrant(0, 1);
    const Matrix b21 = b.Quadrant(1, 0), b22 = b.Quadrant(1, 1);
    const Matrix s1 = Own(0), s2 = Own(1), s3 = Own(2), s4 = Own(3);
    const Matrix t1 = Own(4), t2 = Own(5), t3 = Own(6), t4 = Own(7);
    sums_ = {{{s1, a21, a22, true},
              {s2, s1, a11, false},
              {s3, a11, a21, false},
              {s4, a12, s2, false},
              {t1, b12, b11, false},
              {t2, b22, t1, false},
              {t3, b22, b12, false},
              {t4, t2, b21, false}}};
    products_ = {{{Own(kP1), a11, b11},
                  {c11_, a12, b21},
                  {c12_, s4, b22},
                  {c21_, a22, t4},
                  {c22_, s1, t1},
                  {Own(kP6), s2, t2},
                  {Own(kSeeded ? kP6 : kP7), s3, t3}}};
  }

  // s1 to s4, t1 to t4.
  const std::array<Sum, 8>& Sums() const { return sums_; }
  const std::array<Product, 7>& Products() const { return products_; }

  // Requires: all products are made.
  void Combine() const {
    const Matrix p1 = Own(kP1), u2 = Own(kP6), u3 = Own(kP7);
    Update(c11_, p1, std::plus());  // C11 = P1 + P2
    Update(u2, p1, std::plus());    // U2 = P1 + P6
    Update(u3, u2, std::plus());    // U3 = U2 + P7
    Update(c12_, u2, std::plus());  // C12 = U2 + P5 + P3
    Update(c12_, c22_, std::plus());
    Update(c21_, u3, [](double p4, double u) { return u - p4; });  // C21 = U3 - P4
    Update(c22_, u3, std::plus());                                 // C22 = U3 + P5
  }

 private:
  static constexpr int kP1 = 8, kP6 = 9, kP7 = 10;

  Matrix Own(int index) const { return Matrix::In(memory_.get() + index * half_ * half_, half_); }

  long half_;
  std::unique_ptr<double[]> memory_;
  Matrix c11_, c12_, c21_, c22_;
  std::array<Sum, 8> sums_;
  std::array<Product, 7> products_;
};

// c = a b for a matrix of at most kStrassenLeaf rows.
template <class Matrix>
void MultiplyStrassenLeaf(Matrix c, Matrix a, Matrix b) {
  Multiply(c.Leaf(), a.Leaf(), b.Leaf(), c.size, c.size, c.size);
}

// Whether n is a size that halves down to a leaf.
inline bool IsStrassenSize(long n) {
  while (n > kStrassenLeaf && n % 2 == 0) n /= 2;
  return n <= kStrassenLeaf;
}

}  // namespace bench

#endif
