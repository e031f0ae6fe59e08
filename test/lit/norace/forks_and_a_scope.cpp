// Where a program forks and spawns, another engine than the lattice's takes over.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  auto f = taskrace::fork([] {
    taskrace::scope s;
    s.spawn([] { x = 1; });
    y = 1;
  });
  f.join();
  return x + y != 2;
}
// CHECK: {{^}}taskrace: no races in 2 tasks
