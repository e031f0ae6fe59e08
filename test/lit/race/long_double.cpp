// A long double has ten bytes of value in sixteen of storage.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

long double x;

int main() {
  taskrace::scope s;
  // CHECK: race: write-read on 'x'
  // CHECK: earlier: write of 10 bytes
  s.spawn([] { x = 1; });
  // CHECK: #0{{.*}}long_double.cpp:[[#@LINE-1]]:
  // CHECK: later: read of 10 bytes
  bool wrong = x != 1;
  // CHECK: #0{{.*}}long_double.cpp:[[#@LINE-1]]:
  s.sync();
  return wrong;
}
// CHECK: {{^}}taskrace: 1 race
