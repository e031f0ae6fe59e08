// Two sorts share one element.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <algorithm>
#include <taskrace/tasks.hpp>

int a[33];

int main() {
  for (int i = 0; i < 33; ++i) a[i] = (i * 7) % 33;
  taskrace::scope s;
  // CHECK: race: {{.*}} on 'a'
  s.spawn([] { std::sort(a, a + 17); });
  // CHECK: #{{.*}}sort_of_overlapping_halves.cpp:[[#@LINE-1]]:
  // CHECK: later:
  s.spawn([] { std::sort(a + 16, a + 33); });
  // CHECK: #{{.*}}sort_of_overlapping_halves.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: bytes 64 to 67 of it
