// Plain accesses before the tasks and after them, atomic ones in the tasks.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int count;

int main() {
  count = 1;
  taskrace::parallel_for(0, 4, [](int) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); });
  return count != 5;
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}
