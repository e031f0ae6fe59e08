// Loops over neighbouring parts of an array, up and down: the ranges meet but do not overlap.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[64];

__attribute__((noinline)) void Up(int from, int to) {
  for (int i = from; i < to; ++i) a[i] = i;
}
__attribute__((noinline)) void Down(int from, int to) {
  for (int i = from; i >= to; --i) a[i] = i;
}

int main() {
  a[0] = 1;
  taskrace::scope s;
  s.spawn([] { Up(1, 10); });
  s.spawn([] { a[10] = 1; });
  s.spawn([] { Down(20, 11); });
  s.spawn([] { a[21] = 1; });
  s.spawn([] { Up(22, 64); });
  s.spawn([] { a[0] = 2; });
  s.sync();
  return a[63] != 63;
}
// CHECK: {{^}}taskrace: no races in 6 tasks
