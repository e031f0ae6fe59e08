// An access that the condition leaves out, in a loop that does the others.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[8];

__attribute__((noinline)) void FillBut(int skipped) {
  for (int i = 0; i < 8; ++i) {
    if (i != skipped) a[i] = i;
  }
}

int main() {
  taskrace::scope s;
  s.spawn([] { FillBut(5); });
  s.spawn([] { a[5] = 1; });
  s.sync();
  return a[5] != 1;
}
// CHECK: {{^}}taskrace: no races in 2 tasks
