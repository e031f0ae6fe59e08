// The loop could go on to the end of the array but breaks, returns or throws before.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[16];
int limit[16] = {0, 0, 0, 1};

__attribute__((noinline)) void Break(int count) {
  for (int i = 0; i < count; ++i) {
    a[i] = 1;
    if (limit[i]) break;
  }
}
__attribute__((noinline)) void MayThrow(int i) {
  if (i == 3) throw i;
}
__attribute__((noinline)) void Throw(int* p, int count) {
  for (int i = 0; i < count; ++i) {
    p[i] = 1;
    MayThrow(i);
  }
}

int main() {
  taskrace::scope s;
  s.spawn([] { Break(8); });
  s.spawn([] { a[4] = 1; });
  s.spawn([] {
    try {
      Throw(a + 8, 8);
    } catch (int) {
    }
  });
  s.spawn([] { a[12] = 1; });
  s.sync();
}
// CHECK: {{^}}taskrace: no races in 4 tasks
