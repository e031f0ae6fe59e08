// What comes after the sync is after the tasks; a scope can be used again.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::scope s;
  for (int i = 0; i < 3; ++i) {
    x = i;
    s.spawn([] { x += 10; });
    s.sync();
    if (x != i + 10) return 1;
  }
}
// CHECK: {{^}}taskrace: no races in 3 tasks
