// Branches with a variable each, and branches inside branches.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int main() {
  int x = 0, y = 0, z = 0;
  taskrace::parallel_invoke([&] { x = 1; },
                            [&] { taskrace::parallel_invoke([&] { y = 1; }, [&] { z = 1; }); });
  return x + y + z != 3;
}
// CHECK: {{^}}taskrace: no races in 4 tasks
