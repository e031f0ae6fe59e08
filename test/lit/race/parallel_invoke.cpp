// Two of three branches touch one variable.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  int x = 0, y = 0;
  taskrace::parallel_invoke(
      // CHECK: race: write-read on 'x'
      // CHECK: earlier: write of 4 bytes by task 1
      [&] { x = 1; },
      // CHECK: #0{{.*}}parallel_invoke.cpp:[[#@LINE-1]]:
      [] {},
      // CHECK: later: read of 4 bytes by task 3
      [&] { y = x; }
      // CHECK: #0{{.*}}parallel_invoke.cpp:[[#@LINE-1]]:
  );
  return y != 1;
}
// CHECK: {{^}}taskrace: 1 race
