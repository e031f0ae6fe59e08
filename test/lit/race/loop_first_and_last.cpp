// A loop's accesses are checked as one range: its first byte and its last belong to it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[64];

__attribute__((noinline)) void Fill(int from, int to) {
  // CHECK: race: write-write on 'a'
  // CHECK: earlier:
  // CHECK: #0 Fill(int, int) {{.*}}loop_first_and_last.cpp:[[#@LINE+1]]:
  for (int i = from; i < to; ++i) a[i] = i;
}

int main() {
  taskrace::scope s;
  s.spawn([] { Fill(8, 24); });
  s.spawn([] { a[7] = 1; });
  // CHECK: later: write of 4 bytes
  s.spawn([] { a[8] = 1; });
  // CHECK: #0{{.*}}loop_first_and_last.cpp:[[#@LINE-1]]:
  // CHECK: bytes 32 to 35 of it
  // CHECK: race: write-write on 'a'
  // CHECK: later: write of 4 bytes
  s.spawn([] { a[23] = 1; });
  // CHECK: #0{{.*}}loop_first_and_last.cpp:[[#@LINE-1]]:
  // CHECK: bytes 92 to 95 of it
  s.spawn([] { a[24] = 1; });
  s.sync();
}
// CHECK: {{^}}taskrace: 2 races
