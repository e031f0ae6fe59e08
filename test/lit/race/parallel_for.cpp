// Each iteration reads its neighbour's element.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[8];

int main() {
  // CHECK: race: read-write on 'a'
  // CHECK: earlier: read of 4 bytes by iteration 0
  taskrace::parallel_for(0, 7, [](int i) { a[i] = a[i + 1] + 1; });
  // CHECK: #0{{.*}}parallel_for.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 4 bytes by iteration 1
  // CHECK: #0{{.*}}parallel_for.cpp:[[#@LINE-3]]:
  // CHECK: Seen 6 times.
}
// CHECK: {{^}}taskrace: 1 race
