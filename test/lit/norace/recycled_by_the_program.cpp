// An allocator of the program's own gives memory out again and says so.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <taskrace/tasks.hpp>

int pool[16];

int* Allocate() {
  TASKRACE_FORGET_RANGE(pool, sizeof pool);
  return pool;
}

int main() {
  taskrace::parallel_for(0, 3, [](int i) { Allocate()[3] = i; });
}
// CHECK: {{^}}taskrace: no races in {{3 tasks|3 iterations of 1 loop}}
