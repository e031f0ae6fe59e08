// A loop that reaches one place in all iterations but one does not touch it if it has only that one.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O1 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int total;
int numbers[8];

__attribute__((noinline)) void AddAllBut(int* sum, const int* p, long n, long left_out) {
  for (long i = 0; i < n; ++i) {
    if (i != left_out) *sum += p[i];
  }
}

int main() {
  taskrace::scope s;
  s.spawn([] { AddAllBut(&total, numbers, 1, 0); });
  s.spawn([] { AddAllBut(&total, numbers, 0, 5); });
  s.spawn([] { total = 1; });
  s.sync();
  return total != 1;
}
// CHECK: {{^}}taskrace: no races in 3 tasks
