// The value of a promise lies where that of another one was, which a parallel task has let go of.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Point {
  long x, y;
};

const Point* values[4];

int main() {
  taskrace::finish([] {
    for (int i = 0; i < 4; ++i) {
      taskrace::async([i] {
        taskrace::promise<Point> p;
        const taskrace::shared_future<Point> f = p.get_future();
        p.set_value({i, i});
        values[i] = &f.get();
      });
    }
  });
  // Without reuse the program shows nothing.
  return values[0] != values[1];
}
// CHECK: {{^}}taskrace: no races in 4 tasks
