// Each task has a copy of the loop's variable.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[4];

int main() {
  taskrace::scope s;
  for (int i = 0; i < 4; ++i) s.spawn([i] { a[i] = i; });
  s.sync();
  return a[3] != 3;
}
// CHECK: {{^}}taskrace: no races in 4 tasks
