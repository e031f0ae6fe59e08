// volatile orders nothing.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

volatile int x;

int main() {
  taskrace::scope s;
  // CHECK: race: write-read on 'x'
  // CHECK: earlier: write of 4 bytes
  s.spawn([] { x = 1; });
  // CHECK: #0{{.*}}volatile.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 4 bytes
  int seen = x;
  // CHECK: #0{{.*}}volatile.cpp:[[#@LINE-1]]:
  s.sync();
  return seen != 1;
}
// CHECK: {{^}}taskrace: 1 race
