// Without -g there are no lines, but still the functions, both stacks and the variable.
// RUN: cd %S
// RUN: %taskrace c++ -O0 -g0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -g0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

__attribute__((noinline)) void First() { x = 1; }
__attribute__((noinline)) void Second() { x = 2; }

int main() {
  taskrace::scope s;
  // CHECK: race: write-write on 'x'
  // CHECK: #0 First()
  s.spawn([] { First(); });
  // CHECK: later: write of 4 bytes
  // CHECK: #0 Second()
  s.spawn([] { Second(); });
  s.sync();
}
// CHECK: global variable 'x' (4 bytes)
// CHECK: {{^}}taskrace: 1 race
