// What came before the set precedes what comes after the get; setter and getter are parallel tasks.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
// RUN: %taskrace run %t 2>&1 | %FileCheck --check-prefix=ENGINE %s
// ENGINE: engine promises, because the program uses promises
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  taskrace::promise<int> p;
  taskrace::finish([&p] {
    taskrace::async([&p] {
      x = 1;
      p.set_value(2);
    });
    taskrace::async([f = p.get_future()] {
      y = f.get();
      x += y;
    });
  });
  return x != 3;
}
// CHECK: {{^}}taskrace: no races in 2 tasks
