// Each task copies its caller's board into an array of its own frame.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <cstring>
#include <taskrace/tasks.hpp>

constexpr int kSize = 6;

bool Fits(const char* board, int row, int column) {
  for (int i = 0; i < row; ++i) {
    const int distance = board[i] - column;
    if (distance == 0 || distance == row - i || distance == i - row) return false;
  }
  return true;
}

int Count(const char* board, int row) {
  if (row == kSize) return 1;
  int counts[kSize] = {};
  taskrace::scope s;
  for (int column = 0; column < kSize; ++column) {
    if (!Fits(board, row, column)) continue;
    s.spawn([&counts, board, row, column] {
      char mine[kSize];
      std::memcpy(mine, board, kSize);
      mine[row] = char(column);
      counts[column] = Count(mine, row + 1);
    });
  }
  s.sync();
  int sum = 0;
  for (int count : counts) sum += count;
  return sum;
}

int main() {
  char board[kSize] = {};
  return Count(board, 0) != 4;
}
// CHECK: {{^}}taskrace: no races in {{[1-9][0-9]+}} tasks
