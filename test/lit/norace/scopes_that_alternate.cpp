// Children of two scopes of one task, spawned in turn and synced apart.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y, z;

int main() {
  taskrace::scope first, second;
  first.spawn([] { x = 1; });
  second.spawn([] { y = 1; });
  first.spawn([] { z = 1; });
  first.sync();
  x = z + 1;
  second.sync();
  return x + y != 3;
}
// CHECK: {{^}}taskrace: no races in 3 tasks
