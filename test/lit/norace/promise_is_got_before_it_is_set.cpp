// The getter is switched out until the set, and is ordered after it all the same.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  taskrace::promise<int> p;
  taskrace::finish([&p] {
    taskrace::async([f = p.get_future()] {
      y = 1;
      x += f.get();
    });
    taskrace::async([&p] {
      x = 1;
      p.set_value(2);
    });
  });
  return x != 3;
}
// CHECK: {{^}}taskrace: no races in 2 tasks
