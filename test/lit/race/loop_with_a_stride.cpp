// Every second element: the one between is not touched, the last one is.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

short a[64];

__attribute__((noinline)) void Fill(int from, int to) {
  // CHECK: race: write-write on 'a'
  // CHECK: #0 Fill(int, int) {{.*}}loop_with_a_stride.cpp:[[#@LINE+1]]:
  for (int i = from; i < to; i += 2) a[i] = 1;
}

int main() {
  taskrace::scope s;
  s.spawn([] { Fill(10, 21); });
  s.spawn([] { a[13] = 1; });
  s.spawn([] { a[22] = 1; });
  // CHECK: later: write of 2 bytes
  s.spawn([] { a[20] = 1; });
  // CHECK: #0{{.*}}loop_with_a_stride.cpp:[[#@LINE-1]]:
  // CHECK: bytes 40 to 41 of it
  s.sync();
}
// CHECK: {{^}}taskrace: 1 race
