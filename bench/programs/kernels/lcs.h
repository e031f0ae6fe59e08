// Longest common subsequence of two generated strings, but for its tasks: a table of n x n numbers
// in square tiles, each of which needs the tiles above it and to its left.
//
// Thread rule: Fill of different tiles touches different numbers, but for the row above and the
// column to the left of a tile, which it reads.
// Cost: O(1) a number; the check one more pass over the table's rows with two rows of memory.
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_LCS_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_LCS_H

#include <algorithm>
#include <utility>
#include <vector>

#include "../common.h"

namespace bench {

// The paper's n and tile; `test` has several tiles, the last ones of a row and a column smaller.
inline constexpr Sizes<2> kLcsSizes = {
    .parameters = {"n", "tile"}, .test = {300, 32}, .small = {12'288, 128}, .paper = {16'384, 128}};

class LcsTable {
 public:
  LcsTable(long n, long tile)
      : n_(n),
        tile_(tile),
        a_(Letters(1)),
        b_(Letters(2)),
        lengths_(static_cast<std::size_t>((n + 1) * (n + 1))) {}

  // How many tiles a row and a column have.
  long Tiles() const { return (n_ + tile_ - 1) / tile_; }

  // Requires: the tiles above and to the left are filled.
  void Fill(long tile_row, long tile_column) {
    const long first = tile_column * tile_ + 1, last = std::min(first + tile_ - 1, n_);
    const long bottom = std::min((tile_row + 1) * tile_, n_);
    for (long i = tile_row * tile_ + 1; i <= bottom; ++i) {
      FillRow(Row(i - 1), Row(i), a_[i - 1], b_.data() - 1, first, last);
    }
  }

  int Length() const { return lengths_.back(); }

  // Whether a computation row by row comes to the same numbers in the last row.
  bool IsRight() {
    std::vector<int> above(static_cast<std::size_t>(n_ + 1)), row(above.size());
    for (long i = 1; i <= n_; ++i) {
      FillRow(above.data(), row.data(), a_[i - 1], b_.data() - 1, 1, n_);
      std::swap(above, row);
    }
    return std::equal(above.begin(), above.end(), Row(n_));
  }

 private:
  // Four letters, four bytes each as in the paper.
  std::vector<int> Letters(std::uint64_t seed) const {
    Random random(seed);
    std::vector<int> letters(static_cast<std::size_t>(n_));
    for (int& letter : letters) letter = static_cast<int>(random.Below(4));
    return letters;
  }

  int* Row(long row) { return lengths_.data() + row * (n_ + 1); }

  static void FillRow(const int* above, int* row, int letter, const int* letters, long first,
                      long last) {
    for (long j = first; j <= last; ++j) {
      // Seeded race, possibly: futurerd/lcs-structured, futurerd/lcs-general, lattice2d/wavefront
      const int longer = above[j - 1] + (letter == letters[j]);
      // Seeded race, possibly: futurerd/lcs-structured, futurerd/lcs-general, lattice2d/wavefront
      const int up = above[j], left = row[j - 1];
      // Seeded race: futurerd/lcs-structured, futurerd/lcs-general, lattice2d/wavefront
      row[j] = std::max(longer, std::max(up, left));
    }
  }

  long n_, tile_;
  std::vector<int> a_, b_;
  std::vector<int> lengths_;  // of the prefixes of a and b; the first row and column are zero
};

}  // namespace bench

#endif
