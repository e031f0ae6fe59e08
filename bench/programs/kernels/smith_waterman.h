// Local alignment of two generated sequences (Smith and Waterman), but for its tasks: a table of
// n x n scores in square tiles, each of which needs all tiles above it and to its left. Gaps cost
// what any function of their length says, so a score looks back along its whole row and column.
//
// Thread rule: Fill of different tiles writes different scores; it reads those above the tile and
// to its left, up to the edge of the table.
// Cost: O(n) a score; the check O(1) a score, as it uses that the gaps' cost here is linear.
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_SMITH_WATERMAN_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_SMITH_WATERMAN_H

#include <algorithm>
#include <array>
#include <vector>

#include "../common.h"

namespace bench {

inline constexpr Sizes<2> kSmithWatermanSizes = {
    .parameters = {"n", "tile"}, .test = {100, 16}, .small = {1024, 64}, .paper = {2048, 64}};

class SmithWatermanTable {
 public:
  SmithWatermanTable(long n, long tile)
      : n_(n),
        tile_(tile),
        a_(Letters(1)),
        b_(Letters(2)),
        gaps_(static_cast<std::size_t>(n + 1)),
        scores_(static_cast<std::size_t>((n + 1) * (n + 1))) {
    for (long length = 1; length <= n; ++length) {
      gaps_[n - length] = kOpenGap + kExtendGap * static_cast<int>(length);
    }
  }

  // How many tiles a row and a column have.
  long Tiles() const { return (n_ + tile_ - 1) / tile_; }

  // Requires: the tiles above and to the left are filled.
  void Fill(long tile_row, long tile_column) {
    const long bottom = std::min((tile_row + 1) * tile_, n_);
    const long left = tile_column * tile_ + 1, right = std::min(left + tile_ - 1, n_);
    for (long i = tile_row * tile_ + 1; i <= bottom; ++i) {
      for (long first = left; first <= right; first += kStrip) {
        FillStrip(i, first, std::min(first + kStrip - 1, right));
      }
    }
  }

  int Best() const { return *std::max_element(scores_.begin(), scores_.end()); }

  // Whether each score follows from its neighbours and the best gaps that end at them (Gotoh).
  bool IsRight() {
    std::vector<int> down(static_cast<std::size_t>(n_ + 1), -kOpenGap);
    for (long i = 1; i <= n_; ++i) {
      const int *const above = Row(i - 1), *const row = Row(i);
      int across = -kOpenGap;
      for (long j = 1; j <= n_; ++j) {
        across = std::max(across, row[j - 1] - kOpenGap) - kExtendGap;
        down[j] = std::max(down[j], above[j] - kOpenGap) - kExtendGap;
        const int aligned = above[j - 1] + Match(i, j);
        if (row[j] != std::max({0, aligned, across, down[j]})) return false;
      }
    }
    return true;
  }

 private:
  static constexpr int kMatch = 5, kMismatch = -3, kOpenGap = 8, kExtendGap = 1;
  static constexpr long kStrip = 64;  // neighbours in a row that look up their columns together

  void FillStrip(long i, long first, long last) {
    int *const row = Row(i), *const above = Row(i - 1);
    std::array<int, kStrip> best;
    // Seeded race, possibly: futurerd/sw-structured, futurerd/sw-general
    for (long j = first; j <= last; ++j) best[j - first] = above[j - 1] + Match(i, j);
    for (long k = 0; k < i; ++k) {
      const int gap = GapsThatEndAt(i)[k];
      const int* const column = Row(k);
      for (long j = first; j <= last; ++j) {
        // Seeded race: futurerd/sw-structured
        best[j - first] = Greater(column[j] - gap, best[j - first]);
      }
    }
    for (long j = first; j <= last; ++j) {
      const int* const gaps = GapsThatEndAt(j);
      int score = std::max(0, best[j - first]);
      // Seeded race: futurerd/sw-structured, futurerd/sw-general
      for (long k = 0; k < j; ++k) score = Greater(row[k] - gaps[k], score);
      // Seeded race: futurerd/sw-structured, futurerd/sw-general
      row[j] = score;
    }
  }

  // By value: the line that reads a score is the caller's.
  static int Greater(int a, int b) { return a > b ? a : b; }

  std::vector<int> Letters(std::uint64_t seed) const {
    Random random(seed);
    std::vector<int> letters(static_cast<std::size_t>(n_));
    for (int& letter : letters) letter = static_cast<int>(random.Below(4));
    return letters;
  }

  // [k] is what a gap costs that begins after k. Requires: k < end.
  const int* GapsThatEndAt(long end) const { return gaps_.data() + n_ - end; }
  int Match(long i, long j) const { return a_[i - 1] == b_[j - 1] ? kMatch : kMismatch; }
  int* Row(long row) { return scores_.data() + row * (n_ + 1); }

  long n_, tile_;
  std::vector<int> a_, b_;
  std::vector<int> gaps_;    // the cost of a gap, the longest first
  std::vector<int> scores_;  // the first row and column are zero
};

}  // namespace bench

#endif
