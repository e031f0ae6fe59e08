// Races on an ignored range are not reported, as long as it is the same memory.
// RUN: cd %S && %taskrace c++ -O0 ignored_range.cpp -o %t.0 && %taskrace run %t.0 2>&1 | %FileCheck %s
// RUN: cd %S && %taskrace c++ -O2 ignored_range.cpp -o %t.2 && %taskrace run %t.2 2>&1 | %FileCheck %s
#include <taskrace/annotate.h>

#include <taskrace/tasks.hpp>

int counters[4];

int main() {
  TASKRACE_IGNORE_RANGE(counters, sizeof counters);
  taskrace::scope s;
  s.spawn([] { counters[1] = 1; });
  s.spawn([] { counters[1] = 2; });
  s.sync();
}
// CHECK: taskrace: no races in 2 tasks
