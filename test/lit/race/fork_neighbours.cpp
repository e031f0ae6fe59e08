// A forked task is parallel to its right neighbour until that one joins it.
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
  // CHECK: race: write-write on 'x'
  // CHECK: earlier: write of 4 bytes by task 1
  auto first = taskrace::fork([] { x = 1; });
  // CHECK: #0{{.*}}fork_neighbours.cpp:[[#@LINE-1]]:
  auto second = taskrace::fork([&first] {
    // CHECK: later: write of 4 bytes by task 2
    x = 2;
    // CHECK: #0{{.*}}fork_neighbours.cpp:[[#@LINE-1]]:
    first.join();
    x = 3;
  });
  second.join();
  x = 4;
}
// CHECK: {{^}}taskrace: 1 race
