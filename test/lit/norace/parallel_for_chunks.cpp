// Iterations of one chunk are in order and may depend on each other.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[8];

int main() {
  taskrace::parallel_for(0, 8, 4, [](int i) { a[i] = i % 4 == 0 ? 1 : a[i - 1] + 1; });
  return a[7] != 4;
}
// CHECK: {{^}}taskrace: no races in {{2 tasks|2 iterations of 1 loop}}
