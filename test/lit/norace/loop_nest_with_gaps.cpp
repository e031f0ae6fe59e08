// The rows of a nest of loops have a gap between them, which another task writes: the check of the nest must
// not cover it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int table[20][16];

__attribute__((noinline)) void Fill(int rows, int columns) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) table[i][j] = i + j;
  }
}
__attribute__((noinline)) void FillGaps(int rows) {
  for (int i = 0; i < rows; ++i) table[i][15] = i;
}

int main() {
  taskrace::scope s;
  s.spawn([] { Fill(19, 15); });
  s.spawn([] { FillGaps(20); });
  s.spawn([] { table[19][0] = 1; });
  s.sync();
  return table[3][15] == 3 ? 0 : 1;
}
// CHECK: no races in 3 tasks
