// Even elements in one task, odd ones in the other; columns of a matrix.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[16];
double m[8][8];

__attribute__((noinline)) void Every(int from, int step) {
  for (int i = from; i < 16; i += step) a[i] = i;
}
__attribute__((noinline)) void Column(int column) {
  for (int row = 0; row < 8; ++row) m[row][column] = row;
}

int main() {
  taskrace::scope s;
  s.spawn([] { Every(0, 2); });
  s.spawn([] { Every(1, 2); });
  for (int column = 0; column < 8; ++column) s.spawn([=] { Column(column); });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 10 tasks
