// Letting go of a forked task does not wait for it; the end of main does.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=lattice2d %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  {
    // CHECK: race: write-write on 'x'
    // CHECK: earlier: write of 4 bytes by task 1
    auto f = taskrace::fork([] { x = 1; });
    // CHECK: #0{{.*}}fork_that_nobody_joined.cpp:[[#@LINE-1]]:
  }
  // CHECK: later: write of 4 bytes by the main task
  x = 2;
  // CHECK: #0{{.*}}fork_that_nobody_joined.cpp:[[#@LINE-1]]:
}
// CHECK: {{^}}taskrace: 1 race
