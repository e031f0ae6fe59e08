// A finish waits for the futures made inside, got or not, and for theirs.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y, z;

int main() {
  taskrace::finish([] {
    auto f = taskrace::make_future([] {
      x = 1;
      auto never_got = taskrace::make_future([] { y = 1; });
    });
    auto g = taskrace::make_future([] { z = 1; });
    g.get();
    z = 2;
  });
  x = y = z = 3;
}
// CHECK: {{^}}taskrace: no races in 3 tasks
