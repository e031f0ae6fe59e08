// A block of a matrix reaches one column too far.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

double m[8][8];

__attribute__((noinline)) void Block(int column, int width) {
  for (int i = 0; i < 8; ++i) {
    // CHECK: race: write-write on 'm'
    // CHECK: #0 Block(int, int) {{.*}}nested_loops.cpp:[[#@LINE+1]]:
    for (int j = column; j < column + width; ++j) m[i][j] = i + j;
    // CHECK: later:
    // CHECK: #0 Block(int, int) {{.*}}nested_loops.cpp:[[#@LINE-2]]:
  }
}

int main() {
  taskrace::scope s;
  s.spawn([] { Block(0, 5); });
  s.spawn([] { Block(4, 4); });
  s.sync();
}
// CHECK: bytes 32 to 39 of it
// CHECK: Seen 8 times.
// CHECK: {{^}}taskrace: 1 race
