// 100 000 tasks, each inside the one before.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int deepest;

void Descend(int depth) {
  if (depth == 0) {
    deepest = 1;
    return;
  }
  taskrace::scope s;
  s.spawn([=] { Descend(depth - 1); });
  s.sync();
}

int main() {
  Descend(100000);
  return deepest != 1;
}
// CHECK: {{^}}taskrace: no races in 100000 tasks
