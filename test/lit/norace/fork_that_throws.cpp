// The exception of a forked task goes to whoever joins it; of one that nobody joins, to nobody.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=lattice2d %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

int x;

int main() {
  auto dropped = taskrace::fork([] { throw 1; });
  auto f = taskrace::fork([] {
    x = 1;
    throw 2;
  });
  try {
    f.join();
  } catch (int number) {
    x += number;
  }
  return x != 3 || f.valid();
}
// CHECK: {{^}}taskrace: no races in 2 tasks
