// A task that gets something and then sets a promise passes the order on.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  taskrace::promise<void> p, q;
  taskrace::finish([&] {
    taskrace::async([&] {
      q.get_future().get();
      p.set_value();
    });
    taskrace::async([&] {
      x = 1;
      q.set_value();
    });
    taskrace::async([&] {
      p.get_future().get();
      x = 2;
    });
  });
  return x != 2;
}
// CHECK: {{^}}taskrace: no races in 3 tasks
