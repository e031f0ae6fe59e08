// Tasks made in a loop refer to the loop's own variable.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[4];

int main() {
  int i = 0;
  taskrace::scope s;
  // CHECK: race: read-write on 'i'
  while (i < 3) {
    // CHECK: earlier: read of 4 bytes by task 1
    s.spawn([&i] { a[i] = 1; });
    // CHECK: #0{{.*}}loop_changes_captured_variable.cpp:[[#@LINE-1]]:
    // CHECK: later: write of 4 bytes by the main task
    ++i;
    // CHECK: #0{{.*}}loop_changes_captured_variable.cpp:[[#@LINE-1]]:
  }
  s.sync();
}
// CHECK: stack variable 'i' (4 bytes) of function main
// CHECK: {{^}}taskrace: 1 race
