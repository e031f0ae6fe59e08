// A capture by value reads the original when the task is made.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int seen;

int main() {
  int x = 0;
  taskrace::scope s;
  // CHECK: race: write-read on 'x'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([&x] { x = 1; });
  // CHECK: #0{{.*}}captured_by_value.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 4 bytes by the main task
  s.spawn([x] { seen = x; });
  // CHECK: #0{{.*}}captured_by_value.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race
