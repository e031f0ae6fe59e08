// A read that the condition skips is not done ahead of it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x = 1;
int seen[2];

__attribute__((noinline)) void Look(bool wanted, int i) { seen[i] = wanted ? x : 0; }

int main(int one, char**) {
  taskrace::scope s;
  s.spawn([=] { Look(one > 1, 0); });
  s.spawn([] { x = 2; });
  s.sync();
  return seen[0];
}
// CHECK: {{^}}taskrace: no races in 2 tasks
