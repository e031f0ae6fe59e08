// What a future did precedes whoever got it, and what that one does and creates.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine multibags, because the program uses futures
#include <taskrace/tasks.hpp>

int x;

int main() {
  auto f = taskrace::make_future([] { return x = 1; });
  if (f.get() != 1) return 1;
  x = 2;
  auto g = taskrace::make_future([] { return x = 3; });
  g.wait();
  x = 4;
  return g.get() != 3;
}
// CHECK: {{^}}taskrace: no races in 2 tasks
