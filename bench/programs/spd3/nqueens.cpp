// nqueens: in how many ways n queens stand on a board without attacking each other.
// From:   SPD3 (NQueens, n = 14), after the Barcelona OpenMP Tasks Suite. With n = 12 it is too
//         short to be measured and with n = 13 six times as long: «small» counts twice.
// Tasks:  one async a queen that is tried, with a copy of the board: tens of operations each.
#include <array>
#include <taskrace/tasks.hpp>

#include "../common.h"

constexpr long kMost = 16;

// The column of the queen in every row that has one.
using Board = std::array<signed char, kMost>;

bool IsSafe(const Board& board, int rows, int column) {
  for (int row = 0; row < rows; ++row) {
    const int across = board[row] - column, down = rows - row;
    if (across == 0 || across == down || across == -down) return false;
  }
  return true;
}

// The solutions that begin with the first `rows` rows of the board.
long Count(const Board& board, int rows, int n) {
  if (rows == n) return 1;
  std::array<long, kMost> counts = {};
  taskrace::finish([&] {
    for (int column = 0; column < n; ++column) {
      taskrace::async([&counts, next = Board(board), rows, n, column]() mutable {
        if (!IsSafe(next, rows, column)) return;
        next[rows] = static_cast<signed char>(column);
        // Seeded race: spd3/nqueens
        counts[bench::kSeeded ? 0 : column] = Count(next, rows + 1, n);
      });
    }
  });
  long sum = 0;
  for (const long count : counts) sum += count;
  return sum;
}

int main(int argc, char** argv) {
  const bench::Run<2> run(
      "nqueens", {.parameters = {"n", "times"}, .test = {6, 1}, .small = {12, 2}, .paper = {14, 1}},
      argc, argv);
  const auto [n, times] = run.arguments();
  run.Require(n <= kMost, "n is at most 16");
  const long known[kMost] = {1,   0,   0,    2,     10,    4,      40,      92,
                             352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  long count = 0;
  run.Kernel([&, n = n, times = times] {
    for (long i = 0; i < times; ++i) count += Count(Board{}, 0, static_cast<int>(n));
  });
  return run.Result(count == times * known[n - 1], static_cast<double>(count));
}
