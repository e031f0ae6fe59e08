// Nor is a write, whatever the optimiser makes of the branch.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

__attribute__((noinline)) void Store(bool wanted, int* p) {
  if (wanted) *p = 1;
}

int main(int one, char**) {
  taskrace::scope s;
  s.spawn([=] { Store(one > 1, &x); });
  s.spawn([] { x = 2; });
  s.sync();
  return x != 2;
}
// CHECK: {{^}}taskrace: no races in 2 tasks
