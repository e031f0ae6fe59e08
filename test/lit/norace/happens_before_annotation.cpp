// An order that the program declares between parallel tasks; only the engine promises can take it.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine promises, because the program declares happens-before edges
#include <taskrace/annotate.h>
#include <taskrace/tasks.hpp>

int x, y, tag;

int main() {
  taskrace::scope s;
  s.spawn([] {
    x = 1;
    TASKRACE_HAPPENS_BEFORE(&tag);
  });
  s.spawn([] {
    y = 1;
    TASKRACE_HAPPENS_BEFORE(&tag);
  });
  s.spawn([] {
    TASKRACE_HAPPENS_AFTER(&tag);
    x = y + 1;
  });
  s.sync();
  return x != 2;
}
// CHECK: {{^}}taskrace: no races in 3 tasks
