// The product of two n x n matrices in square tiles, but for its tasks. A tile is one piece of
// memory; a product of two tiles is added to a tile of the result.
//
// Thread rule: Multiply(i, j, k) writes tile (i, j) of the result and reads no other tile of it.
// Cost: 2 tile^3 operations a product of tiles; the check O(n^2).
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_TILED_PRODUCT_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_TILED_PRODUCT_H

#include <bit>
#include <vector>

#include "matrix.h"

namespace bench {

inline constexpr Sizes<2> kTiledProductSizes = {
    .parameters = {"n", "tile"}, .test = {64, 16}, .small = {1024, 64}, .paper = {2048, 64}};

class TiledProduct {
 public:
  // Requires: Fits(n, tile).
  TiledProduct(long n, long tile)
      : n_(n),
        tile_(tile),
        rows_a_(RandomNumbers(n * n, 1)),
        rows_b_(RandomNumbers(n * n, 2)),
        a_(rows_a_.size()),
        b_(a_.size()),
        c_(a_.size()) {
    for (long i = 0; i < n; ++i) {
      for (long j = 0; j < n; ++j) {
        a_[Position(i, j)] = rows_a_[i * n + j];
        b_[Position(i, j)] = rows_b_[i * n + j];
      }
    }
  }

  // Whether the matrix can be divided in halves down to a tile.
  static bool Fits(long n, long tile) {
    return n % tile == 0 && std::has_single_bit(static_cast<unsigned long>(n / tile));
  }

  // How many tiles a row and a column have.
  long Tiles() const { return n_ / tile_; }

  // Adds the product of tile (i, k) of a and tile (k, j) of b to tile (i, j) of the result.
  void Multiply(long i, long j, long k) {
    MultiplyAdd(Tile(c_, i, j), Tile(a_, i, k), Tile(b_, k, j), tile_, tile_, tile_);
  }

  double SumOfTile(long i, long j) {
    const double* const numbers = Tile(c_, i, j).data;
    double sum = 0.0;
    for (long k = 0; k < tile_ * tile_; ++k) sum += numbers[k];
    return sum;
  }

  double SumOfAll() const { return Sum(c_); }

  bool IsRight() const {
    std::vector<double> rows_c(c_.size());
    for (long i = 0; i < n_; ++i) {
      for (long j = 0; j < n_; ++j) rows_c[i * n_ + j] = c_[Position(i, j)];
    }
    return IsProduct(rows_c, rows_a_, rows_b_, n_);
  }

 private:
  // Of the number in row i and column j.
  long Position(long i, long j) const {
    const long tile = i / tile_ * Tiles() + j / tile_;
    return tile * tile_ * tile_ + i % tile_ * tile_ + j % tile_;
  }
  Block Tile(std::vector<double>& matrix, long i, long j) const {
    return {matrix.data() + (i * Tiles() + j) * tile_ * tile_, tile_};
  }

  long n_, tile_;
  std::vector<double> rows_a_, rows_b_;  // row-major, for the check
  std::vector<double> a_, b_, c_;
};

// A cube of products of tiles: i, j and k from the first to the first plus the size.
struct ProductCube {
  long i, j, k, size;

  // The eighth of the cube that has these halves.
  ProductCube Eighth(int upper_i, int upper_j, int upper_k) const {
    const long half = size / 2;
    return {i + upper_i * half, j + upper_j * half, k + upper_k * half, half};
  }
};

}  // namespace bench

#endif
