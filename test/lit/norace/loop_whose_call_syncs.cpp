// Each iteration waits for its task: the element is the loop's again when it is read.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[8];

__attribute__((noinline)) void RunTask(int i) {
  taskrace::scope s;
  s.spawn([i] { a[i] = i; });
  s.sync();
}

int main() {
  int sum = 0;
  for (int i = 0; i < 8; ++i) {
    RunTask(i);
    sum += a[i];
  }
  return sum != 28;
}
// CHECK: {{^}}taskrace: no races in 8 tasks
