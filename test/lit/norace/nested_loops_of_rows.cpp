// Blocks of a matrix, rows that do not touch each other.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

double m[8][9];

__attribute__((noinline)) void Block(int row, int column) {
  for (int i = row; i < row + 4; ++i) {
    for (int j = column; j < column + 4; ++j) m[i][j] = i + j;
  }
}

int main() {
  taskrace::parallel_invoke([] { Block(0, 0); }, [] { Block(0, 4); }, [] { Block(4, 0); },
                            [] { Block(4, 4); },
                            [] {
                              for (int i = 0; i < 8; ++i) m[i][8] = i;
                            });
}
// CHECK: {{^}}taskrace: no races in 5 tasks
