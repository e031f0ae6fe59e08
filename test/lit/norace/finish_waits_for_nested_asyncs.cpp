// A finish waits for the asyncs of its asyncs, and for spawns.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int a, b, c;

void Start() {
  taskrace::async([] {
    a = 1;
    taskrace::async([] { b = 1; });
  });
}

int main() {
  taskrace::finish([] {
    Start();
    taskrace::finish([] { taskrace::async([] { c = 1; }); });
    c = 2;
  });
  return a + b + c != 4;
}
// CHECK: {{^}}taskrace: no races in 3 tasks
