// The rows of a nest of loops touch: first and last element of the whole are checked, and exact.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int table[20][16];

__attribute__((noinline)) void Fill(int rows) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < 16; ++j) table[i][j] = i + j;
  }
}

int main() {
  taskrace::scope s;
  s.spawn([] { Fill(19); });
  s.spawn([] {
    table[0][0] = 1;
    // CHECK-DAG: #0{{.*}}loop_nest_without_gaps.cpp:[[#@LINE-1]]:
    table[18][15] = 1;
    // CHECK-DAG: #0{{.*}}loop_nest_without_gaps.cpp:[[#@LINE-1]]:
    table[19][0] = 1;
  });
  s.sync();
  return table[19][0] == 1 ? 0 : 1;
}
// CHECK: {{^}}taskrace: 2 races (2 occurrences)
