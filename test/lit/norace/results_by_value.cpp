// Structures returned and passed by value live in the frames of those who call.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Matrix {
  long cells[16];
};

__attribute__((noinline)) Matrix Make(long value) {
  Matrix matrix;
  for (long& cell : matrix.cells) cell = value;
  return matrix;
}

__attribute__((noinline)) long Sum(Matrix matrix) {
  matrix.cells[0] += 1;
  long sum = 0;
  for (long cell : matrix.cells) sum += cell;
  return sum;
}

int main() {
  long sums[3];
  taskrace::parallel_for(0, 3, [&](int i) { sums[i] = Sum(Make(i)); });
  return sums[2] != 33;
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}
