// Each call shares its own frame with its child, and the frames of siblings lie over each other.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=sporder %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int Fib(int n) {
  if (n < 2) return n;
  int part[2];
  taskrace::scope s;
  s.spawn([&] { part[0] = Fib(n - 1); });
  part[1] = Fib(n - 2);
  s.sync();
  return part[0] + part[1];
}

int main() { return Fib(12) != 144; }
// CHECK: {{^}}taskrace: no races in 232 tasks
