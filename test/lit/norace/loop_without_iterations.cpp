// A loop that does not run touches nothing, whatever its bounds.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[8];

__attribute__((noinline)) void Fill(int from, int to) {
  for (int i = from; i < to; ++i) a[i] = i;
}
__attribute__((noinline)) void FillDown(long count) {
  for (long i = count - 1; i >= 0; --i) a[i] = 1;
}

int main() {
  taskrace::scope s;
  s.spawn([] { a[0] = a[3] = 1; });
  s.spawn([] { Fill(3, 3); });
  s.spawn([] { Fill(5, 0); });
  s.spawn([] { FillDown(0); });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 4 tasks
