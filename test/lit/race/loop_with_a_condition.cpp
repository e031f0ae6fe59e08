// The access that the condition lets through once is the one that races.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[8];

__attribute__((noinline)) void FillOnly(int chosen) {
  for (int i = 0; i < 8; ++i) {
    // CHECK: race: write-write on 'a'
    // CHECK: earlier: write of 4 bytes
    if (i == chosen) a[i] = i;
    // CHECK: #0{{.*}}loop_with_a_condition.cpp:[[#@LINE-1]]:
  }
}

int main() {
  taskrace::scope s;
  s.spawn([] { FillOnly(5); });
  s.spawn([] { a[4] = 1; });
  // CHECK: later: write of 4 bytes
  s.spawn([] { a[5] = 1; });
  // CHECK: #0{{.*}}loop_with_a_condition.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race
