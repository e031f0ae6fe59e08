// A get of what precedes already adds nothing: the cheaper engine goes on.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine multibags,
#include <taskrace/tasks.hpp>

int x;

int main() {
  auto f = taskrace::make_future([] { return x = 1; }).share();
  x = f.get() + 1;
  auto g = taskrace::make_future([f] { return f.get() + x; });
  return f.get() + g.get() != 4;
}
// CHECK: {{^}}taskrace: no races in 2 tasks
