// The same for a loop from the end to the beginning, which reads.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a[64];
int sums[1];

__attribute__((noinline)) int Sum(int from, int to) {
  int sum = 0;
  // CHECK: race: read-write on 'a'
  // CHECK: #0 Sum(int, int) {{.*}}loop_downwards.cpp:[[#@LINE+1]]:
  for (int i = from; i >= to; --i) sum += a[i];
  return sum;
}

int main() {
  taskrace::scope s;
  s.spawn([] { sums[0] = Sum(20, 4); });
  s.spawn([] { a[3] = 1; });
  // CHECK: later: write of 4 bytes
  s.spawn([] { a[4] = 1; });
  // CHECK: #0{{.*}}loop_downwards.cpp:[[#@LINE-1]]:
  // CHECK: bytes 16 to 19 of it
  // CHECK: race: read-write on 'a'
  // CHECK: later: write of 4 bytes
  s.spawn([] { a[20] = 1; });
  // CHECK: #0{{.*}}loop_downwards.cpp:[[#@LINE-1]]:
  // CHECK: bytes 80 to 83 of it
  s.spawn([] { a[21] = 1; });
  s.sync();
}
// CHECK: {{^}}taskrace: 2 races
