// Each task joins its left neighbour: not the one that forked it, and not nested.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=lattice2d %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine multibags, because the program forks tasks
#include <taskrace/tasks.hpp>

int x, y, z;

int main() {
  auto first = taskrace::fork([] { x = 1; });
  auto second = taskrace::fork([&first] {
    y = 1;
    first.join();
    x += y;
  });
  z = 1;
  second.join();
  return x + y + z != 4;
}
// CHECK: {{^}}taskrace: no races in 2 tasks
