// Counts the ways to place n queens on a board: a search tree of asyncs under one finish.
//   usage: nqueens [n]
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <taskrace/tasks.hpp>

constexpr int max_size = 16;
// The column of the queen in each row.
using Board = std::array<int, max_size>;

bool is_safe(const Board& board, int row, int column) {
  for (int above = 0; above < row; ++above) {
    const int distance = row - above;
    const int other = board[above];
    if (other == column || other == column - distance || other == column + distance) return false;
  }
  return true;
}

// Each task has its own copy of the board; the count is atomic, so its updates do not race.
void place(Board board, int row, int size, std::atomic<long>& solutions) {
  if (row == size) {
    solutions.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  for (int column = 0; column < size; ++column) {
    if (!is_safe(board, row, column)) continue;
    board[row] = column;
    taskrace::async([board, row, size, &solutions] { place(board, row + 1, size, solutions); });
  }
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 8;
  if (size < 1 || size > max_size) {
    std::fprintf(stderr, "nqueens: the size is between 1 and %d\n", max_size);
    return 2;
  }
  std::atomic<long> solutions{0};
  taskrace::finish([&] { place(Board{}, 0, size, solutions); });
  std::printf("%d queens: %ld solutions\n", size, solutions.load());
}
