// The second getter comes after the future too: auto goes on with an engine that knows this.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine donesets,
// ENGINE-NEXT: because a future is read a second time by a task that is not ordered after it
#include <taskrace/tasks.hpp>

int x, copies[2];

int main() {
  auto f = taskrace::make_future([] { return x = 1; }).share();
  auto a = taskrace::make_future([f] { copies[0] = f.get() + x; });
  auto b = taskrace::make_future([f] { copies[1] = f.get() + x; });
  a.get();
  b.get();
  x = copies[0] + copies[1];
  return x != 4;
}
// CHECK: {{^}}taskrace: no races in 3 tasks
