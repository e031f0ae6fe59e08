// Both tasks refer to one closure, which counts its calls.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  // CHECK: race: write-{{read|write}} on 'count'
  // CHECK: earlier: write of 4 bytes by task 1
  auto count = [calls = 0]() mutable { ++calls; };
  // CHECK: #0{{.*}}closure_called_twice.cpp:[[#@LINE-1]]:
  // CHECK: later: {{read|write}} of 4 bytes by task 2
  // CHECK: #0{{.*}}closure_called_twice.cpp:[[#@LINE-3]]:
  taskrace::parallel_invoke(count, count);
}
// CHECK: {{^}}taskrace: 1 race
