// Whoever has the future may get it: here a task that its creator made later.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x, y;

int main() {
  auto f = taskrace::make_future([] { return x = 1; });
  taskrace::finish([&f] {
    taskrace::async([f = std::move(f)]() mutable {
      y = f.get();
      x = 2;
    });
  });
  return x + y != 3 || f.valid();
}
// CHECK: {{^}}taskrace: no races in 2 tasks
