// A sync, a finish and a get of a future wait for tasks that were switched out.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y, z;

int main() {
  taskrace::promise<void> p;
  taskrace::finish([&p] {
    taskrace::async([&p] {
      taskrace::scope s;
      s.spawn([&p] {
        p.get_future().get();
        x = 1;
      });
      s.sync();
      x = 2;
    });
    taskrace::async([&p] {
      taskrace::finish([&p] {
        taskrace::async([&p] {
          p.get_future().get();
          y = 1;
        });
      });
      y = 2;
    });
    taskrace::async([&p] {
      auto f = taskrace::make_future([&p] {
        p.get_future().get();
        return z = 1;
      });
      z += f.get();
    });
    p.set_value();
  });
  return x + y + z != 6;
}
// CHECK: {{^}}taskrace: no races in 6 tasks
