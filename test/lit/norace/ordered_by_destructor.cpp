// The end of a scope waits for its tasks.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  int x = 0;
  {
    taskrace::scope s;
    s.spawn([&x] { x = 1; });
  }
  return x != 1;
}
// CHECK: {{^}}taskrace: no races in 1 task,
