// The body adds to a global beside its own sum.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

long calls;

int main() {
  long sum = taskrace::parallel_reduce(
      0, 8, 2, 0L,
      [](int a, int b, long start) {
        // CHECK: race: write-{{read|write}} on 'calls'
        // CHECK: earlier: write of 8 bytes
        ++calls;
        // CHECK: #0{{.*}}parallel_reduce.cpp:[[#@LINE-1]]:
        // CHECK: later: {{read|write}} of 8 bytes
        // CHECK: #0{{.*}}parallel_reduce.cpp:[[#@LINE-3]]:
        for (int i = a; i < b; ++i) start += i;
        return start;
      },
      [](long a, long b) { return a + b; });
  return sum != 28;
}
// CHECK: {{^}}taskrace: 1 race
